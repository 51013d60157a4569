"""The desk is told that there was a conversation and not its name; and of each retrieval what was disputed then.

Agents name conversations as they like, also after what they are about: under a grant that reaches into it, the grant
itself has the name.
"""

from importlib import import_module

from django.db import migrations

_desk = import_module("memoryapp.migrations.0040_desk_metadata")
_SIGNATURE = "desk_trace(wanted uuid, at timestamptz)"
_COLUMNS = (
    "id uuid, person_id uuid, created_at timestamptz, agent_key_id uuid, agent_name text, scopes text[],"
    " has_query boolean, session text, has_session boolean, agent_request_id text, as_of timestamptz, floor float8,"
    " budget jsonb, policy_version text, scorer text, notice text, items text, counts jsonb"
)
TRACE = """
select trace.id, trace.person_id, trace.created_at, trace.agent_key_id, key.name::text as agent_name,
    trace.scopes::text[], coalesce(trace.query ~ '[^[:space:]]', false) as has_query, null::text,
    trace.session is not null as has_session, trace.agent_request_id::text, trace.as_of, trace.floor, trace.budget,
    trace.policy_version::text, trace.scorer::text, trace.notice::text, trace.items, trace.counts
from memoryapp_retrievaltrace trace left join accounts_agentkey key on key.id = trace.agent_key_id
where trace.id = wanted and trace.created_at = at
"""
SESSION = """
select session::text from memoryapp_retrievaltrace trace where trace.id = wanted and trace.created_at = at
"""
# What stood under dispute at an instant in these scopes: no word of it, and the person's page asks for it as well.
DISPUTED = """
select distinct dispute.memory_id from memoryapp_dispute dispute
join memoryapp_memory memory on memory.id = dispute.memory_id
join accounts_scope scope on scope.id = memory.scope_id
where dispute.opened_at <= at and (dispute.decided_at is null or dispute.decided_at > at) and scope.name = any(names)
    and memory.created_at <= at and memory.state <> 'pending'
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0046_content_and_staff")]

    operations = [
        migrations.RunSQL(f"drop function {_SIGNATURE}", _desk.function(_SIGNATURE, *_desk._FUNCTIONS[_SIGNATURE]).sql),
        _desk.function(_SIGNATURE, _COLUMNS, TRACE),
        _desk.function("session_of_trace(wanted uuid, at timestamptz)", "session text", SESSION),
        _desk.function("disputed_then(at timestamptz, names text[])", "memory_id uuid", DISPUTED),
    ]
