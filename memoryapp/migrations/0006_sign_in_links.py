"""Row-level security on one-time links, and whose a link is: asked before the person is open."""

from django.db import migrations

SECURE = """
alter table accounts_signinlink enable row level security, force row level security;
create policy one_person on accounts_signinlink using (is_open(person_id));
"""
OPEN_UP = """
drop policy one_person on accounts_signinlink;
alter table accounts_signinlink no force row level security, disable row level security;
"""
OWNER = """
create function sign_in_link_owner(presented bytea) returns uuid language plpgsql as $$
declare
    former text := coalesce(current_setting('app.wide', true), '');
    owner uuid;
begin
    perform set_config('app.wide', 'owner', true);
    select person_id into owner from accounts_signinlink where digest = presented;
    perform set_config('app.wide', former, true);
    return owner;
end $$;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0005_finding"), ("accounts", "0003_sign_in_links")]

    operations = [
        migrations.RunSQL(SECURE, OPEN_UP),
        migrations.RunSQL(OWNER, "drop function sign_in_link_owner(bytea)"),
    ]
