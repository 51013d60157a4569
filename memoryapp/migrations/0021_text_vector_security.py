"""Row-level security on vectors: they are made of memory texts."""

from django.db import migrations

SECURE = """
alter table memoryapp_textvector enable row level security, force row level security;
create policy one_person on memoryapp_textvector using (is_open(person_id)) with check (is_own(person_id));
"""
OPEN_UP = """
drop policy one_person on memoryapp_textvector;
alter table memoryapp_textvector no force row level security, disable row level security;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0020_text_vectors")]

    operations = [migrations.RunSQL(SECURE, OPEN_UP)]
