"""Second factors: their secrets are encrypted in the database, under a key derived from the secret key."""

import hashlib
from base64 import urlsafe_b64encode
from functools import cache
from typing import TYPE_CHECKING, Any, cast

from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser
from django.utils.html import escape
from django.utils.safestring import mark_safe
from django.utils.translation import gettext

from accounts.models import User

if TYPE_CHECKING:
    from cryptography.fernet import Fernet


class FactorAdapter(DefaultMFAAdapter):
    def encrypt(self, text: str) -> str:
        return _cipher().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        return _cipher().decrypt(encrypted_text.encode()).decode()

    def get_totp_label(self, user: AbstractBaseUser) -> str:
        return _name_of(user)

    def build_totp_svg(self, url: str) -> str:
        """A part of a page instead of a file, with a text for those who do not see it."""
        drawn = super().build_totp_svg(url)
        _, _, inner = drawn.partition("<svg ")
        label = escape(gettext("QR code with the key that stands below"))
        return mark_safe(f'<svg role="img" aria-label="{label}" {inner}')  # noqa: S308 - drawn by us

    def get_public_key_credential_user_entity(self, user: AbstractBaseUser) -> dict[str, Any]:
        """What a passkey keeps of the person. The id is random, and the same for all their passkeys."""
        return {"id": user.pk.hex.encode(), "display_name": _name_of(user), "name": _name_of(user)}

    def generate_authenticator_name(self, user: AbstractBaseUser, type: Authenticator.Type) -> str:  # noqa: A002
        number = Authenticator.objects.filter(user_id=user.pk, type=type).count() + 1
        return gettext("Passkey {number}").format(number=number)


def _name_of(user: AbstractBaseUser) -> str:
    return cast(User, user).email or gettext("My memory page")


@cache
def _cipher() -> "Fernet":
    # Here, since few processes ever need it and it takes a while to load.
    from cryptography.fernet import Fernet

    digest = hashlib.sha256(b"second factors\0" + settings.SECRET_KEY.encode()).digest()
    return Fernet(urlsafe_b64encode(digest))
