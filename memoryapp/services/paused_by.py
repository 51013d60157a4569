"""Who had paused a memory at the time of a retrieval that held it back, and since when: read from its versions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from memoryapp.services.trace_items import TraceItem


@dataclass(frozen=True, slots=True)
class PausedBy:
    """The kind of actor, the name of the key where that was an agent, and when the pause began."""

    kind: str
    agent: str | None
    at: datetime


def paused_by(items: Sequence[TraceItem]) -> Mapping[UUID, PausedBy]:
    """For each of these memories that was held back as paused, while its person is open. One read, none for none."""
    paused = [item for item in items if item.verdict == "paused"]
    if not paused:
        return {}
    with connection.cursor() as cursor:
        ids, numbers = [item.memory_id for item in paused], [item.version for item in paused]
        cursor.execute("select * from pauses_of(%s, %s)", [ids, numbers])
        return {memory_id: PausedBy(kind, agent, at) for memory_id, kind, agent, at in cursor.fetchall()}
