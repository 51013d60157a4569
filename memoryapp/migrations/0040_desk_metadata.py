"""What the desk reads without a grant: under no grant content tables are empty, and these functions tell the rest.

Each returns ids, times, numbers and verdicts, the names of scopes and keys, and what agents call things; no function
returns a text, a subject, a source or a request. They read the rows of the open person only, as everything does.
"""

from django.db import migrations

# One trace by its id and instant: everything but the request, of which it says whether there was one.
TRACE = """
select trace.id, trace.person_id, trace.created_at, trace.agent_key_id, key.name::text as agent_name,
    trace.scopes::text[], coalesce(trace.query ~ '[^[:space:]]', false) as has_query, trace.session::text,
    trace.agent_request_id::text, trace.as_of, trace.floor, trace.budget, trace.policy_version::text,
    trace.scorer::text, trace.notice::text, trace.items, trace.counts
from memoryapp_retrievaltrace trace left join accounts_agentkey key on key.id = trace.agent_key_id
where trace.id = wanted and trace.created_at = at
"""
# The person's latest traces.
LATEST = """
select id from memoryapp_retrievaltrace order by created_at desc, id desc limit most
"""
# The answer of a trace first, then those of the same name by the same agent, in the order of their traces.
ANSWERS = """
select same.trace_id, same.answer_id::text, same.model::text, same.recorded_at
from memoryapp_answer one
join memoryapp_answer same on same.agent_key_id = one.agent_key_id and same.answer_id = one.answer_id
where one.trace_id = wanted order by same.trace_id <> wanted, same.trace_id limit most
"""
# What became of versions, in the given order: as `trace_view` reads it, without the words.
FATES = """
select version.kind::text, version.scope_name::text, version.text is distinct from head.text,
    head.state::text, head.disputed, least(head.valid_to, head.expires_at) <= now()
from unnest(ids, numbers) with ordinality as wanted (memory_id, number, place)
left join memoryapp_memoryversion version using (memory_id, number)
left join memoryapp_memory head on head.id = wanted.memory_id
order by wanted.place
"""
# By whom and since when versions were paused, for the person's page too. A pause begins with the first paused version
# after the last one that was in use; a new text or a stay in the trash in between does not end it.
PAUSES = """
select wanted.memory_id, began.actor_kind::text, key.name::text, began.recorded_at
from unnest(ids, numbers) as wanted (memory_id, number)
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
# HMAC-SHA256 (RFC 2104) of each version's text, by the key's inner and outer pads.
DIGESTS = """
select memory_id, number, sha256(outer_pad || sha256(inner_pad || convert_to(version.text, 'UTF8')))
from unnest(ids, numbers) as wanted (memory_id, number)
join memoryapp_memoryversion version using (memory_id, number)
"""

_FUNCTIONS = {
    "desk_trace(wanted uuid, at timestamptz)": (
        "id uuid, person_id uuid, created_at timestamptz, agent_key_id uuid, agent_name text, scopes text[],"
        " has_query boolean, session text, agent_request_id text, as_of timestamptz, floor float8, budget jsonb,"
        " policy_version text, scorer text, notice text, items text, counts jsonb",
        TRACE,
    ),
    "desk_latest(most integer)": ("trace_id uuid", LATEST),
    "desk_answers(wanted uuid, most integer)": (
        "trace_id uuid, answer_id text, model text, recorded_at timestamptz",
        ANSWERS,
    ),
    "desk_fates(ids uuid[], numbers integer[])": (
        "kind text, scope_name text, has_changed boolean, state text, is_disputed boolean, has_ended boolean",
        FATES,
    ),
    "pauses_of(ids uuid[], numbers integer[])": (
        "memory_id uuid, kind text, agent text, began_at timestamptz",
        PAUSES,
    ),
    "desk_digests(ids uuid[], numbers integer[], inner_pad bytea, outer_pad bytea)": (
        "memory_id uuid, number integer, digest bytea",
        DIGESTS,
    ),
}


def function(signature: str, columns: str, query: str) -> migrations.RunSQL:
    """It reads as who serves the person, and leaves the transaction under what it was."""
    return migrations.RunSQL(
        f"create function {signature} returns table ({columns}) language plpgsql as $$\n"
        "#variable_conflict use_column\n"
        "declare\n    former text := coalesce(current_setting('app.staff', true), '');\n"
        "begin\n    perform set_config('app.staff', '', true);\n"
        f"    return query {query.strip()};\n"
        "    perform set_config('app.staff', former, true);\nend $$",
        f"drop function {signature}",
    )


# A vector says roughly what its text says.
TABLES = ["memoryapp_textvector", "memoryapp_dispute", "memoryapp_upload"]
READ = """
create policy staff_select on {table} as restrictive for select
using ((select coalesce(current_setting('app.staff', true), '') = '' or staff_may_read()))
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0039_staff_erasable")]

    operations = [
        *[function(signature, columns, query) for signature, (columns, query) in _FUNCTIONS.items()],
        *[migrations.RunSQL(READ.format(table=one), f"drop policy staff_select on {one}") for one in TABLES],
    ]
