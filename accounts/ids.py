"""Ids that sort by time and need no round trip: UUID version 7 (RFC 9562, section 5.7)."""

import os
import time
from datetime import UTC, datetime, timedelta
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)


def uuid7(milliseconds: int | None = None) -> UUID:
    """A version 7 UUID for that Unix time in milliseconds, by default now.

    Within a millisecond the order follows the clock's fraction (method 3 of section 6.2) when the time is now.
    """
    nanoseconds = time.time_ns() if milliseconds is None else milliseconds * 1_000_000
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    fraction = (rest << 12) // 1_000_000
    noise = int.from_bytes(os.urandom(8)) >> 2
    return UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | noise)


def instant_of(identifier: UUID) -> datetime:
    """The instant, to the millisecond, that a version 7 UUID carries.

    Any other UUID may be asked too: bits beyond the year 9999 give that year's end.
    """
    return _EPOCH + timedelta(milliseconds=min(identifier.int >> 80, _LAST))
