"""The key of a person's do-not-learn digests, sealed so that it can travel in their export: only this service opens it.

Without it their list would bar nothing where it is brought; open, it would let whoever finds the file try words.
"""

import hashlib
import hmac
import secrets

from django.conf import settings

_LENGTH = hashlib.sha256().digest_size
"""Bytes of a key, and of the number that is drawn for each seal."""


def seal(key: bytes) -> str:
    drawn = secrets.token_bytes(_LENGTH)
    return (drawn + _with_pad(key, drawn)).hex()


def unseal(sealed: str) -> bytes:
    """The file's signature vouches for it."""
    whole = bytes.fromhex(sealed)
    return _with_pad(whole[_LENGTH:], whole[:_LENGTH])


def _with_pad(key: bytes, drawn: bytes) -> bytes:
    """A pad of the key's length that is used once: HMAC-SHA256 of what was drawn, under a key from the secret key."""
    own = hashlib.sha256(b"do-not-learn seal\0" + settings.SECRET_KEY.encode()).digest()
    pad = hmac.digest(own, drawn, "sha256")
    return bytes(one ^ other for one, other in zip(key, pad, strict=True))
