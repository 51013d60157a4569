"""Rebuilding the block that a trace sent, from the versions that it names."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from memoryapp.models import Memory, MemoryVersion, RetrievalTrace
from memoryapp.models.memory import State
from memoryapp.policy.block import build_block
from memoryapp.policy.types import PERSONAL, BlockEntry
from memoryapp.services.trace_items import TraceItem

Versions = Mapping[tuple[UUID, int], MemoryVersion]


class Sent(NamedTuple):
    """What of a version enters a block."""

    kind: str
    scope_name: str
    text: str


_THESE_VERSIONS = """
select version.* from unnest(%s::uuid[], %s::int[]) as wanted (memory_id, number)
join memoryapp_memoryversion version using (memory_id, number)
"""


def versions_of(items: Sequence[TraceItem]) -> Versions:
    """The versions that a trace names, while its person is open."""
    wanted = [[item.memory_id for item in items], [item.version for item in items]]
    return {(row.memory_id, row.number): row for row in MemoryVersion.objects.raw(_THESE_VERSIONS, wanted)}


def withheld_since(items: Sequence[TraceItem]) -> dict[UUID, str]:
    """The memories that may not be sent any more, and why: forgotten, paused, or disputed."""
    rows = Memory.objects.filter(pk__in={item.memory_id for item in items})
    since = {row.pk: row.state for row in rows.filter(state__in=(State.FORGOTTEN, State.PAUSED))}
    return since | {row.pk: "disputed" for row in rows.filter(disputed=True).exclude(state=State.FORGOTTEN)}


def replay(
    trace: RetrievalTrace,
    items: Sequence[TraceItem],
    versions: Mapping[tuple[UUID, int], MemoryVersion] | Mapping[tuple[UUID, int], Sent],
    gaps: Mapping[UUID, str],
) -> str:
    """The block that was sent, byte for byte, with a marked gap for each memory that `gaps` names or that is erased."""
    now: datetime = trace.as_of or trace.created_at
    entries = []
    for item in items:
        if not item.was_sent or item.confirmed_at is None:
            continue
        version = versions.get((item.memory_id, item.version))
        gap = gaps.get(item.memory_id) if version else State.FORGOTTEN
        entries.append(
            BlockEntry(
                # What an erased one was about is not known any more; its line must not stand among others' facts.
                kind=version.kind if version else "no longer kept",
                scope=version.scope_name if version else PERSONAL,
                text=version.text if version and not gap else None,
                confirmed_at=item.confirmed_at,
                gap=gap and str(gap),
            )
        )
    return build_block(entries, now=now)
