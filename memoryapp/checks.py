"""Combinations of settings that are each right and together wrong."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks


@checks.register(checks.Tags.security)
def check_combinations(app_configs: Sequence[AppConfig] | None, **options: Any) -> list[checks.CheckMessage]:
    found: list[checks.CheckMessage] = []
    if settings.MEMORY_HTTPS and not settings.MEMORY_TRUSTED_PROXY:
        found.append(
            checks.Error(
                "MEMORY_HTTPS is on and MEMORY_TRUSTED_PROXY is off: every request would be redirected for ever.",
                hint="TLS ends at a proxy. Let it set X-Forwarded-Proto and set MEMORY_TRUSTED_PROXY=1.",
                id="memoryapp.E001",
            )
        )
    if settings.MEMORY_HTTPS and settings.DEBUG:
        found.append(
            checks.Error(
                "DEBUG and MEMORY_HTTPS are both on: error pages would show memory texts to the world.",
                hint="Unset DEBUG.",
                id="memoryapp.E002",
            )
        )
    if settings.SESSION_COOKIE_SECURE and not settings.MEMORY_HTTPS:
        found.append(
            checks.Warning(
                "MEMORY_SECURE_COOKIES is on and MEMORY_HTTPS is off: browsers will not keep anybody signed in.",
                hint="Set MEMORY_HTTPS=1 as well, unless the proxy alone redirects to https.",
                id="memoryapp.W003",
            )
        )
    if "*" in settings.ALLOWED_HOSTS and not settings.DEBUG:
        found.append(
            checks.Warning(
                "ALLOWED_HOSTS is *: a forged Host header would end up in sign-in links.",
                hint="Name the hosts that this service is reached by.",
                id="memoryapp.W004",
            )
        )
    if settings.MEMORY_HTTPS and settings.MAILERS["default"]["BACKEND"].endswith(".console.EmailBackend"):
        found.append(
            checks.Warning(
                "EMAIL_URL is not set: codes for signing in are written to the service's own output.",
                hint="Set EMAIL_URL=smtp://user:password@host:587 and EMAIL_FROM.",
                id="memoryapp.W006",
            )
        )
    if settings.MEMORY_TRUSTED_PROXY and any(network.is_loopback for network in settings.MEMORY_METRICS_NETWORKS):
        found.append(
            checks.Warning(
                "MEMORY_TRUSTED_PROXY is on and /metrics is open to this machine's own addresses, the proxy's among "
                "them where it runs here.",
                hint="Set MEMORY_METRICS=token:… or to the address of the collector.",
                id="memoryapp.W005",
            )
        )
    return found
