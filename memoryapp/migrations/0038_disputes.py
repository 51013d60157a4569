"""Disputes, under row-level security; what is disputed waits for the person's review."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.ids
from memoryapp.migrations._together import Together


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_sign_in_links"),
        ("memoryapp", "0037_retention"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Dispute",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("memory_id", models.UUIDField()),
                ("version", models.IntegerField()),
                ("text", models.TextField(null=True)),
                ("actor_kind", models.CharField(max_length=16)),
                ("opened_at", models.DateTimeField()),
                ("decided_at", models.DateTimeField(null=True)),
                (
                    "outcome",
                    models.CharField(
                        choices=[
                            ("withdrawn", "Withdrawn"),
                            ("kept", "Kept"),
                            ("replaced", "Replaced"),
                            ("rejected", "Rejected"),
                        ],
                        max_length=10,
                        null=True,
                    ),
                ),
            ],
        ),
        Together(
            [
                migrations.RemoveIndex(
                    model_name="memory",
                    name="memory_waiting",
                ),
                migrations.AddIndex(
                    model_name="memory",
                    index=models.Index(
                        models.F("person"),
                        condition=models.Q(
                            ("state", "pending"),
                            models.Q(("pending_rule__isnull", False), ("state", "paused")),
                            ("state", "stale"),
                            models.Q(("disputed", True), ("state__in", ("current", "paused", "stale"))),
                            _connector="OR",
                        ),
                        name="memory_waiting",
                    ),
                ),
                migrations.AddField(
                    model_name="dispute",
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
                    model_name="dispute",
                    name="person",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                migrations.AddIndex(
                    model_name="dispute",
                    index=models.Index(models.F("memory_id"), models.F("opened_at"), name="dispute_by_memory"),
                ),
                migrations.AddConstraint(
                    model_name="dispute",
                    constraint=models.UniqueConstraint(
                        models.F("memory_id"), condition=models.Q(("outcome", None)), name="dispute_open_once"
                    ),
                ),
                migrations.AddConstraint(
                    model_name="dispute",
                    constraint=models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("decided_at__isnull", True), ("outcome__isnull", True)),
                            models.Q(("decided_at__isnull", False), ("outcome__isnull", False)),
                            _connector="OR",
                        ),
                        name="dispute_decided_has_time",
                    ),
                ),
            ]
        ),
        migrations.RunSQL(
            "alter table memoryapp_dispute enable row level security, force row level security;"
            " create policy one_person on memoryapp_dispute"
            " using (is_open(person_id)) with check (is_own(person_id))",
            "drop policy one_person on memoryapp_dispute",
        ),
    ]
