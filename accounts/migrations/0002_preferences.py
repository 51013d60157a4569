"""How a person likes the page, and when they last came."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0001_people")]

    operations = [
        migrations.AddField("user", "language", models.CharField(blank=True, db_default="", default="", max_length=16)),
        migrations.AddField(
            "user", "time_zone", models.CharField(blank=True, db_default="", default="", max_length=64)
        ),
        migrations.AddField(
            "user",
            "theme",
            models.CharField(
                choices=[("system", "System"), ("light", "Light"), ("dark", "Dark")],
                db_default="system",
                default="system",
                max_length=8,
            ),
        ),
        migrations.AddField("user", "last_visit_at", models.DateTimeField(editable=False, null=True)),
        migrations.AddField("user", "seen_at", models.DateTimeField(editable=False, null=True)),
    ]
