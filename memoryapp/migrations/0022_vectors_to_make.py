"""Every memory that stands waits for its vector. Written past the policies: they let one person's rows be written."""

from django.db import migrations

WAIT = """
select set_config('app.wide', 'migration', true);
alter table memoryapp_textvector no force row level security;
insert into memoryapp_textvector (statement_id, person_id, memory_id, scope_id, is_live, model, dimension)
select statement_id, person_id, id, scope_id, true, '', 0 from memoryapp_memory
where state in ('current', 'paused', 'stale') on conflict do nothing;
set constraints all immediate;
alter table memoryapp_textvector force row level security;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0021_text_vector_security")]

    operations = [migrations.RunSQL(WAIT, migrations.RunSQL.noop)]
