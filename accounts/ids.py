"""Ids that sort by time and need no round trip: UUID version 7 (RFC 9562, section 5.7)."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from uuid import UUID

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_LAST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(milliseconds=1)
_behind: ContextVar[timedelta] = ContextVar("behind", default=timedelta(0))


def behind() -> timedelta:
    """How far in the past what happens now is to happen."""
    return _behind.get()


@contextmanager
def as_if_at(instant: datetime) -> Iterator[None]:
    """For a past that is made up: what is written within bears that time, in its ids too."""
    token = _behind.set(datetime.now(UTC) - instant)
    try:
        yield
    finally:
        _behind.reset(token)


def uuid7(milliseconds: int | None = None) -> UUID:
    """A version 7 UUID for that Unix time in milliseconds, by default now.

    Within a millisecond the order follows the clock's fraction (method 3 of section 6.2) when the time is now.
    """
    if milliseconds is None:
        nanoseconds = time.time_ns() - _behind.get() // timedelta(microseconds=1) * 1_000
    else:
        nanoseconds = milliseconds * 1_000_000
    milliseconds, rest = divmod(nanoseconds, 1_000_000)
    fraction = (rest << 12) // 1_000_000
    noise = int.from_bytes(os.urandom(8)) >> 2
    return UUID(int=milliseconds << 80 | 0x7 << 76 | fraction << 64 | 0b10 << 62 | noise)


def instant_of(identifier: UUID) -> datetime:
    """The instant, to the millisecond, that a version 7 UUID carries.

    Any other UUID may be asked too: bits beyond the year 9999 give that year's end.
    """
    return _EPOCH + timedelta(milliseconds=min(identifier.int >> 80, _LAST))
