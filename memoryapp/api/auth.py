"""Who calls: an agent key in the Authorization header. Session cookies are not looked at."""

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from accounts.models import AgentKey
from memoryapp.services import agents

KEY_PREFIX = "memory.key_prefix"
"""Where the access log finds the part of the key that may be shown."""

_NOBODY = AnonymousUser()


class Bearer(BaseAuthentication):
    """Missing, malformed, unknown, expired and revoked keys are refused alike."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, AgentKey]:
        scheme, _, presented = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        key = agents.authenticate(presented.strip()) if scheme.lower() == "bearer" else None
        if key is None:
            raise AuthenticationFailed
        request.META[KEY_PREFIX] = key.prefix
        return _NOBODY, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = Bearer
    name = "agentKey"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An agent key, `mem_…`."}
