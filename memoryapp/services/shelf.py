"""What a process keeps for a while of what it has made of somebody's words."""

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock, Timer

_IDLE_SECONDS = 600.0
"""What nobody asked for so long is let go at the next look: of who has been erased nothing is here after that."""
_LOOK_SECONDS = 60.0


@dataclass(slots=True)
class _Slot[V]:
    value: V
    size: int
    used_at: float


class Shelf[K: Hashable, V]:
    """The latest used values, within so many bytes; what nobody asks for is let go. For all threads of a process."""

    def __init__(self, most: Callable[[], int]) -> None:
        self._slots: OrderedDict[K, _Slot[V]] = OrderedDict()
        self._most, self._lock, self._is_watched = most, Lock(), False
        self.size = 0

    def take(self, key: K) -> V | None:
        with self._lock:
            slot = self._slots.get(key)
            if slot is None:
                return None
            slot.used_at = time.monotonic()
            self._slots.move_to_end(key)
            return slot.value

    def put(self, key: K, value: V, size: int) -> None:
        """A value that is too large takes nobody's place."""
        most = self._most()
        with self._lock:
            self._drop(key)
            if size <= most:
                self._slots[key] = _Slot(value, size, time.monotonic())
                self.size += size
            while self.size > most:
                self._drop(next(iter(self._slots)))
            self._watch()

    def _let_go(self) -> None:
        with self._lock:
            before = time.monotonic() - _IDLE_SECONDS
            while self._slots and next(iter(self._slots.values())).used_at < before:
                self._drop(next(iter(self._slots)))
            self._is_watched = False
            self._watch()

    def _watch(self) -> None:
        if self._slots and not self._is_watched:
            timer = Timer(_LOOK_SECONDS, self._let_go)
            timer.daemon = True
            timer.start()
            self._is_watched = True

    def _drop(self, key: K) -> None:
        if slot := self._slots.pop(key, None):
            self.size -= slot.size
