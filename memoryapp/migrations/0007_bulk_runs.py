"""One verb for many memories: which ones, and how far it has come."""

import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.ids


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0006_sign_in_links"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="BulkRun",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                (
                    "verb",
                    models.CharField(
                        choices=[
                            ("forget", "Forget"),
                            ("restore", "Restore"),
                            ("pause", "Pause"),
                            ("resume", "Resume"),
                            ("move", "Move"),
                            ("move_back", "Move Back"),
                        ],
                        max_length=16,
                    ),
                ),
                ("scope_name", models.CharField(max_length=128, null=True)),
                ("bars", models.BooleanField(default=False, help_text="What is forgotten is not to be learned again.")),
                (
                    "erases_sources",
                    models.BooleanField(default=False, help_text="The messages it came from are erased too."),
                ),
                ("memory_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField())),
                ("skipped_ids", django.contrib.postgres.fields.ArrayField(base_field=models.UUIDField(), default=list)),
                ("done", models.IntegerField(default=0)),
                ("undoes", models.UUIDField(null=True)),
                ("created_at", models.DateTimeField()),
                ("started_at", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(null=True)),
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
                "indexes": [models.Index(models.F("person"), models.F("created_at"), name="bulk_run_by_person")],
                "constraints": [
                    models.UniqueConstraint(models.F("undoes"), name="bulk_run_undone_once"),
                    models.CheckConstraint(condition=models.Q(("done__gte", 0)), name="bulk_run_done_not_negative"),
                ],
            },
        ),
    ]
