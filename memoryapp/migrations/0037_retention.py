"""How long a person wants things kept, under row-level security."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.ids


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0036_audit_checkpoints"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Retention",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("preference", "Preference"),
                            ("fact", "Fact"),
                            ("decision", "Decision"),
                            ("identifier", "Identifier"),
                            ("messages", "Messages"),
                            ("answers", "Answers"),
                            ("trash", "Trash"),
                        ],
                        max_length=16,
                    ),
                ),
                ("days", models.IntegerField()),
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
            options={
                "constraints": [
                    models.UniqueConstraint(models.F("person"), models.F("what"), name="retention_once"),
                    models.CheckConstraint(condition=models.Q(("days__gte", 1)), name="retention_at_least_a_day"),
                ],
            },
        ),
        migrations.RunSQL(
            "alter table memoryapp_retention enable row level security, force row level security;"
            " create policy one_person on memoryapp_retention"
            " using (is_open(person_id)) with check (is_own(person_id))",
            "drop policy one_person on memoryapp_retention",
        ),
    ]
