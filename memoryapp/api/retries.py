"""Idempotency-Key: the first successful answer to a POST is the answer to its retries."""

import hashlib
import hmac
import re
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.conf import settings
from django.http import HttpResponse

from memoryapp.api.problems import invalid
from memoryapp.api.reply import reply
from memoryapp.api.view import AgentRequest
from memoryapp.services.idempotency import once

Answer = tuple[int, dict[str, Any], UUID | None]
"""Status, body, and the person whom it concerns."""

HEADER = "Idempotency-Key"
_FORM = re.compile(r"[\x20-\x7e]{1,128}", re.ASCII)


def _as_kept(body: dict[str, Any]) -> dict[str, Any]:
    return body


def answer_once(
    request: AgentRequest, act: Callable[[], Answer], shown: Callable[[dict[str, Any]], dict[str, Any]] = _as_kept
) -> HttpResponse:
    """Acts and answers; with an Idempotency-Key that was used before, gives that answer again instead.

    `shown` makes the answer of what is kept, where that may not hold all of it.
    """
    key = request.META.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        status, body, _ = act()
        return reply(shown(body), status)
    if not _FORM.fullmatch(key):
        raise invalid(HEADER, "Must be 1 to 128 printable ASCII characters.")
    status, body, replayed = once(key_id=request.key.id, key=key, fingerprint=_fingerprint(request), act=act)
    return reply(shown(body), status, {"Idempotent-Replay": "true"} if replayed else None, is_repeatable=True)


def _fingerprint(request: AgentRequest) -> bytes:
    """Keyed, since a bare digest of a short body would tell it."""
    query = request.META.get("QUERY_STRING", "").encode()
    said = b"\0".join(((request.method or "").encode(), request.path_info.encode(), query, request.received))
    return hmac.digest(settings.SECRET_KEY.encode(), b"idempotency\0" + said, hashlib.sha256)
