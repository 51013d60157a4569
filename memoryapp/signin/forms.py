from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.utils import is_mfa_enabled
from allauth.socialaccount.forms import DisconnectForm as BaseDisconnectForm
from django import forms
from django.utils.translation import gettext_lazy as _


class DisconnectForm(BaseDisconnectForm):
    """Takes the provider's account away from who has another way in. The original asks for a password instead."""

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = forms.Form.clean(self) or {}
        user = self.request.user
        has_email = EmailAddress.objects.filter(user=user, verified=True).exists()
        if not (has_email or is_mfa_enabled(user, ["webauthn"]) or self.accounts.count() > 1):
            raise forms.ValidationError(_("Add an email address or a passkey first, so that you can come back."))
        return cleaned
