"""Where django-allauth asks what is ours to decide: who may sign up, what is fresh, what is recorded."""

from collections.abc import Iterable, Sequence
from typing import Any, cast

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.authentication import get_authentication_records
from allauth.account.models import EmailAddress
from allauth.core import context
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from allauth.usersessions.adapter import DefaultUserSessionsAdapter
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.forms import BaseForm
from django.http import HttpRequest
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from memoryapp.services.signing_in import record_access, welcome
from memoryapp.signin.freshness import mark_signed_in, signed_in_recently

_METHODS = {"socialaccount": "oidc", "webauthn": "passkey"}
_RECORDED = {
    "mfa/email/totp_activated": ("add_factor", "totp"),
    "mfa/email/totp_deactivated": ("remove_factor", "totp"),
    "mfa/email/webauthn_added": ("add_factor", "passkey"),
    "mfa/email/webauthn_removed": ("remove_factor", "passkey"),
    "mfa/email/recovery_codes_generated": ("add_factor", "recovery_codes"),
    "socialaccount/email/account_connected": ("add_factor", "oidc"),
    "socialaccount/email/account_disconnected": ("remove_factor", "oidc"),
}
"""The changes that the person is told of by email, where there is one, are those that the activity page tells."""


class AccountAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest) -> bool:
        return settings.MEMORY_SIGN_UP == "open"

    def save_user(
        self, request: HttpRequest, user: AbstractBaseUser, form: BaseForm, commit: bool = True
    ) -> AbstractBaseUser:
        saved = super().save_user(request, user, form, commit)
        if commit:
            welcome(cast(User, saved))
        return saved

    def login(self, request: HttpRequest, user: AbstractBaseUser) -> None:
        how = ways_in(request, user)
        super().login(request, user)
        mark_signed_in(request)
        record_access("sign_in", user.pk, how=how)

    def logout(self, request: HttpRequest) -> None:
        if isinstance(request.user, User):
            record_access("sign_out", request.user.id)
        super().logout(request)

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        is_confirmed: bool = super().confirm_email(request, email_address)
        if is_confirmed:
            record_access("change_email", email_address.user_id)
        return is_confirmed

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        return reverse("account_email" if context.request.user.is_authenticated else "account_login")

    def get_login_stages(self) -> list[str]:
        stages: list[str] = super().get_login_stages()
        theirs, ours = "allauth.account.stages.EmailVerificationStage", "memoryapp.signin.stages.ConfirmedEmail"
        return [ours if stage == theirs else stage for stage in stages]

    def is_reauthentication_required(self, *, app: str, **kwargs: Any) -> bool:
        return not signed_in_recently(context.request)

    def get_reauthentication_methods(self, user: AbstractBaseUser | AnonymousUser) -> list[dict[str, Any]]:
        """Who has neither an email nor a second factor came by a link, and comes again by another."""
        methods: list[dict[str, Any]] = super().get_reauthentication_methods(user)
        link = {"id": "link", "description": _("Open a new link"), "url": reverse("account_new_link")}
        return methods or ([link] if user.is_authenticated else [])

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        # A slow mail server must not hold a connection that others wait for.
        if not connection.in_atomic_block:
            connection.close()
        super().send_mail(template_prefix, email, context)

    def send_notification_mail(
        self,
        template_prefix: str,
        user: AbstractBaseUser,
        context: dict[str, Any] | None = None,
        email: str | None = None,
    ) -> None:
        if template_prefix in _RECORDED:
            verb, how = _RECORDED[template_prefix]
            record_access(verb, user.pk, how=how)
        super().send_notification_mail(template_prefix, user, context, email)

    def send_account_already_exists_mail(self, email: str) -> None:
        self.send_mail("account/email/account_already_exists", email, {})


class SessionAdapter(DefaultUserSessionsAdapter):
    def end_sessions(self, sessions: Iterable[UserSession]) -> None:
        for session in sessions:
            record_access("end_session", session.user_id)
            session.end()


class ProviderAdapter(DefaultSocialAccountAdapter):
    def is_open_for_signup(self, request: HttpRequest, sociallogin: SocialLogin) -> bool:
        return settings.MEMORY_SIGN_UP in ("open", "oidc")

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Keeps of what the provider tells the account's id and a confirmed address: names and pictures are of no use.

        An address that nobody has confirmed could be somebody else's, who would later come in to this account by it.
        """
        account = sociallogin.account
        account.extra_data = {}
        if account.pk:
            account.save(update_fields=["extra_data"])
            return
        sociallogin.email_addresses = [address for address in sociallogin.email_addresses if address.verified]
        cast(User, sociallogin.user).email = next((address.email for address in sociallogin.email_addresses), None)

    def save_user(self, request: HttpRequest, sociallogin: SocialLogin, form: BaseForm | None = None) -> User:
        saved: User = super().save_user(request, sociallogin, form)
        welcome(saved)
        return saved


def ways_in(request: HttpRequest, user: AbstractBaseUser) -> str:
    """The proofs of this sign-in in their order, such as `code+totp`."""
    records: Sequence[dict[str, Any]] = get_authentication_records(request, user)
    names = [str(record.get("type") or record["method"]) for record in records]
    return "+".join(dict.fromkeys(_METHODS.get(name, name) for name in names))
