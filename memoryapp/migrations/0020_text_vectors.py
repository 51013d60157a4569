"""Vectors of what memories say, laid out by scope like the terms."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import memoryapp.models.search

KEYS = {
    "memory": "foreign key (person_id, memory_id) references memoryapp_memory (person_id, id)",
    "scope": "foreign key (person_id, scope_id) references accounts_scope (person_id, id)",
    "statement": "foreign key (memory_id, statement_id) references memoryapp_memoryversion (memory_id, id)",
}

# An index row holds 2,704 bytes: vectors of up to 1,200 dimensions lie in it, longer ones are read from the table.
COVERING_INDEXES = """
create index vector_scope_covering on memoryapp_textvector (person_id, scope_id) include (memory_id, model, vector)
    where is_live and dimension <= 1200;
create index vector_scope on memoryapp_textvector (person_id, scope_id) where is_live and dimension > 1200;
alter table memoryapp_textvector set (
    autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.02,
    autovacuum_vacuum_threshold = 500, autovacuum_vacuum_insert_threshold = 500
);
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_sign_in_links"),
        ("memoryapp", "0013_page_speed"),
    ]

    operations = [
        migrations.CreateModel(
            name="TextVector",
            fields=[
                (
                    "statement",
                    models.OneToOneField(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        primary_key=True,
                        related_name="+",
                        serialize=False,
                        to="memoryapp.memoryversion",
                    ),
                ),
                ("is_live", models.BooleanField()),
                ("model", models.CharField(default="", max_length=200)),
                ("dimension", models.SmallIntegerField(default=0)),
                ("vector", memoryapp.models.search.HalfVectorField(null=True)),
                (
                    "memory",
                    models.ForeignKey(
                        db_constraint=False,
                        db_index=False,
                        on_delete=django.db.models.deletion.DO_NOTHING,
                        related_name="+",
                        to="memoryapp.memory",
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
                "indexes": [
                    models.Index(models.F("memory"), name="vector_by_memory"),
                    models.Index(models.F("model"), name="vector_by_model"),
                ],
            },
        ),
        *[
            migrations.RunSQL(
                f"alter table memoryapp_textvector add constraint textvector_{name}_of_same_person {key}"
                " deferrable initially deferred",
                f"alter table memoryapp_textvector drop constraint textvector_{name}_of_same_person",
            )
            for name, key in KEYS.items()
        ],
        migrations.RunSQL(COVERING_INDEXES, "drop index vector_scope_covering, vector_scope"),
    ]
