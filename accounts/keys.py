"""The form of an agent key, `mem_<prefix>_<secret>`, and what is kept of it.

The secret has 256 random bits, so that one SHA-256 is enough: there is nothing to guess, and nothing slow to hold a
database connection for.
"""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass

_FORM = re.compile(r"mem_([a-z2-7]{12})_([A-Za-z0-9_-]{43})", re.ASCII)
_PREFIX_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


@dataclass(frozen=True, slots=True)
class KeyParts:
    prefix: str
    digest: bytes


def new_key() -> tuple[str, KeyParts]:
    """A fresh key, to be shown once, and what may be stored of it."""
    prefix = "".join(secrets.choice(_PREFIX_LETTERS) for _ in range(12))
    key = f"mem_{prefix}_{secrets.token_urlsafe(32)}"
    return key, KeyParts(prefix, hashlib.sha256(key.encode()).digest())


def parse_key(text: str) -> KeyParts | None:
    """The parts of a presented key, or None when it has not the form of one."""
    match = _FORM.fullmatch(text)
    return KeyParts(match[1], hashlib.sha256(text.encode()).digest()) if match else None


def same_digest(stored: bytes, presented: bytes) -> bool:
    """Compares in constant time."""
    return hmac.compare_digest(stored, presented)
