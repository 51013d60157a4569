"""A store of a given size, loaded in bulk past the policies, its scopes scattered through the tables as in life."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import psycopg
from psycopg import sql

from memoryapp.embedding import MiniLM
from memoryapp.policy.normal import normal_form
from memoryapp.policy.relevance.terms import ANALYSIS
from tests.bench.statements import Statement, statements_of

SCOPE = "atlas"
SMALL, LARGE, HUGE = 100, 1_000, 10_000
DIMENSION = 384
_HALF_LARGE = 2_000
"""Of so many memories half lie in one large scope and half in ten small ones."""


@dataclass(frozen=True, slots=True)
class Person:
    """`serial` counts the persons of a store, `number` those with a scope of this size.

    `size` is how many memories the person's one project has; the personal scope is empty. Persons of the same number
    and size remember the same in every store.
    """

    serial: int
    number: int
    size: int

    @property
    def external_id(self) -> str:
        return f"person-{self.serial}"

    @property
    def statements(self) -> list[int]:
        return statements_of(self.number, self.size)


def people_of(memories: int) -> list[Person]:
    """So many memories in large and small scopes, and one person more with a huge one."""
    large = memories // _HALF_LARGE
    persons = [*((n, LARGE) for n in range(large)), *((n, SMALL) for n in range(large * LARGE // SMALL)), (0, HUGE)]
    return [Person(serial, number, size) for serial, (number, size) in enumerate(persons)]


def load(connection: psycopg.Connection, people: Sequence[Person], statements: Sequence[Statement]) -> None:
    """Fills the tables in one transaction. A superuser skips the checks of foreign keys, another role pays for them."""
    placed = [(person.serial, statement) for person in people for statement in person.statements]
    random.Random(len(placed)).shuffle(placed)
    with connection.transaction():
        if connection.execute("select rolsuper from pg_roles where rolname = current_user").fetchone() == (True,):
            connection.execute("set local session_replication_role = replica")
        connection.execute("select set_config('app.wide', 'bench', true)")
        connection.execute(_STAGING)
        with connection.cursor().copy(
            "copy said (number, kind, subject, subject_key, text, terms, words, meaning) from stdin"
        ) as copy:
            for number, (one, meaning) in enumerate(zip(statements, _meanings(len(statements)), strict=True)):
                subject_key = normal_form(one.subject)
                copy.write_row((number, one.kind, one.subject, subject_key, one.text, one.terms, one.words, meaning))
        with connection.cursor().copy("copy placed (person, statement) from stdin") as copy:
            for row in placed:
                copy.write_row(row)
        connection.execute(_PEOPLE)
        for statement in _FILL:
            connection.execute(statement)
    for table in _TABLES:
        connection.execute(sql.SQL("vacuum (analyze) {}").format(sql.Identifier(table)))


def _meanings(count: int) -> Iterator[str]:
    """Directions at random: a scan takes as long for them as for those of a model."""
    for vector in np.random.default_rng(count).standard_normal((count, DIMENSION)) / DIMENSION**0.5:
        yield "[" + ",".join(f"{value:.3g}" for value in vector) + "]"


_TABLES = (
    *("accounts_user", "accounts_scope", "memoryapp_memory", "memoryapp_memoryversion", "memoryapp_confirmation"),
    *("memoryapp_searchentry", "memoryapp_scopeword", "memoryapp_textvector"),
)

_STAGING = """
create temp table said (
    number int primary key, kind text, subject text, subject_key text, text text, terms text, words text[],
    meaning text
) on commit drop;
create temp table placed (n int generated always as identity, person int, statement int) on commit drop;
"""

# Version 7 ids whose time grows with n, as those of a store that grew.
_PEOPLE = """
create function pg_temp.id_of(n int, what text) returns uuid language sql immutable as $$
    select (lpad(to_hex(1700000000000 + n * 50000::bigint), 12, '0') || '7' || substr(md5(what || n), 1, 3)
        || '8' || substr(md5(what || n), 4, 15))::uuid
$$;
insert into accounts_user (
    id, namespace, external_id, password, is_superuser, is_staff, is_active, learning, use, digest_key
)
select distinct on (person) pg_temp.id_of(person, 'person'), 'default', 'person-' || person, '!', false, false, true,
    true, true, decode(repeat(md5('key' || person), 2), 'hex')
from placed;
insert into accounts_scope (id, person_id, name, learning, use)
select pg_temp.id_of(person, name), pg_temp.id_of(person, 'person'), name, true, true
from (select distinct person from placed) one, unnest(array['personal', 'atlas']) name;
create temp table entry on commit drop as
select n, pg_temp.id_of(n, 'memory') as id, pg_temp.id_of(n, 'version') as version_id,
    pg_temp.id_of(person, 'person') as person_id, pg_temp.id_of(person, 'atlas') as scope_id,
    to_timestamp(1700000000 + n * 50::bigint) as at, said.*
from placed join said on said.number = placed.statement order by n;
"""

_FILL = (
    """
    insert into memoryapp_memory (
        id, person_id, scope_id, kind, subject, subject_key, state, text, source, source_role, occurred_at, origin,
        aliases, pinned, valid_from, version, versions, seen, disputed, metadata, current_version_id, statement_id,
        confirmed_at, last_said_at, state_by, use_count, created_at, changed_at
    )
    select id, person_id, scope_id, kind, subject, subject_key, 'current', text, text, 'user', at, 'stated',
        '{}', false, at, 1, 1, 1, false, '{}', version_id, version_id, at, at, 'agent', 0, at, at
    from entry order by n
    """,
    """
    insert into memoryapp_memoryversion (
        id, person_id, memory_id, scope_id, scope_name, kind, subject, subject_key, state, text, source, source_role,
        occurred_at, origin, aliases, pinned, valid_from, number, statement_id, actor_kind, recorded_at
    )
    select version_id, person_id, id, scope_id, 'atlas', kind, subject, subject_key, 'current', text, text, 'user',
        at, 'stated', '{}', false, at, 1, version_id, 'agent', at
    from entry order by n
    """,
    """
    insert into memoryapp_confirmation (
        id, person_id, version_id, said_at, source, actor_kind, recorded_at, message_erased
    )
    select pg_temp.id_of(n, 'said'), person_id, version_id, at, text, 'agent', at, false from entry order by n
    """,
    f"""
    insert into memoryapp_searchentry (
        person_id, memory_id, part, scope_id, version, kind, state, pinned, confirmed_at, valid_from, terms, words,
        analysis
    )
    select person_id, id, 0, scope_id, 1, kind, 'current', false, at, at, terms::sparsevec, words, {ANALYSIS}
    from entry order by n
    """,
    f"""
    insert into memoryapp_textvector (statement_id, person_id, memory_id, scope_id, is_live, model, dimension, vector)
    select version_id, person_id, id, scope_id, true, '{MiniLM.model}', {DIMENSION}, meaning::halfvec
    from entry order by n
    """,
    """
    insert into memoryapp_scopeword (person_id, scope_id, word, memories)
    select person_id, scope_id, word, count(*) from entry, unnest(words) word
    group by person_id, scope_id, word order by min(n), word
    """,
)
