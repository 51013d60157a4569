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


# A pause begins with the first paused version after the last one that was in use; a new text or a stay in the trash
# in between does not end it.
_BEGINNINGS = """
select wanted.memory_id, began.actor_kind, key.name, began.recorded_at
from unnest(%s::uuid[], %s::int[]) as wanted (memory_id, number)
cross join lateral (
    select actor_kind, agent_key_id, recorded_at from memoryapp_memoryversion version
    where version.memory_id = wanted.memory_id and version.state = 'paused' and version.number <= wanted.number
        and version.number > coalesce((
            select max(number) from memoryapp_memoryversion used
            where used.memory_id = wanted.memory_id and used.number < wanted.number
                and used.state in ('current', 'stale', 'pending')
        ), 0)
    order by version.number limit 1
) began
left join accounts_agentkey key on key.id = began.agent_key_id
"""


def paused_by(items: Sequence[TraceItem]) -> Mapping[UUID, PausedBy]:
    """For each of these memories that was held back as paused, while its person is open. One read, none for none."""
    paused = [item for item in items if item.verdict == "paused"]
    if not paused:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_BEGINNINGS, [[item.memory_id for item in paused], [item.version for item in paused]])
        return {memory_id: PausedBy(kind, agent, at) for memory_id, kind, agent, at in cursor.fetchall()}
