"""Keyset cursors: where a page ended, opaque to the caller."""

import base64
import json

from memoryapp.services.errors import Invalid


def encode_cursor(*place: str) -> str:
    """A cursor of URL-safe letters that names this place in an order."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, parts: int) -> list[str]:
    """The place that `encode_cursor` named. Invalid when the cursor is not one of this order."""
    try:
        place = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except ValueError:
        place = None
    if not isinstance(place, list) or len(place) != parts or not all(isinstance(part, str) for part in place):
        raise Invalid("cursor", "This is no cursor of this list.")
    return place
