"""Row-level security on every table with personal content, forced, so that it binds the tables' owner too."""

from django.db import migrations

PERSONAL_TABLES = [
    "accounts_scope",
    "memoryapp_answer",
    "memoryapp_auditevent",
    "memoryapp_audithead",
    "memoryapp_confirmation",
    "memoryapp_decision",
    "memoryapp_episode",
    "memoryapp_memory",
    "memoryapp_memoryversion",
    "memoryapp_scopeword",
    "memoryapp_searchentry",
    "memoryapp_tombstone",
]


def secure(table: str, also: str = "") -> migrations.RunSQL:
    return migrations.RunSQL(
        f"alter table {table} enable row level security, force row level security;"
        f" create policy one_person on {table} using (is_open(person_id){also}) with check (is_own(person_id){also})",
        f"drop policy one_person on {table};"
        f" alter table {table} no force row level security, disable row level security",
    )


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0003_constraints")]

    operations = [
        *[secure(table) for table in PERSONAL_TABLES],
        # A response about nobody who exists holds nothing personal.
        secure("memoryapp_idempotencyrecord", also=" or person_id is null"),
    ]
