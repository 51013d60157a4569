"""Receipts of erased persons; and a memory's tombstones are found by it when it is deleted."""

from django.db import migrations, models
from django.db.models import Q

import accounts.ids


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0022_vectors_to_make")]

    operations = [
        migrations.CreateModel(
            name="Receipt",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("person_id", models.UUIDField()),
                ("namespace", models.CharField(max_length=128)),
                ("requested_at", models.DateTimeField()),
                ("counted", models.JSONField()),
                ("erased", models.JSONField(default=dict)),
                ("verified_left", models.JSONField(null=True)),
                ("done_at", models.DateTimeField(null=True)),
                ("backups_until", models.DateTimeField(null=True)),
            ],
            options={
                "indexes": [models.Index(models.F("requested_at"), condition=Q(done_at=None), name="receipt_running")],
                "constraints": [
                    models.UniqueConstraint(
                        models.F("person_id"), condition=Q(done_at=None), name="receipt_one_running_a_person"
                    )
                ],
            },
        ),
        migrations.AddIndex("tombstone", models.Index(models.F("memory"), name="tombstone_by_memory")),
    ]
