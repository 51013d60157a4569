"""Grants of staff, what was revealed under them, and what staff propose to the person."""

import django.contrib.postgres.fields
import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

import accounts.ids
from memoryapp.migrations._together import Together


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_sign_in_links"),
        ("memoryapp", "0009_report"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Grant",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("trace_id", models.UUIDField()),
                ("session", models.CharField(max_length=256, null=True)),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("wrong_answer", "Wrong Answer"),
                            ("wrong_memory", "Wrong Memory"),
                            ("not_learned", "Not Learned"),
                            ("privacy", "Privacy"),
                            ("security", "Security"),
                            ("emergency", "Emergency"),
                        ],
                        max_length=16,
                    ),
                ),
                ("ticket", models.CharField(max_length=40)),
                (
                    "reach",
                    models.CharField(
                        choices=[("answer", "Answer"), ("conversation", "Conversation"), ("person", "Person")],
                        max_length=16,
                    ),
                ),
                ("scopes", django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=128))),
                ("minutes", models.SmallIntegerField()),
                (
                    "waits_for",
                    models.CharField(choices=[("person", "Person"), ("second", "Second")], max_length=8, null=True),
                ),
                ("asked_at", models.DateTimeField()),
                ("starts_at", models.DateTimeField(null=True)),
                ("ends_at", models.DateTimeField(null=True)),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "ended_by",
                    models.CharField(choices=[("person", "Person"), ("staff", "Staff")], max_length=8, null=True),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Reveal",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("request", "Request"),
                            ("answer", "Answer"),
                            ("block", "Block"),
                            ("memory", "Memory"),
                            ("source", "Source"),
                            ("decision", "Decision"),
                            ("message", "Message"),
                        ],
                        max_length=16,
                    ),
                ),
                ("object_id", models.UUIDField()),
                ("number", models.IntegerField(default=0, help_text="Of a memory: the version.")),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="StaffProposal",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("memory_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("verb", models.CharField(choices=[("correct", "Correct"), ("forget", "Forget")], max_length=8)),
                ("text", models.TextField(null=True)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("accepted", "Accepted"),
                            ("declined", "Declined"),
                            ("withdrawn", "Withdrawn"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                (
                    "consent",
                    models.CharField(
                        choices=[("ticket", "Ticket"), ("call", "Call"), ("chat", "Chat")], max_length=8, null=True
                    ),
                ),
                ("proposed_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(null=True)),
            ],
        ),
        Together(
            [
                migrations.AddIndex(
                    model_name="auditevent",
                    index=models.Index(
                        models.OrderBy(models.F("id"), descending=True),
                        condition=models.Q(("actor_kind", "staff")),
                        name="audit_by_staff",
                    ),
                ),
                migrations.AddIndex(
                    model_name="decision",
                    index=models.Index(
                        models.F("person"),
                        models.F("session"),
                        models.F("turn"),
                        condition=models.Q(("session__isnull", False)),
                        name="decision_by_turn",
                    ),
                ),
                migrations.AddField(
                    model_name="grant",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="grant",
                    name="second",
                    field=models.ForeignKey(
                        db_index=False,
                        null=True,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="grant",
                    name="staff",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="reveal",
                    name="grant",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="memoryapp.grant",
                    ),
                ),
                migrations.AddField(
                    model_name="reveal",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddField(
                    model_name="staffproposal",
                    name="grant",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to="memoryapp.grant",
                    ),
                ),
                migrations.AddField(
                    model_name="staffproposal",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddIndex(
                    model_name="grant",
                    index=models.Index(
                        models.F("person"),
                        models.OrderBy(models.F("asked_at"), descending=True),
                        name="grant_by_person",
                    ),
                ),
                migrations.AddIndex(
                    model_name="grant",
                    index=models.Index(
                        models.F("staff"), models.OrderBy(models.F("asked_at"), descending=True), name="grant_by_staff"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="grant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("minutes__range", (1, 60))), name="grant_minutes_1_to_60"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="grant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ends_at__isnull", True), ("starts_at__isnull", True)),
                            models.Q(("ends_at__gt", models.F("starts_at")), ("starts_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="grant_ends_after_it_starts",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="grant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("ended_at__isnull", True), ("ended_by__isnull", True)),
                            models.Q(("ended_at__isnull", False), ("ended_by__isnull", False)),
                            _connector="OR",
                        ),
                        name="grant_ended_by_somebody",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="grant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(("person", models.F("staff")), _negated=True), name="grant_of_another"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="grant",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            ("second__isnull", True),
                            models.Q(("second", models.F("staff")), _negated=True),
                            _connector="OR",
                        ),
                        name="grant_seconded_by_another",
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="grant",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition='WHEN (OLD."asked_at" IS DISTINCT FROM (NEW."asked_at") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."minutes" IS DISTINCT FROM (NEW."minutes") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."reach" IS DISTINCT FROM (NEW."reach") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."scopes" IS DISTINCT FROM (NEW."scopes") OR OLD."session" IS DISTINCT FROM (NEW."session") OR OLD."staff_id" IS DISTINCT FROM (NEW."staff_id") OR OLD."ticket" IS DISTINCT FROM (NEW."ticket") OR OLD."trace_id" IS DISTINCT FROM (NEW."trace_id"))',
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="53923d584e1f77b1a4a5a21af0a55e4c6312639d",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_50091",
                            table="memoryapp_grant",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="grant",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="ad084c508b8a85ea47d8005ac67c7432c43f3ad8",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_4820a",
                            table="memoryapp_grant",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddConstraint(
                    model_name="reveal",
                    constraint=models.UniqueConstraint(
                        models.F("grant"),
                        models.F("what"),
                        models.F("object_id"),
                        models.F("number"),
                        name="reveal_once_per_grant",
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="reveal",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="41c0bf9628ae56a0212467638a4ec9ad9ca5c110",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_d1faa",
                            table="memoryapp_reveal",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="reveal",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="33753ef9594159956ba0a5f45ba44ede17febe68",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_73bd1",
                            table="memoryapp_reveal",
                            when="BEFORE",
                        ),
                    ),
                ),
                migrations.AddIndex(
                    model_name="staffproposal",
                    index=models.Index(
                        models.F("person"), condition=models.Q(("state", "waiting")), name="staff_proposal_waiting"
                    ),
                ),
                migrations.AddIndex(
                    model_name="staffproposal",
                    index=models.Index(models.F("grant"), name="staff_proposal_by_grant"),
                ),
                migrations.AddConstraint(
                    model_name="staffproposal",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("state", "waiting"), ("text__isnull", False), ("verb", "correct")),
                            models.Q(
                                models.Q(("state", "waiting"), ("verb", "correct"), _negated=True),
                                ("text__isnull", True),
                            ),
                            _connector="OR",
                        ),
                        name="staff_proposal_has_text_while_it_waits",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="staffproposal",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at__isnull", True), ("state", "waiting")),
                            models.Q(models.Q(("state", "waiting"), _negated=True), ("decided_at__isnull", False)),
                            _connector="OR",
                        ),
                        name="staff_proposal_decided_has_time",
                    ),
                ),
                migrations.AddConstraint(
                    model_name="staffproposal",
                    constraint=models.UniqueConstraint(
                        models.F("memory_id"),
                        condition=models.Q(("state", "waiting")),
                        name="staff_proposal_waiting_once",
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="staffproposal",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition='WHEN (OLD."grant_id" IS DISTINCT FROM (NEW."grant_id") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."memory_id" IS DISTINCT FROM (NEW."memory_id") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."proposed_at" IS DISTINCT FROM (NEW."proposed_at") OR OLD."verb" IS DISTINCT FROM (NEW."verb") OR OLD."version" IS DISTINCT FROM (NEW."version"))',
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="46cddddfca46264816460921d89afb28c21991ca",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_8407f",
                            table="memoryapp_staffproposal",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="staffproposal",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_delete",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text)",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot delete rows from % table', TG_TABLE_NAME;",
                            hash="5b65228d3ce3fe5b5410fa7adec88aa6d700b34b",
                            operation="DELETE",
                            pgid="pgtrigger_append_only_delete_f517c",
                            table="memoryapp_staffproposal",
                            when="BEFORE",
                        ),
                    ),
                ),
            ]
        ),
    ]
