"""Row-level security on what concerns staff, and on what they read: content only while their grant runs."""

from django.db import migrations

TABLES = ["memoryapp_grant", "memoryapp_reveal", "memoryapp_staffproposal"]

# What a transaction that reads for a staff member may see. It names its grant; everybody else names none.
STAFF_MAY_READ = """
create function staff_may_read() returns boolean language plpgsql stable as $$
declare
    named text := coalesce(current_setting('app.staff', true), '');
begin
    return named = '' or exists (
        select from memoryapp_grant
        where id = named::uuid and person_id = nullif(current_setting('app.person', true), '')::uuid
            and ended_at is null and starts_at <= clock_timestamp() and clock_timestamp() < ends_at
    );
end $$
"""

CONTENT = [
    "memoryapp_answer",
    "memoryapp_confirmation",
    "memoryapp_decision",
    "memoryapp_episode",
    "memoryapp_memory",
    "memoryapp_memoryversion",
    "memoryapp_retrievaltrace",
    "memoryapp_scopeword",
    "memoryapp_searchentry",
    "memoryapp_tombstone",
]

# Whose is it? Asked before the person is open, as for memories, traces and answers.
GRANT_OWNER = """
create function grant_owner(object_id uuid) returns uuid language plpgsql as $$
declare
    former text := coalesce(current_setting('app.wide', true), '');
    owner uuid;
begin
    perform set_config('app.wide', 'owner', true);
    select person_id into owner from memoryapp_grant where id = object_id;
    perform set_config('app.wide', former, true);
    return owner;
end $$;
"""

# Asked once a statement, not once a row.
_READS = "(select coalesce(current_setting('app.staff', true), '') = '' or staff_may_read())"
_NOT_STAFF = "(select coalesce(current_setting('app.staff', true), '') = '')"


def secure(table: str) -> migrations.RunSQL:
    return migrations.RunSQL(
        f"alter table {table} enable row level security, force row level security;"
        f" create policy one_person on {table} using (is_open(person_id)) with check (is_own(person_id))",
        f"drop policy one_person on {table};"
        f" alter table {table} no force row level security, disable row level security",
    )


def under_grant(table: str) -> migrations.RunSQL:
    """Read while the grant runs, and never written by who reads under one."""
    commands = {
        "select": f"using ({_READS})",
        "insert": f"with check ({_NOT_STAFF})",
        "delete": f"using ({_NOT_STAFF})",
    }
    commands["update"] = f"using ({_NOT_STAFF}) with check ({_NOT_STAFF})"
    return migrations.RunSQL(
        "".join(
            f"create policy staff_{command} on {table} as restrictive for {command} {rule};"
            for command, rule in commands.items()
        ),
        "".join(f"drop policy staff_{command} on {table};" for command in commands),
    )


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0010_access")]

    operations = [
        *[secure(table) for table in TABLES],
        migrations.RunSQL(GRANT_OWNER, "drop function grant_owner(uuid)"),
        migrations.RunSQL(STAFF_MAY_READ, "drop function staff_may_read()"),
        *[under_grant(table) for table in CONTENT],
    ]
