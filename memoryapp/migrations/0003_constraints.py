"""What the database holds beyond Django's words: keys that carry the person, the index that retrieval scans, owners."""

from django.db import migrations

PARENTS = {
    "scope": "accounts_scope",
    "memory": "memoryapp_memory",
    "version": "memoryapp_memoryversion",
}
OF_MEMORY = [
    ("memoryapp_memory", "id", "current_version"),
    ("memoryapp_memory", "id", "statement"),
    ("memoryapp_memoryversion", "memory_id", "statement"),
    ("memoryapp_decision", "memory_id", "version"),
]
CHILDREN = [
    ("memoryapp_episode", "scope"),
    ("memoryapp_memory", "scope"),
    ("memoryapp_memoryversion", "scope"),
    ("memoryapp_memoryversion", "memory"),
    ("memoryapp_confirmation", "version"),
    ("memoryapp_decision", "memory"),
    ("memoryapp_tombstone", "memory"),
    ("memoryapp_searchentry", "memory"),
    ("memoryapp_searchentry", "scope"),
    ("memoryapp_scopeword", "scope"),
]


def composite_key(table: str, column: str) -> migrations.RunSQL:
    """A foreign key that carries the person: no row can point into another person's memory."""
    name = f"{table.removeprefix('memoryapp_')}_{column}_of_same_person"
    return migrations.RunSQL(
        f"alter table {table} add constraint {name} foreign key (person_id, {column}_id)"
        f" references {PARENTS[column]} (person_id, id) deferrable initially deferred",
        f"alter table {table} drop constraint {name}",
    )


def version_key(table: str, memory: str, column: str) -> migrations.RunSQL:
    """A foreign key to a version that carries the memory, and by it the person."""
    name = f"{table.removeprefix('memoryapp_')}_{column}_of_same_memory"
    return migrations.RunSQL(
        f"alter table {table} add constraint {name} foreign key ({memory}, {column}_id)"
        " references memoryapp_memoryversion (memory_id, id) deferrable initially deferred",
        f"alter table {table} drop constraint {name}",
    )


COVERING_INDEX = """
create index search_scope_covering on memoryapp_searchentry (person_id, scope_id)
    include (memory_id, part, version, kind, state, pinned, confirmed_at, valid_from, valid_until, terms)
"""

# An index-only scan is only that while the pages are known to be all visible: vacuum sees to it early.
VACUUM_EARLY = """
alter table memoryapp_searchentry set (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 500, autovacuum_vacuum_insert_threshold = 500
);
alter table memoryapp_scopeword set (
    autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_insert_threshold = 1000
);
"""

# Whose is it? The one question that is asked before a person is open; the answer goes no further than the caller's check.
OWNERS = """
create function {name} returns uuid language plpgsql as $$
declare
    former text := coalesce(current_setting('app.wide', true), '');
    owner uuid;
begin
    perform set_config('app.wide', 'owner', true);
    select person_id into owner from {where};
    perform set_config('app.wide', former, true);
    return owner;
end $$;
"""
OWNER_FUNCTIONS = {
    "memory_owner(object_id uuid)": "memoryapp_memory where id = object_id",
    "trace_owner(object_id uuid)": "memoryapp_retrievaltrace where id = object_id and created_at = instant_of(object_id)",
    "answer_owner(key_id uuid, agents_id text)": (
        "memoryapp_answer where agent_key_id = key_id and answer_id = agents_id limit 1"
    ),
}


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0002_traces")]

    operations = [
        *[composite_key(table, column) for table, column in CHILDREN],
        *[version_key(table, memory, column) for table, memory, column in OF_MEMORY],
        migrations.RunSQL(COVERING_INDEX, "drop index search_scope_covering"),
        migrations.RunSQL(VACUUM_EARLY, migrations.RunSQL.noop),
        *[
            migrations.RunSQL(OWNERS.format(name=name, where=where), f"drop function {name}")
            for name, where in OWNER_FUNCTIONS.items()
        ],
        migrations.RunSQL("alter table accounts_ratewindow set unlogged", "alter table accounts_ratewindow set logged"),
    ]
