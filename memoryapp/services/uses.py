"""Counting that a memory was used, after the response went out: nobody waits for it."""

import atexit
import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import DatabaseError, InterfaceError, connection

from memoryapp.services.locking import writing_for

log = logging.getLogger(__name__)

_GATHER_SECONDS = 0.8


@dataclass(frozen=True, slots=True)
class _Use:
    person_id: UUID
    memory_ids: tuple[UUID, ...]
    at: datetime


_waiting: queue.Queue[_Use] = queue.Queue()
_wake = threading.Event()
_started = threading.Lock()


def count_later(person_id: UUID, memory_ids: Iterable[UUID], at: datetime) -> None:
    """Notes that these memories were sent. Written within a second; a crash may lose it, as it may the trace."""
    _waiting.put(_Use(person_id, tuple(memory_ids), at))
    _wake.set()
    if _started.acquire(blocking=False):
        threading.Thread(target=_run, name="uses", daemon=True).start()
        atexit.register(count_waiting)


def count_waiting() -> None:
    """Writes what waits, one transaction per person."""
    uses: dict[UUID, list[_Use]] = {}
    while True:
        try:
            use = _waiting.get_nowait()
        except queue.Empty:
            break
        uses.setdefault(use.person_id, []).append(use)
    for person_id, theirs in uses.items():
        try:
            _count(person_id, theirs)
        except (DatabaseError, InterfaceError):
            # A count is not worth a retry; the log names nobody.
            log.warning("uses of %d retrievals were not counted", len(theirs))
        except Exception:
            # It holds up no other person's, and does not end the thread, which nobody would begin again.
            log.exception("uses of %d retrievals were not counted", len(theirs))


# Nobody waits for the disk: a crash may lose a count in any case.
_COUNT = """
update memoryapp_memory memory
set use_count = memory.use_count + used.times, last_used_at = greatest(memory.last_used_at, %s)
from unnest(%s::uuid[], %s::int[]) as used (id, times), set_config('synchronous_commit', 'off', true)
where memory.id = used.id
"""


def _count(person_id: UUID, uses: list[_Use]) -> None:
    times = Counter(memory_id for use in uses for memory_id in use.memory_ids)
    with writing_for(person_id), connection.cursor() as cursor:
        cursor.execute(_COUNT, [max(use.at for use in uses), list(times), list(times.values())])


def _run() -> None:
    while True:
        _wake.wait()
        _wake.clear()
        time.sleep(_GATHER_SECONDS)
        count_waiting()
        connection.close()
