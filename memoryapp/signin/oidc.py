"""The one OpenID Connect provider that an operator may configure, as django-allauth wants to read it."""

import re
from typing import Any
from urllib.parse import urlsplit

from memoryapp import env

_PARTS = ("MEMORY_OIDC_SERVER_URL", "MEMORY_OIDC_CLIENT_ID", "MEMORY_OIDC_CLIENT_SECRET")


def providers() -> dict[str, Any]:
    """Empty without configuration. Refuses half of one."""
    server_url, client_id, secret = (env.text(name) for name in _PARTS)
    if not (server_url or client_id or secret):
        return {}
    missing = [name for name in _PARTS if not env.text(name)]
    if missing:
        raise env.WrongSetting(
            f"{' and '.join(missing)} must be set as well: sign-in by OpenID Connect needs all three."
        )
    address = urlsplit(server_url)
    if address.scheme != "https" and (address.scheme, address.hostname) != ("http", "localhost"):
        raise env.WrongSetting("MEMORY_OIDC_SERVER_URL must start with https://.")
    provider_id = env.text("MEMORY_OIDC_ID", "sso")
    if not re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,29}", provider_id):
        raise env.WrongSetting("MEMORY_OIDC_ID must have 1 to 30 lower-case letters, digits, _ and -.")
    app = {
        "provider_id": provider_id,
        "name": env.text("MEMORY_OIDC_NAME", "single sign-on"),
        "client_id": client_id,
        "secret": secret,
        "settings": {"server_url": server_url.rstrip("/"), "oauth_pkce_enabled": True},
    }
    return {"openid_connect": {"APPS": [app]}}
