"""Keyset cursors: where a page ended, opaque to the caller."""

import base64
import json
from datetime import UTC, datetime
from uuid import UUID

from memoryapp.services.errors import Invalid


def encode_cursor(*place: str) -> str:
    """A cursor of URL-safe letters that names this place in an order."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, parts: int) -> list[str]:
    """The place that `encode_cursor` named. Invalid when the cursor is not one of this order."""
    try:
        place = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, RecursionError):
        place = None
    # Places are ids and times; whatever else is in a cursor was not put there by us.
    if not isinstance(place, list) or len(place) != parts or not all(isinstance(p, str) and p.isascii() for p in place):
        raise not_a_cursor()
    return place


def not_a_cursor() -> Invalid:
    return Invalid("cursor", "This is no cursor of this list.")


def decode_id(part: str) -> UUID:
    try:
        return UUID(part)
    except ValueError:
        raise not_a_cursor() from None


def decode_instant(part: str) -> datetime:
    try:
        instant = datetime.fromisoformat(part)
        aware = instant.astimezone(UTC)
    except (ValueError, OverflowError):
        raise not_a_cursor() from None
    if instant.tzinfo is None:
        raise not_a_cursor()
    return aware
