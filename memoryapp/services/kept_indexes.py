"""The indexes that a process keeps of scopes it was asked about: as good as read anew, because each use looks whether
anything has changed since, in the transaction that uses it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from uuid import UUID

from django.conf import settings
from django.db import connection

from memoryapp.services.scope_index import ScopeIndex
from memoryapp.services.shelf import Shelf

_MOST_LOOKS = 3
"""Where others keep on writing, what was read last is good enough."""
MOST_CHANGED = 256
"""Above it, as after an import, a scope is read as a whole."""

# A row bears the transaction that last wrote it. Whatever came since an index was read is of a transaction that had not
# ended then, so of none before the oldest of those. (Numbers yet to come are of the server that this one was restored
# from.) Of what was deleted no row is left to tell: then the count of those that have not changed is another. A server
# that was started anew may have lost its last transactions, and gives their numbers to others; so may one that went on
# after a crash, which begins its figures anew; and a backup may have taken the place of the table. What this
# transaction wrote itself may yet be undone, and what staff read ends with their grant, be it in the midst of a
# statement: none of that is kept, or compared with what was kept.
_SINCE = """
select concat(
        pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(), 'memoryapp_searchentry'::regclass::oid
    ), pg_snapshot_xmin(now)::text,
    pg_current_xact_id_if_assigned() is null and coalesce(current_setting('app.staff', true), '') = '',
    entry.memories, changed.ids, changed.memories, below.waiting + above.waiting
from pg_current_snapshot() as now
cross join unnest(%(scopes)s::uuid[], %(since)s::text[]) with ordinality as scope (id, since, place)
cross join lateral (
    select count(*) as memories from memoryapp_searchentry
    where person_id = %(person)s and scope_id = scope.id and part = 0
) entry
cross join lateral (
    select array_agg(memory_id) as ids, count((
        select 1 from memoryapp_searchentry as its
        where its.memory_id = one.memory_id and its.part = 0 and its.scope_id = scope.id
    )) as memories from (
        select memory_id from memoryapp_searchentry where person_id = %(person)s and scope_id = scope.id
            and changed_in >= scope.since::xid8 and changed_in < pg_snapshot_xmax(now)
        union
        select memory_id from memoryapp_textvector where person_id = %(person)s and scope_id = scope.id and is_live
            and model = %(model)s and changed_in >= scope.since::xid8 and changed_in < pg_snapshot_xmax(now)
        limit %(most)s
    ) one
) changed
cross join lateral (
    select count(*) as waiting from memoryapp_textvector
    where person_id = %(person)s and scope_id = scope.id and is_live and model < %(model)s
) below
cross join lateral (
    select count(*) as waiting from memoryapp_textvector
    where person_id = %(person)s and scope_id = scope.id and is_live and model > %(model)s
) above
order by scope.place
"""

_Key = tuple[UUID, UUID, str]
"""Person, scope and model."""


class Indexes(NamedTuple):
    """Of each scope what it is searched by, and how many vectors are still to be made."""

    of_scopes: list[ScopeIndex]
    waiting: int


@dataclass(slots=True)
class _Kept:
    index: ScopeIndex
    since: str
    """The oldest transaction that had not ended when it was read."""
    server: str
    """When the server had been started, when it had last gone on after a crash, and which table it had."""


_shelf = Shelf[_Key, _Kept](lambda: settings.MEMORY_SEARCH_MEGABYTES * 1_000_000)


def indexes_of(person_id: UUID, scope_ids: Sequence[UUID], model: str) -> Indexes:
    """What these scopes of the open person are searched by now. Without a `model` there are no vectors.

    What changed while they were read is looked at again, so that a memory that goes to another of these scopes is in
    one of them.
    """
    for _ in range(_MOST_LOOKS):
        indexes, counted, waiting = _look(person_id, scope_ids, model)
        if [len(one.rows) for one in indexes] == counted:
            break
    return Indexes(indexes, waiting if model else 0)


def _look(person_id: UUID, scope_ids: Sequence[UUID], model: str) -> tuple[list[ScopeIndex], list[int], int]:
    """The indexes, how many memories each scope had at the beginning, and how many vectors waited."""
    kept = [_shelf.take((person_id, scope_id, model)) for scope_id in scope_ids]
    wanted: dict[str, Any] = {"person": person_id, "scopes": list(scope_ids), "model": model, "most": MOST_CHANGED + 1}
    wanted["since"] = [one and one.since for one in kept]
    with connection.cursor() as cursor:
        cursor.execute(_SINCE, wanted)
        rows = cursor.fetchall()
    indexes = []
    for scope_id, one, row in zip(scope_ids, kept, rows, strict=True):
        server, since, may_be_kept, memories, changed, memories_changed, _ = row
        index = None
        if one and may_be_kept and one.server == server:
            unchanged = memories - memories_changed
            index = _up_to_date(one.index, person_id, scope_id, model, changed, unchanged)
        if index is None:
            index = ScopeIndex.read(person_id, scope_id, model)
        if may_be_kept and not (one and one.index is index):
            _shelf.put((person_id, scope_id, model), _Kept(index, since, server), index.size)
        indexes.append(index)
    return indexes, [row[3] for row in rows], sum(row[-1] for row in rows)


def _up_to_date(
    index: ScopeIndex, person_id: UUID, scope_id: UUID, model: str, changed: Sequence[UUID] | None, unchanged: int
) -> ScopeIndex | None:
    """The index with what changed since; None where only reading all of it will do."""
    if not changed:
        return index if len(index.rows) == unchanged else None
    if len(changed) > MOST_CHANGED:
        return None
    newer = ScopeIndex.read(person_id, scope_id, model, changed)
    if newer.dimension not in (0, index.dimension):
        return None
    made = index.with_newer(newer, changed)
    # With its last vector gone, those of another dimension may serve.
    has_lost_all = index.dimension and not made.rows["has_vector"].any()
    return made if len(made.rows) - len(newer.rows) == unchanged and not has_lost_all else None
