"""Traces, partitioned by month from the start, so that retention drops a partition."""

from typing import Any

import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import accounts.ids

# After a commit the setting is '' and not null. A custom setting costs nothing to read; the planner inlines this.
IS_OPEN = """
create function is_open(person uuid) returns boolean language sql stable as $$
    select person = nullif(current_setting('app.person', true), '')::uuid
        or nullif(current_setting('app.wide', true), '') is not null
$$
"""

# Wide access may read and delete, for a reason; what is written belongs to the open person.
IS_OWN = """
create function is_own(person uuid) returns boolean language sql stable as $$
    select person = nullif(current_setting('app.person', true), '')::uuid
$$
"""

INSTANT_OF = """
create function instant_of(id uuid) returns timestamptz language sql immutable strict as $$
    select timestamptz 'epoch'
        + ('x' || left(replace(id::text, '-', ''), 12))::bit(48)::bigint * interval '1 millisecond'
$$
"""

TABLE = """
create table memoryapp_retrievaltrace (
    id uuid not null,
    created_at timestamptz not null,
    person_id uuid not null references accounts_user (id) deferrable initially deferred,
    agent_key_id uuid references accounts_agentkey (id) deferrable initially deferred,
    scopes varchar(128)[] not null,
    query text,
    session varchar(256),
    agent_request_id varchar(256),
    as_of timestamptz,
    floor double precision not null,
    budget jsonb not null,
    policy_version varchar(16) not null,
    scorer varchar(32) not null,
    notice varchar(32),
    items text not null,
    counts jsonb not null,
    primary key (id, created_at),
    constraint trace_instant_in_id check (created_at = instant_of(id))
) partition by range (created_at);
create index trace_by_person on memoryapp_retrievaltrace (person_id, created_at);
alter table memoryapp_retrievaltrace enable row level security, force row level security;
create policy one_person on memoryapp_retrievaltrace using (is_open(person_id)) with check (is_own(person_id));
"""

# A partition can be named directly, past its parent's policy: so each has its own.
PARTITIONS = """
create function secure_trace_partition(partition regclass) returns void language plpgsql as $$
begin
    execute format('alter table %s enable row level security, force row level security', partition);
    execute format('create policy one_person on %s using (is_open(person_id)) with check (is_own(person_id))', partition);
end $$;
create function create_trace_partition(month date) returns void language plpgsql as $$
declare
    partition text := 'memoryapp_retrievaltrace_' || to_char(month, 'YYYY_MM');
begin
    if to_regclass(partition) is null then
        execute format(
            'create table %I partition of memoryapp_retrievaltrace for values from (%L) to (%L)', partition,
            to_char(month, 'YYYY-MM-01') || ' 00:00+00',
            to_char(month + interval '1 month', 'YYYY-MM-01') || ' 00:00+00'
        );
        perform secure_trace_partition(partition::regclass);
    end if;
end $$;
create table memoryapp_retrievaltrace_rest partition of memoryapp_retrievaltrace default;
select secure_trace_partition('memoryapp_retrievaltrace_rest');
"""
UNDO = """
drop table memoryapp_retrievaltrace;
drop function create_trace_partition(date);
drop function secure_trace_partition(regclass);
drop function is_open(uuid);
drop function is_own(uuid);
drop function instant_of(uuid);
"""


def create_partitions(apps: Any, schema_editor: Any) -> None:
    """Thirteen months from the current one; `maintain` creates further ones in time."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(
            "select create_trace_partition((date_trunc('month', now()) + ahead * interval '1 month')::date)"
            " from generate_series(0, 12) ahead"
        )


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0001_store")]

    operations = [
        migrations.RunSQL(IS_OPEN, migrations.RunSQL.noop),
        migrations.RunSQL(IS_OWN, migrations.RunSQL.noop),
        migrations.RunSQL(INSTANT_OF, migrations.RunSQL.noop),
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunSQL(TABLE + PARTITIONS, UNDO)],
            state_operations=[
                migrations.CreateModel(
                    name="RetrievalTrace",
                    fields=[
                        (
                            "pk",
                            models.CompositePrimaryKey(
                                "id", "created_at", blank=True, editable=False, primary_key=True, serialize=False
                            ),
                        ),
                        ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False)),
                        ("created_at", models.DateTimeField(editable=False)),
                        (
                            "scopes",
                            django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=128)),
                        ),
                        ("query", models.TextField(null=True)),
                        ("session", models.CharField(max_length=256, null=True)),
                        ("agent_request_id", models.CharField(max_length=256, null=True)),
                        ("as_of", models.DateTimeField(null=True)),
                        ("floor", models.FloatField()),
                        ("budget", models.JSONField()),
                        ("policy_version", models.CharField(max_length=16)),
                        ("scorer", models.CharField(max_length=32)),
                        ("notice", models.CharField(max_length=32, null=True)),
                        ("items", models.TextField()),
                        ("counts", models.JSONField()),
                        (
                            "agent_key",
                            models.ForeignKey(
                                db_index=False,
                                null=True,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to="accounts.agentkey",
                            ),
                        ),
                        (
                            "person",
                            models.ForeignKey(
                                db_index=False,
                                on_delete=django.db.models.deletion.PROTECT,
                                related_name="+",
                                to=settings.AUTH_USER_MODEL,
                            ),
                        ),
                    ],
                ),
                migrations.AddIndex(
                    model_name="retrievaltrace",
                    index=models.Index(models.F("person"), models.F("created_at"), name="trace_by_person"),
                ),
            ],
        ),
        migrations.RunPython(create_partitions, migrations.RunPython.noop),
        pgtrigger.migrations.AddTrigger(
            model_name="retrievaltrace",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="3761df26e18f175cff5d5233371a8b3b617eceec",
                    operation="UPDATE",
                    pgid="pgtrigger_append_only_update_8333e",
                    table="memoryapp_retrievaltrace",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="retrievaltrace",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                    hash="cec375c7eb71c082ab4c330039650a32987baea9",
                    operation="DELETE",
                    pgid="pgtrigger_append_only_delete_25921",
                    table="memoryapp_retrievaltrace",
                    when="BEFORE",
                ),
            ),
        ),
    ]
