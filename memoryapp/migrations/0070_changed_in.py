"""Which transaction last wrote what a scope is searched by: a process that keeps it asks what has changed since.

The narrow indexes answer that, and how many there are, without a look at words or vectors. A scope's list of words is
read from its primary key alone.
"""

from django.db import migrations

STAMP = """
create function stamp_transaction() returns trigger language plpgsql as $$
begin
    new.changed_in := pg_current_xact_id();
    return new;
end $$;
alter table memoryapp_searchentry add column changed_in xid8 not null default '0';
alter table memoryapp_textvector add column changed_in xid8 not null default '0';
create trigger stamp_transaction before insert or update on memoryapp_searchentry
    for each row execute function stamp_transaction();
create trigger stamp_transaction before insert or update on memoryapp_textvector
    for each row execute function stamp_transaction();
create index search_changed on memoryapp_searchentry (person_id, scope_id, changed_in) include (memory_id, part);
create index vector_changed on memoryapp_textvector (person_id, scope_id, model, changed_in) include (memory_id)
    where is_live;
drop index search_latest;
alter table memoryapp_scopeword drop constraint memoryapp_scopeword_pkey,
    add constraint memoryapp_scopeword_pkey primary key (scope_id, word) include (person_id);
"""
UNSTAMP = """
alter table memoryapp_scopeword drop constraint memoryapp_scopeword_pkey,
    add constraint memoryapp_scopeword_pkey primary key (scope_id, word);
create index search_latest on memoryapp_searchentry (person_id, scope_id, confirmed_at desc, memory_id)
    include (version, kind, pinned, valid_from, valid_until) where part = 0 and state = 'current';
drop index vector_changed;
drop index search_changed;
drop trigger stamp_transaction on memoryapp_textvector;
drop trigger stamp_transaction on memoryapp_searchentry;
alter table memoryapp_textvector drop column changed_in;
alter table memoryapp_searchentry drop column changed_in;
drop function stamp_transaction();
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0065_latest_of_a_scope")]

    operations = [migrations.RunSQL(STAMP, UNSTAMP)]
