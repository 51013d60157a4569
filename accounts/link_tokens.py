"""The token of a one-time sign-in link, and what is kept of it.

The token is computed from the link's id under the secret key (HMAC-SHA256, 256 bits), so that the answer to a retried
call can be given again although the token is stored nowhere.
"""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from uuid import UUID

from django.conf import settings

_FORM = re.compile(r"[A-Za-z0-9_-]{43}", re.ASCII)


def token_of(link_id: UUID) -> str:
    """43 characters of `[A-Za-z0-9_-]`."""
    secret = hmac.digest(settings.SECRET_KEY.encode(), b"sign-in link\0" + link_id.bytes, hashlib.sha256)
    return urlsafe_b64encode(secret).rstrip(b"=").decode()


def digest_of(token: str) -> bytes | None:
    """What the link is found by, or None when the text has not the form of a token."""
    return hashlib.sha256(token.encode()).digest() if _FORM.fullmatch(token) else None
