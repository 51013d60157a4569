"""A person with very many memories, written past the policies in one statement."""

from django.db import connection

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for

GROW = """
insert into memoryapp_memory (
    id, person_id, scope_id, kind, subject, subject_key, state, text, source, source_role, occurred_at, origin, aliases,
    pinned, valid_from, version, versions, seen, disputed, metadata, current_version_id, statement_id, confirmed_at,
    last_said_at, state_by, use_count, created_at, changed_at
)
select
    fresh.id, person_id, scope_id, (array['fact', 'decision', 'preference'])[1 + mod(n, 3)], 's' || n,
    's' || n, 'current', 'Statement ' || n || ' about ' || md5(n::text) || ' and ' || md5('x' || n),
    'I said ' || md5(n::text) || ' then', source_role, occurred_at, (array['stated', 'inferred'])[1 + mod(n, 2)],
    '{one,other}', false, valid_from, 1, 1, 1 + mod(n, 7), false, '{}', fresh.id, fresh.id,
    confirmed_at - n * interval '1 minute', last_said_at, state_by, mod(n, 4), created_at - n * interval '1 minute',
    changed_at
from memoryapp_memory, (select n, gen_random_uuid() as id from generate_series(1, %s) n) fresh
where memoryapp_memory.id = (
    select coalesce(%s::uuid, (select id from memoryapp_memory where person_id = %s order by id limit 1))
)
"""
VERSIONS = """
insert into memoryapp_memoryversion (
    id, memory_id, statement_id, person_id, scope_id, scope_name, kind, subject, subject_key, state, text, source,
    source_role, occurred_at, origin, aliases, pinned, valid_from, number, actor_kind, recorded_at
)
select
    id, id, id, person_id, scope_id, 'personal', kind, subject, subject_key, state, text, source, source_role,
    occurred_at, origin, aliases, pinned, valid_from, 1, 'agent', created_at
from memoryapp_memory where person_id = %s and current_version_id = id
"""
SAID = """
insert into memoryapp_confirmation (
    id, version_id, person_id, said_at, session, turn, source, message_erased, actor_kind, recorded_at
)
select
    gen_random_uuid(), id, person_id, occurred_at, 'session ' || mod(row_number() over (), 500),
    row_number() over () / 500, source, false, 'agent', recorded_at
from memoryapp_memoryversion version
where person_id = %s and not exists (select from memoryapp_confirmation said where said.version_id = version.id)
"""


def grow(actor: Actor, more: int, *, like: str | None = None) -> None:
    """Adds so many like that memory, by default the person's first one, with statements of their own."""
    with acting_for(actor.person_id), connection.cursor() as cursor:
        cursor.execute(GROW, [more, like, actor.person_id])
        # Also so that foreign keys are not checked by a plan that was made while the table was all but empty.
        cursor.execute("analyze memoryapp_memory")
        cursor.execute(VERSIONS, [actor.person_id])
        cursor.execute(SAID, [actor.person_id])
