"""One-time links, and the table where sign-in counts its attempts over all workers."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import accounts.ids

# What Django's database cache expects. Unlogged: a crash may reset the counts.
ATTEMPTS = """
create unlogged table accounts_attempts (
    cache_key varchar(255) primary key, value text not null, expires timestamp with time zone not null
);
create index attempts_by_expiry on accounts_attempts (expires);
"""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_preferences")]

    operations = [
        migrations.CreateModel(
            name="SignInLink",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("digest", models.BinaryField(max_length=32, unique=True)),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(null=True)),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.RunSQL(ATTEMPTS, "drop table accounts_attempts"),
    ]
