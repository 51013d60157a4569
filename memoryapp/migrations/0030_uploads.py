"""Files that wait to be imported, and the origin that an imported memory had before."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.ids


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0023_receipts"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Upload",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("content", models.BinaryField()),
                ("counted", models.JSONField()),
                ("decided", models.CharField(max_length=64)),
                ("created_at", models.DateTimeField()),
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
                "indexes": [
                    models.Index(
                        models.F("person"),
                        models.OrderBy(models.F("created_at"), descending=True),
                        name="upload_by_person",
                    )
                ],
            },
        ),
        migrations.AddField("memory", "original_origin", models.CharField(max_length=16, null=True)),
        migrations.AddField("memoryversion", "original_origin", models.CharField(max_length=16, null=True)),
    ]
