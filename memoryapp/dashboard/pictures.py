"""The numbers behind the small pictures: where a bar begins, how long it is. Lengths are per cent of the width."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

_SHORTEST = 0.6
"""Per cent: what lasted a moment is still seen."""


@dataclass(frozen=True, slots=True)
class Span:
    start: float
    length: float
    is_now: bool


@dataclass(frozen=True, slots=True)
class Timeline:
    """When which value held, from `opens` to `closes`; `said` are the places at which it was said, `now` today's."""

    opens: datetime
    closes: datetime
    spans: tuple[Span, ...]
    said: tuple[float, ...]
    now: float


def timeline(
    held: Sequence[tuple[datetime, datetime | None]], said: Iterable[datetime], *, now: datetime
) -> Timeline | None:
    """`held` are half-open intervals, the one that holds now without an end or with one to come. None for none."""
    if not held:
        return None
    times = list(said)
    opens = min([start for start, _ in held] + times)
    closes = max([now, *(end for _, end in held if end), *times])
    whole = max((closes - opens).total_seconds(), 1.0)

    def at(instant: datetime) -> float:
        return round(min(max((instant - opens).total_seconds() / whole, 0), 1) * 100, 2)

    spans = []
    for start, end in sorted(held, key=lambda interval: interval[0]):
        begin = min(at(start), 100 - _SHORTEST)
        length = max(at(end or closes) - begin, _SHORTEST)
        spans.append(Span(begin, round(length, 2), start <= now and (end is None or now < end)))
    return Timeline(opens, closes, tuple(spans), tuple(sorted({at(time) for time in times})), at(now))


def sparkline(times: Iterable[datetime], *, now: datetime, weeks: int = 12) -> str:
    """The points of a line in a box of 100 by 24: uses per week, the last weeks, oldest first. Empty for none."""
    counts = [0] * weeks
    for time in times:
        back = (now - time) // timedelta(weeks=1)
        if 0 <= back < weeks:
            counts[weeks - 1 - back] += 1
    most = max(counts)
    if not most:
        return ""
    return " ".join(
        f"{index * 100 / (weeks - 1):.1f},{22 - 20 * count / most:.1f}" for index, count in enumerate(counts)
    )
