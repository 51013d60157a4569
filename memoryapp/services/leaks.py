"""The leak monitor: what retrievals sent is held against what they were allowed to send, long after and from outside.

It trusts none of the code that retrieves: one statement compares the traces with the versions, scopes, keys and
switches that they name, past row-level security.
"""

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.db import connection

from accounts.actors import Actor
from memoryapp.database.isolation import SYSTEM, wide_access
from memoryapp.models import AuditEvent
from memoryapp.services import audit
from memoryapp.services.locking import writing_for

log = logging.getLogger(__name__)

LOOKED_BACK = timedelta(days=2)
"""The daily check sees every retrieval, also when one check was left out."""
SLACK = timedelta(seconds=5)
"""A retrieval and a change at the same time may be seen in either order; hosts' clocks differ."""

# What was erased since cannot be compared any more: there is nothing left of it that could have leaked.
# A scope that was renamed since is known by its names of then and now; in between its name is not held against it.
_LEAKS = """
with sent as materialized (
    select trace.id, trace.person_id, trace.agent_key_id, trace.scopes, trace.created_at,
        coalesce(trace.as_of, trace.created_at) as at, (item->>0)::uuid as memory_id, (item->>1)::int as number
    from memoryapp_retrievaltrace trace
    cross join lateral jsonb_array_elements(trace.items::jsonb) item
    where trace.created_at >= %(since)s and trace.created_at < %(until)s
        and jsonb_typeof(item) = 'array' and item->>2 = 'included'
), switched as materialized (
    select object_id, at, verb from memoryapp_auditevent where verb in ('use_on', 'use_off') and at < %(until)s
), renamed as materialized (
    select object_id, max(at) as at from memoryapp_auditevent
    where verb = 'rename' and object_type = 'scope' and at >= %(since)s group by object_id
), weighed as (
    select sent.id, sent.person_id, sent.memory_id, case
        when version.person_id <> sent.person_id then 'person'
        when key.person_id <> sent.person_id or key.person_id is null and key.namespace <> person.namespace then 'key'
        when version.scope_name <> 'personal' and scope.name is distinct from 'personal'
            and not array[version.scope_name, scope.name]::text[] && sent.scopes::text[]
            and renamed.object_id is null then 'scope'
        when not array[version.scope_name, scope.name]::text[] && key.scopes::text[]
            and renamed.object_id is null then 'key'
        when version.state <> 'current' then 'state'
        when version.recorded_at > sent.at + %(slack)s::interval
            or version.closed_at < sent.at - %(slack)s::interval then 'time'
        when exists (
            select from switched off where off.object_id in (version.scope_id, sent.person_id) and off.verb = 'use_off'
                and off.at < sent.created_at - %(slack)s::interval and not exists (
                    select from switched later where later.object_id = off.object_id and later.verb = 'use_on'
                        and later.at > off.at and later.at < sent.created_at + %(slack)s::interval
                )
        ) then 'switch'
    end as problem
    from sent
    join memoryapp_memoryversion version on version.memory_id = sent.memory_id and version.number = sent.number
    join accounts_user person on person.id = sent.person_id
    left join accounts_scope scope on scope.id = version.scope_id
    left join accounts_agentkey key on key.id = sent.agent_key_id
    left join renamed on renamed.object_id = version.scope_id and renamed.at > sent.created_at
)
select person_id, id, memory_id, problem from weighed where problem is not null order by person_id, id, memory_id
"""
_HOW_MANY = "select count(*) from memoryapp_retrievaltrace where created_at >= %s and created_at < %s"


@dataclass(frozen=True, slots=True)
class Leak:
    """One memory that a retrieval sent and should not have.

    `problem`: `person` it is another person's; `key` the agent may not act for that person or in that scope; `scope`
    that scope was not asked for; `state` it was paused, pending or the like; `time` it was not on record then;
    `switch` use was off.
    """

    person_id: UUID
    trace_id: UUID
    memory_id: UUID
    problem: str


def find_leaks(since: datetime, until: datetime) -> tuple[int, list[Leak]]:
    """How many retrievals of [since, until) there were, and what of them should not have been sent."""
    with wide_access("leaks"), connection.cursor() as cursor:
        cursor.execute(_HOW_MANY, [since, until])
        looked_at: int = cursor.fetchone()[0]
        cursor.execute(_LEAKS, {"since": since, "until": until, "slack": f"{SLACK.total_seconds()} seconds"})
        return looked_at, [Leak(*row) for row in cursor.fetchall()]


def watch_leaks(now: datetime | None = None, *, back: timedelta = LOOKED_BACK) -> list[Leak]:
    """Checks the latest retrievals; each that leaked is an event of its person's audit once, the check one of its own.

    Returns all that leaked in that time, known ones too.
    """
    until = (now or datetime.now(UTC)) - SLACK
    looked_at, leaks = find_leaks(until - back, until)
    for person_id, theirs in groupby(leaks, key=lambda leak: leak.person_id):
        _note(person_id, theirs)
    with writing_for(SYSTEM) as at:
        summary = f"{looked_at} retrievals, {len(leaks)} leaks"
        audit.record("check_leaks", "trace", None, actor=Actor("system"), at=at, reason=summary)
    if leaks:
        log.error("%d memories were sent where they were not allowed: see the audit for leak_found", len(leaks))
    return leaks


def _note(person_id: UUID, leaks: Iterable[Leak]) -> None:
    actor = Actor("system", person_id=person_id)
    with writing_for(person_id) as at:
        known = set(AuditEvent.objects.visible_to(actor).filter(verb="leak_found").values_list("object_id", flat=True))
        for trace_id, of_one in groupby(leaks, key=lambda leak: leak.trace_id):
            if trace_id not in known:
                problems = "+".join(sorted({leak.problem for leak in of_one}))
                audit.record("leak_found", "trace", trace_id, actor=actor, at=at, reason=problems)


@dataclass(frozen=True, slots=True)
class LeakFigures:
    """`found`: retrievals ever noted as leaking. `checked_at`: when the check last ran, None for never."""

    found: int
    checked_at: datetime | None


def leak_figures() -> LeakFigures:
    """For the operator's alert. Read from the audit, so that it is one truth for all workers and hosts."""
    with wide_access("leak_figures"), connection.cursor() as cursor:
        cursor.execute(
            "select count(*) filter (where verb = 'leak_found'), max(at) filter (where verb = 'check_leaks')"
            " from memoryapp_auditevent where verb in ('leak_found', 'check_leaks')"
        )
        found, checked_at = cursor.fetchone()
    return LeakFigures(found, checked_at)
