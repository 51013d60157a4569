"""A successful answer."""

import json
from collections.abc import Mapping
from typing import Any

from django.http import HttpResponse


def reply(
    body: Mapping[str, Any],
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    *,
    is_repeatable: bool = False,
) -> HttpResponse:
    """`is_repeatable` writes equal bodies as equal bytes, in whatever order their members come."""
    return HttpResponse(
        json.dumps(body, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=is_repeatable),
        status=status,
        content_type="application/json",
        headers=dict(headers or {}),
    )
