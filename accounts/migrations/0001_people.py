import django.contrib.postgres.fields
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models

import accounts.ids
import accounts.models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="AgentKey",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=128)),
                ("prefix", models.CharField(max_length=16, unique=True)),
                ("digest", models.BinaryField(max_length=32)),
                ("namespace", models.CharField(default="default", max_length=128)),
                ("can_write", models.BooleanField(default=True)),
                (
                    "scopes",
                    django.contrib.postgres.fields.ArrayField(
                        base_field=models.CharField(max_length=128), blank=True, null=True
                    ),
                ),
                ("expires_at", models.DateTimeField(blank=True, null=True)),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("last_used_at", models.DateTimeField(blank=True, null=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
            ],
        ),
        migrations.CreateModel(
            name="User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("namespace", models.CharField(default="default", max_length=128)),
                ("external_id", models.CharField(blank=True, max_length=256, null=True)),
                ("email", models.EmailField(blank=True, max_length=254, null=True, unique=True)),
                ("learning", models.BooleanField(default=True, help_text="Proposals are accepted.")),
                ("use", models.BooleanField(default=True, help_text="Memories are sent to agents.")),
                ("digest_key", models.BinaryField(default=accounts.models._new_digest_key)),
                ("is_active", models.BooleanField(default=True)),
                ("is_staff", models.BooleanField(default=False)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="RateWindow",
            fields=[
                (
                    "agent_key",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="accounts.agentkey",
                    ),
                ),
                ("minute", models.BigIntegerField(help_text="Minutes since 1970.")),
                ("calls", models.IntegerField()),
            ],
        ),
        migrations.AddField(
            model_name="agentkey",
            name="person",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="agent_keys",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.CreateModel(
            name="Scope",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("name", models.CharField(max_length=128)),
                ("learning", models.BooleanField(default=True)),
                ("use", models.BooleanField(default=True)),
                (
                    "created_at",
                    models.DateTimeField(db_default=django.db.models.functions.datetime.Now(), editable=False),
                ),
                (
                    "person",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="scopes", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.UniqueConstraint(
                models.F("namespace"), models.F("external_id"), name="user_external_id_once_per_namespace"
            ),
        ),
        migrations.AddConstraint(
            model_name="user",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("external_id__isnull", True), models.Q(("external_id", ""), _negated=True), _connector="OR"
                ),
                name="user_external_id_given",
            ),
        ),
        migrations.AddConstraint(
            model_name="scope",
            constraint=models.UniqueConstraint(models.F("person"), models.F("name"), name="scope_name_once_per_person"),
        ),
        migrations.AddConstraint(
            model_name="scope",
            constraint=models.UniqueConstraint(models.F("person"), models.F("id"), name="scope_with_person"),
        ),
        migrations.AddConstraint(
            model_name="scope",
            constraint=models.CheckConstraint(
                condition=models.Q(("name__regex", "^[a-z0-9][a-z0-9_-]{0,127}$")), name="scope_name_in_grammar"
            ),
        ),
    ]
