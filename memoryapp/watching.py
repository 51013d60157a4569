"""Watches over what `up` has started, and starts a part again that ended by itself."""

import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType

from memoryapp.process import STOP_SIGNALS
from memoryapp.refusal import Refused

WATCH_SECONDS = 0.1
DAY_SECONDS = 86_400
MOST_RESTARTS = 5
"""Restarts of one part within a minute, after which the whole is given up."""


class Stopped(BaseException):
    """Somebody asked us to stop. Raised once, so that nothing interrupts the clean-up that follows."""


@contextmanager
def stopping_on_signals() -> Iterator[Callable[[], bool]]:
    """Within the block the first Ctrl-C, SIGTERM or SIGHUP (unless ignored, as under nohup) raises `Stopped`.

    The value tells whether one has come: an exception that is raised within a finalizer is lost.
    """
    came: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        came.append(number)
        for each in taken:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped

    taken = [each for each in STOP_SIGNALS if each != signal.SIGHUP or signal.getsignal(each) is not signal.SIG_IGN]
    for each in taken:
        signal.signal(each, stop)
    yield lambda: bool(came)


@dataclass(frozen=True, slots=True)
class Part:
    """`restart` returns when the part works again. `name` begins a sentence."""

    name: str
    has_ended: Callable[[], bool]
    restart: Callable[[], None]
    restarted_at: deque[float] = field(default_factory=deque)


def watch(
    parts: list[Part],
    say: Callable[[str], None],
    is_asked_to_stop: Callable[[], bool],
    every_day: Callable[[], None],
) -> None:
    """Never returns: it ends by `Stopped`, or by `Refused` when a part keeps ending."""
    next_day = time.monotonic() + DAY_SECONDS
    while True:
        time.sleep(WATCH_SECONDS)
        if is_asked_to_stop():
            raise Stopped
        if time.monotonic() >= next_day:
            next_day += DAY_SECONDS
            every_day()
        for part in parts:
            if part.has_ended():
                _restart(part, say)


def _restart(part: Part, say: Callable[[str], None]) -> None:
    began = time.monotonic()
    while part.restarted_at and began - part.restarted_at[0] > 60:
        part.restarted_at.popleft()
    if len(part.restarted_at) >= MOST_RESTARTS:
        raise Refused(f"{part.name} keeps ending; giving up.")
    part.restarted_at.append(began)
    part.restart()
    say(f"{part.name} had ended and was started again ({time.monotonic() - began:.1f} s).")
