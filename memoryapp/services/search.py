"""Which memories of some scopes a request meets: two looks at indexes that lie together by scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from memoryapp.models.search import sparse_vector
from memoryapp.policy.relevance.probe import Match, Probe, resolve, wanted
from memoryapp.policy.relevance.terms import RequestTerms
from memoryapp.services.meaning import Meaning

SHOWN = 200
"""So many memories that a request meets in nothing are listed; the others are only counted."""

# By scope and word in this order, whatever the planner expects of either: each pair is one range of the primary key.
_VOCABULARY = """
with known as materialized (
    select distinct word from memoryapp_scopeword
    where person_id = %(person)s and scope_id = any(%(scopes)s) and word = any(%(words)s)
)
select word, true from known
union all
select distinct near.word, false
from unnest(%(wanted)s::text[], %(firsts)s::text[], %(afters)s::text[], %(shortest)s::int[], %(longest)s::int[])
    as wanted (word, first, after, shortest, longest)
cross join unnest(%(scopes)s::uuid[]) as scope (id)
cross join lateral (
    select word from memoryapp_scopeword
    where person_id = %(person)s and scope_id = scope.id and word >= wanted.first and word < wanted.after
        and length(word) between wanted.shortest and wanted.longest
    offset 0
) near
where wanted.word not in (select word from known)
"""

NEAREST = 64
"""So many memories are scored that lie nearest by their vectors, whether or not the request meets a word of theirs."""
COVERED_DIMENSION = 1_200
"""Vectors up to here lie in the covering index (a row of an index holds 2,704 bytes), longer ones beside it."""

_NEAR_BY = """
near as materialized (
    select memory_id, {cosine} as cosine from memoryapp_textvector
    where person_id = %(person)s and scope_id = any(%(scopes)s) and is_live and model = %(model)s
        and dimension {side}
),
"""

# The database expects far fewer rows of a scope than there are, and would go through all vectors for each entry. A full
# join, whose other side is then left out, it can only do by hashing or merging.
_WITH_NEAR = "full join near using (memory_id) where coalesce(entry.part, -1) >= 0"

_IS_NEAR = "coalesce(cosine, -3) > (select cosine from edge)"

_SCAN = """
with {near} scan as materialized (
    select memory_id, part, version, kind, state, confirmed_at, kind = 'preference' or pinned as always_on,
        %(kinds)s::text[] is null or kind = any(%(kinds)s) as is_wanted, {cosine} as cosine, {embedded} as is_embedded,
        {products}
    from (
        select * from memoryapp_searchentry
        where person_id = %(person)s and scope_id = any(%(scopes)s)
            and valid_from <= %(now)s and (valid_until is null or valid_until > %(now)s)
    ) entry {join}
), edge as (
    select coalesce((
        select cosine from scan where cosine is not null and part = 0 order by cosine desc offset {nearest} limit 1
    ), -2) as cosine
), total as (
    select count(*) filter (where state = 'current') as memories,
        count(*) filter (where state = 'current' and is_wanted) as offered,
        count(*) filter (where state = 'paused' and is_wanted and not always_on and not {met}) as paused,
        count(*) filter (where state = 'stale' and is_wanted and not always_on and not {met}) as stale,
        count(*) filter (where state = 'current' and not is_embedded) as waiting
    from scan where part = 0
), unmet as (
    select coalesce(string_agg(memory_id || ' ' || version, ','), '') as listed from (
        select memory_id, version from scan
        where not always_on and not {met} and part = 0 and state = 'current' and is_wanted
            and memory_id not in (select memory_id from scan where part > 0 and {met})
        order by confirmed_at desc, memory_id limit {shown}
    ) latest
)
select memories, offered, paused, stale, waiting, listed, null::uuid, null::int, null, null, null::timestamptz,
    null::boolean, null::float, {nothing}
from total, unmet
union all
select null, null, null, null, null, null, memory_id, version, kind, state, confirmed_at, always_on, cosine, {columns}
from scan where always_on or {met}
"""


class Found(NamedTuple):
    """One valid memory in scope, before any text was read. `state` is current, paused or stale."""

    memory_id: UUID
    version: int
    kind: str
    state: str
    confirmed_at: datetime
    always_on: bool
    match: Match
    cosine: float | None


@dataclass(frozen=True, slots=True)
class Scan:
    """What the scopes hold for a request.

    `found` lists all memories that the request meets by a word or that are among the nearest, and those that are always
    on; `unmet` the latest `SHOWN` of the others that may be sent, as `id version`: few ever look at them. `total`
    counts the memories that may be sent, `offered` those among them of the kinds asked for; `unmet_paused` and
    `unmet_stale` those of these kinds that are neither met nor always on and may not be sent. `waiting` counts
    memories whose vectors are still to be made.
    """

    found: list[Found]
    unmet: list[str]
    total: int
    offered: int
    unmet_paused: int
    unmet_stale: int
    waiting: int


def probe_for(request: RequestTerms, *, person_id: UUID, scope_ids: Sequence[UUID]) -> Probe:
    """The request with its unknown words read as the near ones that the scopes hold."""
    may_be_slips = wanted(request)
    parameters: dict[str, Any] = {
        "person": person_id,
        "scopes": list(scope_ids),
        "words": list(request.words),
        "wanted": [one.word for one in may_be_slips],
        "firsts": [one.first for one in may_be_slips],
        "afters": [chr(ord(one.first) + 1) for one in may_be_slips],
        "shortest": [one.shortest for one in may_be_slips],
        "longest": [one.longest for one in may_be_slips],
    }
    with connection.cursor() as cursor:
        cursor.execute(_VOCABULARY, parameters)
        rows = cursor.fetchall()
    known = {word for word, is_known in rows if is_known}
    return resolve(request, known, sorted(word for word, is_known in rows if not is_known))


def scan(
    probe: Probe,
    meaning: Meaning | None,
    *,
    person_id: UUID,
    scope_ids: Sequence[UUID],
    kinds: Sequence[str] | None,
    now: datetime,
) -> Scan:
    """Reads the scopes once, every row of them: no index is asked for neighbours, so none is missed.

    A request without words meets nothing by words.
    """
    meaning = meaning if meaning and meaning.vectors else None
    vectors = [*probe.vectors, *([probe.name_vector] if probe.names else [])]
    columns = [f"product_{i}" for i in range(len(vectors))]
    sql = _SCAN.format(
        products=", ".join(f"-(terms <#> %(vector_{i})s::sparsevec) as {name}" for i, name in enumerate(columns))
        or "0",
        columns=", ".join(columns) or "0",
        nothing=", ".join(["null::float"] * len(columns)) or "0",
        met=f"({' or '.join([_IS_NEAR, *(f'{name} > 0' for name in columns)])})",
        shown=SHOWN,
        nearest=NEAREST,
        near=_near_by(meaning) if meaning else "",
        join=_WITH_NEAR if meaning else "",
        cosine="near.cosine" if meaning else "null::float",
        embedded="near.memory_id is not null" if meaning else "true",
    )
    parameters: dict[str, Any] = {
        "person": person_id,
        "scopes": list(scope_ids),
        "now": now,
        "kinds": list(kinds) if kinds is not None else None,
        "model": meaning and meaning.model,
        **meaning_parameters(meaning),
        **{f"vector_{i}": sparse_vector(one) for i, one in enumerate(vectors)},
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        (total, offered, paused, stale, waiting, listed, *_), *rows = cursor.fetchall()
    found: dict[UUID, Found] = {}
    groups = len(probe.vectors)
    for row in rows:
        memory_id, version, kind, state, confirmed_at, always_on, cosine, *products = row[6:]
        match = probe.match(products[:groups], products[groups] if probe.names else 0)
        other_part = found.get(memory_id)
        if other_part:
            match = _united(match, other_part.match)
        found[memory_id] = Found(memory_id, version, kind, state, confirmed_at, always_on, match, cosine)
    return Scan(list(found.values()), listed.split(",") if listed else [], total, offered, paused, stale, waiting)


def cosine_sql(meaning: Meaning) -> str:
    """The largest cosine of a row's `vector` with those of the request and its parts; null without a vector."""
    return "-least(" + ", ".join(f"vector <#> %(meaning_{i})s::halfvec" for i in range(len(meaning.vectors))) + ")"


def meaning_parameters(meaning: Meaning | None) -> dict[str, str]:
    return {f"meaning_{i}": one for i, one in enumerate(meaning.vectors if meaning else ())}


def _near_by(meaning: Meaning) -> str:
    side = "<=" if meaning.dimension <= COVERED_DIMENSION else ">"
    return _NEAR_BY.format(cosine=cosine_sql(meaning), side=f"{side} {COVERED_DIMENSION}")


def _united(one: Match, other: Match) -> Match:
    return Match(one.exact | other.exact, (one.near | other.near) & ~(one.exact | other.exact), one.names + other.names)
