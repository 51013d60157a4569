"""Which memories of some scopes a request meets by a word: looks at indexes that lie together by scope."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection

from memoryapp.models.search import sparse_vector
from memoryapp.policy.relevance.probe import Match, Probe, resolve, wanted
from memoryapp.policy.relevance.terms import RequestTerms

SHOWN = 200
"""So many memories that a request meets in nothing are listed; the others are only counted."""
NEAREST = 64
"""So many memories are scored that lie nearest by their vectors, whether or not the request meets a word of theirs."""

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

VALID = "valid_from <= %(now)s and (valid_until is null or valid_until > %(now)s)"
ALWAYS_ON = "(kind = 'preference' or pinned)"
WANTED = "(%(kinds)s::text[] is null or kind = any(%(kinds)s))"

# The latest come from an index of their own, so that they cost the same in a scope of any size.
_SCAN = f"""
with scan as materialized (
    select memory_id, part, version, kind, state, confirmed_at, {ALWAYS_ON} as always_on, {WANTED} as is_wanted,
        {{products}}
    from memoryapp_searchentry
    where person_id = %(person)s and scope_id = any(%(scopes)s) and {VALID}
), met as materialized (
    select * from scan where always_on or {{met}}
), latest as (
    select each.* from unnest(%(scopes)s::uuid[]) as scope (id)
    cross join lateral (
        select memory_id, version, confirmed_at from memoryapp_searchentry
        where person_id = %(person)s and scope_id = scope.id and part = 0 and state = 'current' and {VALID}
            and not {ALWAYS_ON} and {WANTED} and memory_id not in (select memory_id from met)
        order by confirmed_at desc, memory_id limit {{latest}}
    ) each
    order by confirmed_at desc, memory_id limit {{latest}}
)
select count(*) filter (where state = 'current'), count(*) filter (where state = 'current' and is_wanted),
    count(*) filter (where state = 'paused' and is_wanted and not always_on),
    count(*) filter (where state = 'stale' and is_wanted and not always_on),
    (select string_agg(memory_id || ' ' || version, ',') from latest),
    null::uuid, null::int, null, null, null::timestamptz, null::boolean, {{nothing}}
from scan where part = 0
union all
select null, null, null, null, null, memory_id, version, kind, state, confirmed_at, always_on, {{columns}} from met
"""


class Found(NamedTuple):
    """One valid memory in scope, before any text was read. `state` is current, paused or stale."""

    memory_id: UUID
    version: int
    kind: str
    state: str
    confirmed_at: datetime
    always_on: bool
    match: Match = Match()


@dataclass(frozen=True, slots=True)
class Scan:
    """What the scopes hold for a request.

    `found` has all memories that the request meets by a word and those that are always on; `latest` the latest `SHOWN`
    and `NEAREST` of the others that may be sent, as `id version`: few ever look at them. `total` counts the memories
    that may be sent, `offered` those among them of the kinds asked for; `paused` and `stale` those of these kinds that
    are not always on and may not be sent.
    """

    found: dict[UUID, Found]
    latest: list[str]
    total: int
    offered: int
    paused: int
    stale: int


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
    probe: Probe, *, person_id: UUID, scope_ids: Sequence[UUID], kinds: Collection[str] | None, now: datetime
) -> Scan:
    """Reads the scopes once, every row of them. A request without words meets nothing by words."""
    vectors = [*probe.vectors, *([probe.name_vector] if probe.names else [])]
    columns = [f"product_{i}" for i in range(len(vectors))]
    sql = _SCAN.format(
        products=", ".join(f"-(terms <#> %(vector_{i})s::sparsevec) as {name}" for i, name in enumerate(columns))
        or "0",
        columns=", ".join(columns) or "0",
        nothing=", ".join(["null::float"] * len(columns)) or "0",
        met=" or ".join(f"{name} > 0" for name in columns) or "false",
        latest=SHOWN + NEAREST,
    )
    parameters: dict[str, Any] = {
        "person": person_id,
        "scopes": list(scope_ids),
        "now": now,
        "kinds": list(kinds) if kinds is not None else None,
        **{f"vector_{i}": sparse_vector(one) for i, one in enumerate(vectors)},
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        (total, offered, paused, stale, latest, *_), *rows = cursor.fetchall()
    found: dict[UUID, Found] = {}
    matches: dict[tuple[float, ...], Match] = {}
    groups = len(probe.vectors)
    for row in rows:
        products = row[11:]
        match = matches.get(products)
        if match is None:
            match = matches[products] = probe.match(products[:groups], products[groups] if probe.names else 0)
        memory_id, version, kind, state, confirmed_at, always_on = row[5:11]
        if other_part := found.get(memory_id):
            match = _united(match, other_part.match)
        found[memory_id] = Found(memory_id, version, kind, state, confirmed_at, always_on, match)
    return Scan(found, latest.split(",") if latest else [], total, offered, paused, stale)


def _united(one: Match, other: Match) -> Match:
    return Match(one.exact | other.exact, (one.near | other.near) & ~(one.exact | other.exact), one.names + other.names)
