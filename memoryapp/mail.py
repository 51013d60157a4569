"""EMAIL_URL to Django's MAILERS."""

from typing import Any
from urllib.parse import unquote, urlsplit

from memoryapp.env import WrongSetting

_BACKENDS = "django.core.mail.backends"
_SECONDS = 10
_PORTS = {"smtp": 587, "smtps": 465, "smtp+plain": 25}


def mailers(url: str) -> dict[str, dict[str, Any]]:
    """The console without a URL. `smtp:` upgrades to TLS, `smtps:` starts with it, `smtp+plain:` does without.

    No message repeats any part of the URL: it holds a password.
    """
    if not url:
        return {"default": {"BACKEND": f"{_BACKENDS}.console.EmailBackend"}}
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port = None, None
    if not host or parts.scheme not in _PORTS or parts.path.strip("/") or parts.query or parts.fragment:
        raise WrongSetting(
            "EMAIL_URL must look like smtp://user:password@host:587, or smtps:// or smtp+plain://, with special "
            "characters percent-encoded."
        )
    options = {
        "host": host,
        "port": port or _PORTS[parts.scheme],
        "username": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "use_tls": parts.scheme == "smtp",
        "use_ssl": parts.scheme == "smtps",
        "timeout": _SECONDS,
    }
    return {"default": {"BACKEND": f"{_BACKENDS}.smtp.EmailBackend", "OPTIONS": options}}
