import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import accounts.ids
import memoryapp.models.search
from memoryapp.migrations._together import Together


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_people"),
        ("accounts", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditHead",
            fields=[
                ("person_id", models.UUIDField(primary_key=True, serialize=False)),
                ("seq", models.BigIntegerField()),
                ("digest", models.BinaryField(max_length=32)),
            ],
        ),
        migrations.CreateModel(
            name="Confirmation",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("said_at", models.DateTimeField()),
                ("session", models.CharField(max_length=256, null=True)),
                ("turn", models.IntegerField(null=True)),
                ("source", models.TextField(null=True)),
                ("actor_kind", models.CharField(max_length=16)),
                ("recorded_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Decision",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("action", models.CharField(max_length=16)),
                ("rule", models.CharField(max_length=32)),
                ("policy_version", models.CharField(max_length=16)),
                ("kind", models.CharField(max_length=64)),
                ("scope_name", models.CharField(max_length=128, null=True)),
                ("subject", models.CharField(max_length=200, null=True)),
                (
                    "subject_key",
                    models.TextField(
                        help_text="Only where a slot is to remember a word that changed nothing.", null=True
                    ),
                ),
                ("said_at", models.DateTimeField(null=True)),
                ("text", models.TextField(null=True)),
                ("source", models.TextField(null=True)),
                ("source_role", models.CharField(max_length=16, null=True)),
                ("origin", models.CharField(max_length=16)),
                ("session", models.CharField(max_length=256, null=True)),
                ("turn", models.IntegerField(null=True)),
                ("actor_kind", models.CharField(max_length=16)),
                ("recorded_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Episode",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("session", models.CharField(max_length=256)),
                ("turn", models.IntegerField()),
                (
                    "role",
                    models.CharField(
                        choices=[("user", "User"), ("assistant", "Assistant"), ("tool", "Tool"), ("system", "System")],
                        max_length=16,
                    ),
                ),
                ("content", models.TextField()),
                ("occurred_at", models.DateTimeField()),
                (
                    "recorded_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
        ),
        migrations.CreateModel(
            name="IdempotencyRecord",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("key", models.CharField(max_length=128)),
                ("fingerprint", models.BinaryField(max_length=32)),
                ("status", models.SmallIntegerField()),
                ("body", models.JSONField()),
                ("memory_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField())),
                ("created_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Memory",
            fields=[
                ("kind", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=200)),
                ("subject_key", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("current", "Current"),
                            ("pending", "Pending"),
                            ("paused", "Paused"),
                            ("stale", "Stale"),
                            ("closed", "Closed"),
                            ("forgotten", "Forgotten"),
                        ],
                        max_length=16,
                    ),
                ),
                ("text", models.TextField()),
                ("source", models.TextField(null=True)),
                ("source_role", models.CharField(default="user", max_length=16)),
                ("session", models.CharField(max_length=256, null=True)),
                ("turn", models.IntegerField(null=True)),
                ("occurred_at", models.DateTimeField()),
                ("origin", models.CharField(max_length=16)),
                ("reason", models.TextField(null=True)),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=80), default=list),
                ),
                ("importance", models.SmallIntegerField(null=True)),
                ("pinned", models.BooleanField(default=False)),
                ("valid_from", models.DateTimeField()),
                ("valid_to", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("version", models.IntegerField(default=1)),
                ("versions", models.IntegerField(default=1)),
                ("seen", models.IntegerField(default=1)),
                ("pending_rule", models.CharField(max_length=32, null=True)),
                ("disputed", models.BooleanField(default=False)),
                ("metadata", models.JSONField(default=dict)),
                ("confirmed_at", models.DateTimeField()),
                ("last_said_at", models.DateTimeField(null=True)),
                ("last_said_session", models.CharField(max_length=256, null=True)),
                ("last_said_turn", models.IntegerField(null=True)),
                ("state_by", models.CharField(max_length=16)),
                ("pinned_by", models.CharField(max_length=16, null=True)),
                ("last_used_at", models.DateTimeField(null=True)),
                ("use_count", models.IntegerField(default=0)),
                ("created_at", models.DateTimeField()),
                ("changed_at", models.DateTimeField()),
                ("forgotten_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="MemoryVersion",
            fields=[
                ("kind", models.CharField(max_length=64)),
                ("subject", models.CharField(max_length=200)),
                ("subject_key", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("current", "Current"),
                            ("pending", "Pending"),
                            ("paused", "Paused"),
                            ("stale", "Stale"),
                            ("closed", "Closed"),
                            ("forgotten", "Forgotten"),
                        ],
                        max_length=16,
                    ),
                ),
                ("text", models.TextField()),
                ("source", models.TextField(null=True)),
                ("source_role", models.CharField(default="user", max_length=16)),
                ("session", models.CharField(max_length=256, null=True)),
                ("turn", models.IntegerField(null=True)),
                ("occurred_at", models.DateTimeField()),
                ("origin", models.CharField(max_length=16)),
                ("reason", models.TextField(null=True)),
                (
                    "aliases",
                    django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=80), default=list),
                ),
                ("importance", models.SmallIntegerField(null=True)),
                ("pinned", models.BooleanField(default=False)),
                ("valid_from", models.DateTimeField()),
                ("valid_to", models.DateTimeField(null=True)),
                ("expires_at", models.DateTimeField(null=True)),
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("number", models.IntegerField()),
                ("scope_name", models.CharField(max_length=128)),
                ("actor_kind", models.CharField(max_length=16)),
                ("recorded_at", models.DateTimeField()),
                ("closed_at", models.DateTimeField(null=True)),
                ("closes_at", models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name="SearchEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("part", models.SmallIntegerField(default=0)),
                ("version", models.IntegerField()),
                ("kind", models.CharField(max_length=64)),
                ("state", models.CharField(max_length=16)),
                ("pinned", models.BooleanField()),
                ("confirmed_at", models.DateTimeField()),
                ("valid_from", models.DateTimeField()),
                ("valid_until", models.DateTimeField(help_text="The earlier of valid_to and expires_at.", null=True)),
                ("terms", memoryapp.models.search.SparseVectorField()),
                (
                    "words",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.TextField(),
                        help_text="In part 0: the words that `ScopeWord` counts for this memory.",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Tombstone",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("digest", models.BinaryField(max_length=32, null=True)),
                ("kind", models.CharField(max_length=64)),
                ("scope_name", models.CharField(max_length=128)),
                ("subject_key", models.TextField()),
                ("recorded_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Answer",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("answer_id", models.CharField(max_length=256)),
                ("trace_id", models.UUIDField()),
                ("model", models.CharField(max_length=256, null=True)),
                ("text", models.TextField(null=True)),
                ("recorded_at", models.DateTimeField()),
                (
                    "agent_key",
                    models.ForeignKey(
                        db_index=False,
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
        migrations.CreateModel(
            name="AuditEvent",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("person_id", models.UUIDField()),
                ("seq", models.BigIntegerField()),
                ("at", models.DateTimeField()),
                ("actor_kind", models.CharField(max_length=16)),
                ("actor_id", models.UUIDField(null=True)),
                ("verb", models.CharField(max_length=32)),
                ("object_type", models.CharField(max_length=32)),
                ("object_id", models.UUIDField(null=True)),
                ("reason", models.CharField(max_length=64, null=True)),
                ("digest", models.BinaryField(max_length=32)),
            ],
            options={
                "constraints": [models.UniqueConstraint(models.F("person_id"), models.F("seq"), name="audit_seq_once")],
            },
        ),
        Together(
            [
                pgtrigger.migrations.AddTrigger(
                    model_name="auditevent",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="d4284f28e4df7675b040db59f95330045067f044",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_087eb",
                            table="memoryapp_auditevent",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="auditevent",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="f8f1427ec9cb10ba0f1abeb7404d2c891b4c98ca",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_1d6e2",
                            table="memoryapp_auditevent",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddField(
                    model_name="confirmation",
                    name="agent_key",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.agentkey",
                    ),
                ),
                migrations.AddField(
                    model_name="confirmation",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="decision",
                    name="agent_key",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.agentkey",
                    ),
                ),
                migrations.AddField(
                    model_name="decision",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="episode",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="episode",
                    name="scope",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.scope",
                    ),
                ),
                migrations.AddField(
                    model_name="idempotencyrecord",
                    name="agent_key",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.agentkey",
                    ),
                ),
                migrations.AddField(
                    model_name="idempotencyrecord",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="memory",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="memory",
                    name="scope",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.scope",
                    ),
                ),
                migrations.AddField(
                    model_name="decision",
                    name="memory",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memory",
                    ),
                ),
                migrations.AddField(
                    model_name="memoryversion",
                    name="agent_key",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="accounts.agentkey",
                    ),
                ),
                migrations.AddField(
                    model_name="memoryversion",
                    name="memory",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memory",
                    ),
                ),
                migrations.AddField(
                    model_name="memoryversion",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="memoryversion",
                    name="scope",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.scope",
                    ),
                ),
                migrations.AddField(
                    model_name="memoryversion",
                    name="statement",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memoryversion",
                    ),
                ),
                migrations.AddField(
                    model_name="memory",
                    name="current_version",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memoryversion",
                    ),
                ),
                migrations.AddField(
                    model_name="memory",
                    name="statement",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memoryversion",
                    ),
                ),
                migrations.AddField(
                    model_name="decision",
                    name="version",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memoryversion",
                    ),
                ),
                migrations.AddField(
                    model_name="confirmation",
                    name="version",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memoryversion",
                    ),
                ),
            ]
        ),
        migrations.CreateModel(
            name="ScopeWord",
            fields=[
                (
                    "pk",
                    models.CompositePrimaryKey(
                        "scope", "word", blank=True, editable=False, primary_key=True, serialize=False
                    ),
                ),
                ("word", models.TextField(db_collation="C")),
                ("memories", models.IntegerField()),
                (
                    "person",
                    models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "scope",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.scope",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        Together(
            [
                migrations.AddField(
                    model_name="searchentry",
                    name="memory",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memory",
                    ),
                ),
                migrations.AddField(
                    model_name="searchentry",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="searchentry",
                    name="scope",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="accounts.scope",
                    ),
                ),
                migrations.AddField(
                    model_name="tombstone",
                    name="memory",
                    field=models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memory",
                    ),
                ),
                migrations.AddField(
                    model_name="tombstone",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddIndex(
                    model_name="answer",
                    index=models.Index(models.F("agent_key"), models.F("answer_id"), name="answer_by_agents_id"),
                ),
                migrations.AddConstraint(
                    model_name="answer",
                    constraint=models.UniqueConstraint(models.F("trace_id"), name="answer_one_per_trace"),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="answer",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="5a8ab32c84815955e12afdc2c10399e883b9ab97",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_a46d4",
                            table="memoryapp_answer",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="answer",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="b5d38893c4c928d3f93e569441cb8fdbef4d4633",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_a1f80",
                            table="memoryapp_answer",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddConstraint(
                    model_name="episode",
                    constraint=models.UniqueConstraint(
                        models.F("person"),
                        models.F("session"),
                        models.F("turn"),
                        models.F("scope"),
                        name="episode_once_per_turn_of_a_scope",
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="episode",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="50c9d30760eca18a2f8726f63157d099f57ace86",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_3ece7",
                            table="memoryapp_episode",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="episode",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="d0c4e09b2df40358a3ff5b654c6272e67f27326c",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_5f0e7",
                            table="memoryapp_episode",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddIndex(
                    model_name="idempotencyrecord",
                    index=models.Index(models.F("created_at"), name="idempotency_by_age"),
                ),
                migrations.AddConstraint(
                    model_name="idempotencyrecord",
                    constraint=models.UniqueConstraint(
                        models.F("agent_key"), models.F("key"), name="idempotency_key_once"
                    ),
                ),
                migrations.AddIndex(
                    model_name="memoryversion",
                    index=models.Index(
                        models.F("person"), models.F("scope"), models.F("recorded_at"), name="version_by_scope"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memoryversion",
                    constraint=models.UniqueConstraint(
                        models.F("memory"), models.F("number"), name="version_number_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memoryversion",
                    constraint=models.UniqueConstraint(models.F("person"), models.F("id"), name="version_with_person"),
                ),
                migrations.AddConstraint(
                    model_name="memoryversion",
                    constraint=models.UniqueConstraint(models.F("memory"), models.F("id"), name="version_with_memory"),
                ),
                migrations.AddConstraint(
                    model_name="memoryversion",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("valid_to__isnull", True), ("valid_to__gte", models.F("valid_from")), _connector="OR"
                        ),
                        name="version_validity_in_order",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memoryversion",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("closes_at__isnull", True), ("closes_at__gte", models.F("valid_from")), _connector="OR"
                        ),
                        name="version_closes_in_order",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memoryversion",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("closed_at__isnull", True), ("closed_at__gte", models.F("recorded_at")), _connector="OR"
                        ),
                        name="version_recording_in_order",
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="memoryversion",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition='WHEN (OLD."actor_kind" IS DISTINCT FROM (NEW."actor_kind") OR OLD."agent_key_id" IS DISTINCT FROM (NEW."agent_key_id") OR OLD."aliases" IS DISTINCT FROM (NEW."aliases") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."importance" IS DISTINCT FROM (NEW."importance") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."memory_id" IS DISTINCT FROM (NEW."memory_id") OR OLD."number" IS DISTINCT FROM (NEW."number") OR OLD."occurred_at" IS DISTINCT FROM (NEW."occurred_at") OR OLD."origin" IS DISTINCT FROM (NEW."origin") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."pinned" IS DISTINCT FROM (NEW."pinned") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."recorded_at" IS DISTINCT FROM (NEW."recorded_at") OR OLD."scope_id" IS DISTINCT FROM (NEW."scope_id") OR OLD."scope_name" IS DISTINCT FROM (NEW."scope_name") OR OLD."session" IS DISTINCT FROM (NEW."session") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_role" IS DISTINCT FROM (NEW."source_role") OR OLD."state" IS DISTINCT FROM (NEW."state") OR OLD."statement_id" IS DISTINCT FROM (NEW."statement_id") OR OLD."subject" IS DISTINCT FROM (NEW."subject") OR OLD."subject_key" IS DISTINCT FROM (NEW."subject_key") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."turn" IS DISTINCT FROM (NEW."turn") OR OLD."valid_from" IS DISTINCT FROM (NEW."valid_from") OR OLD."valid_to" IS DISTINCT FROM (NEW."valid_to"))',
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="fe9efca5cb785a0df084f157206968ab1a0b649d",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_ecca7",
                            table="memoryapp_memoryversion",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="memoryversion",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="b1c37922a6caf7add393e44e4fe96d852e92942e",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_7622e",
                            table="memoryapp_memoryversion",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddIndex(
                    model_name="memory",
                    index=models.Index(
                        models.F("person"), models.OrderBy(models.F("id"), descending=True), name="memory_newest_first"
                    ),
                ),
                migrations.AddIndex(
                    model_name="memory",
                    index=models.Index(
                        models.F("person"), models.F("changed_at"), models.F("id"), name="memory_by_change"
                    ),
                ),
                migrations.AddIndex(
                    model_name="memory",
                    index=models.Index(
                        models.F("scope"), models.F("kind"), models.F("subject_key"), name="memory_by_slot"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.UniqueConstraint(models.F("person"), models.F("id"), name="memory_with_person"),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.UniqueConstraint(
                        models.F("scope"),
                        models.F("kind"),
                        models.F("subject_key"),
                        condition=models.Q(("state__in", ("current", "paused", "stale"))),
                        name="memory_one_living_per_slot",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("seen__gte", 1)), name="memory_seen_at_least_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("use_count__gte", 0)), name="memory_use_count_not_negative"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("version__gte", 1), ("versions__gte", models.F("version"))),
                        name="memory_version_in_range",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("valid_to__isnull", True), ("valid_to__gte", models.F("valid_from")), _connector="OR"
                        ),
                        name="memory_validity_in_order",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("state__in", ["current", "pending", "paused", "stale", "closed", "forgotten"])
                        ),
                        name="memory_state_known",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("importance__isnull", True), ("importance__range", (1, 10)), _connector="OR"
                        ),
                        name="memory_importance_1_to_10",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("forgotten_at__isnull", False), ("state", "forgotten")),
                            models.Q(models.Q(("state", "forgotten"), _negated=True), ("forgotten_at__isnull", True)),
                            _connector="OR",
                        ),
                        name="memory_forgotten_has_time",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="memory",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "pending"), _negated=True),
                            ("pending_rule__isnull", False),
                            _connector="OR",
                        ),
                        name="memory_pending_has_rule",
                    ),
                ),
                migrations.AddIndex(
                    model_name="decision",
                    index=models.Index(
                        models.F("memory"), models.OrderBy(models.F("id"), descending=True), name="decision_by_memory"
                    ),
                ),
                migrations.AddIndex(
                    model_name="decision",
                    index=models.Index(
                        models.F("person"), models.OrderBy(models.F("id"), descending=True), name="decision_by_person"
                    ),
                ),
                migrations.AddIndex(
                    model_name="decision",
                    index=models.Index(
                        models.F("person"),
                        models.F("scope_name"),
                        models.F("kind"),
                        models.F("subject_key"),
                        condition=models.Q(("rule", "nothing_to_retract")),
                        name="decision_took_nothing_back",
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="decision",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="042a30dc64a5e6b87ba32eb6bcb3c0adfae65f01",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_94a8f",
                            table="memoryapp_decision",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="decision",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="4733591b17e0cff12eae8f22c98bd1dd5b56c310",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_d88af",
                            table="memoryapp_decision",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddIndex(
                    model_name="confirmation",
                    index=models.Index(models.F("version"), models.F("recorded_at"), name="confirmation_by_version"),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="confirmation",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="b818801867b8d7af2725bb7aef93d1b47ddf601e",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_55e71",
                            table="memoryapp_confirmation",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="confirmation",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="ffb620fdf35f94e9eb3eeca60f5a0a178c725615",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_ebf81",
                            table="memoryapp_confirmation",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddConstraint(
                    model_name="searchentry",
                    constraint=models.UniqueConstraint(models.F("memory"), models.F("part"), name="search_part_once"),
                ),
                migrations.AddIndex(
                    model_name="tombstone",
                    index=models.Index(models.F("person"), models.F("digest"), name="tombstone_by_digest"),
                ),
            ]
        ),
    ]
