"""Disputes, waiting files, vectors and kept responses are content as the rest: staff write none, and read by grant."""

from django.db import migrations

_READS = "(select coalesce(current_setting('app.staff', true), '') = '' or staff_may_read())"
_NOT_STAFF = "(select coalesce(current_setting('app.staff', true), '') = '')"
RULES = {
    "insert": f"with check ({_NOT_STAFF})",
    "update": f"using ({_NOT_STAFF}) with check ({_NOT_STAFF})",
    "delete": f"using ({_NOT_STAFF})",
}
TABLES = {
    "memoryapp_textvector": RULES,
    "memoryapp_dispute": RULES,
    "memoryapp_upload": RULES,
    # It holds the memories that an answer of the API showed.
    "memoryapp_idempotencyrecord": {"select": f"using ({_READS})", **RULES},
}


def under_grant(table: str, rules: dict[str, str]) -> migrations.RunSQL:
    return migrations.RunSQL(
        "".join(
            f"create policy staff_{one} on {table} as restrictive for {one} {rule};" for one, rule in rules.items()
        ),
        "".join(f"drop policy staff_{one} on {table};" for one in rules),
    )


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0045_policies_asked_once")]

    operations = [under_grant(table, rules) for table, rules in TABLES.items()]
