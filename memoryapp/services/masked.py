"""What staff may know of a retrieval without a grant, from functions of the database that return no content."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple, cast
from uuid import UUID

from django.db import connection

from accounts.ids import instant_of
from memoryapp.models import RetrievalTrace
from memoryapp.services.errors import NotFound
from memoryapp.services.trace_items import TraceItem

_BLOCK = 64
"""The block of SHA-256, in bytes."""


class NamedAnswer(NamedTuple):
    """An answer by the agent's name of it."""

    trace_id: UUID
    answer_id: str
    model: str | None
    recorded_at: datetime


def masked_trace(trace_id: UUID) -> Any:
    """A `RetrievalTrace` without its request and its session, with `agent_name`, `has_query` and `has_session`.

    NotFound where it is not the person's, or is gone.
    """
    for trace in masked_traces([trace_id]):
        return trace
    raise NotFound


def session_of(trace: Any) -> str | None:
    """What the agent calls the conversation, for a grant to hold: it may say what it is about, and no page shows it
    before such a grant runs."""
    ((session,),) = _rows("session_of_trace(%s, %s)", [trace.id, trace.created_at])
    return cast(str | None, session)


def masked_traces(trace_ids: Sequence[UUID]) -> list[Any]:
    """As `masked_trace` each, those that are there. One read."""
    # What is not selected would be read when it is asked for, and there is nothing to read it from.
    rows = RetrievalTrace.objects.raw(
        "select trace.* from unnest(%s::uuid[], %s::timestamptz[]) as wanted (id, at)"
        " cross join lateral desk_trace(wanted.id, wanted.at) trace",
        [list(trace_ids), list(map(instant_of, trace_ids))],
    )
    return list(rows)


def latest_traces(most: int) -> list[UUID]:
    return [trace_id for (trace_id,) in _rows("desk_latest(%s)", [most])]


def masked_answers(trace_id: UUID, most: int) -> list[NamedAnswer]:
    """The answer of the trace first, then the others of its name, earliest first; none where it has none."""
    return [NamedAnswer(*row) for row in _rows("desk_answers(%s, %s)", [trace_id, most])]


def names_of_answers(trace_ids: Sequence[UUID]) -> dict[UUID, str]:
    """What agents call the answers of these traces, by trace. One read."""
    each = "unnest(%s::uuid[]) as wanted (id) cross join lateral desk_answers(wanted.id, 1)"
    return {trace_id: answer_id for _, trace_id, answer_id, *_ in _rows(each, [list(trace_ids)])}


def masked_fates(items: Sequence[TraceItem]) -> list[tuple[Any, ...]]:
    """In the order of the items: kind, scope, whether changed; state, disputed and ended now."""
    return _rows("desk_fates(%s, %s)", _lists([(item.memory_id, item.version) for item in items]))


def digests(versions: Sequence[tuple[UUID, int]], key: bytes) -> Mapping[tuple[UUID, int], bytes]:
    """HMAC-SHA256 of the text of each version, made where the text is; `key` has at most 64 bytes."""
    padded = key.ljust(_BLOCK, b"\0")
    pads = [bytes(byte ^ pad for byte in padded) for pad in (0x36, 0x5C)]
    rows = _rows("desk_digests(%s, %s, %s, %s)", [*_lists(versions), *pads])
    return {(memory_id, number): bytes(digest) for memory_id, number, digest in rows}


def _lists(versions: Sequence[tuple[UUID, int]]) -> list[Any]:
    return [[memory_id for memory_id, _ in versions], [number for _, number in versions]]


def _rows(call: str, values: Sequence[Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(f"select * from {call}", values)
        return list(cursor.fetchall())
