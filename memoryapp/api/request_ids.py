"""The id under which a caller and our log know a request."""

import re
import secrets

from django.http import HttpRequest
from rest_framework.request import Request

_ACCEPTED = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)
_KEY = "memory.request_id"


def give_request_id(request: HttpRequest) -> str:
    """The caller's own id when it has the form of one, else a fresh one."""
    given = request.META.get("HTTP_X_REQUEST_ID", "")
    request.META[_KEY] = given if _ACCEPTED.fullmatch(given) else secrets.token_hex(16)
    return str(request.META[_KEY])


def request_id_of(request: HttpRequest | Request) -> str:
    return str(request.META.get(_KEY, ""))
