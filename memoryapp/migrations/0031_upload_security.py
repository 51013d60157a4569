"""Row-level security on files that wait."""

from django.db import migrations

SECURE = """
alter table memoryapp_upload enable row level security, force row level security;
create policy one_person on memoryapp_upload using (is_open(person_id)) with check (is_own(person_id));
"""
OPEN_UP = """
drop policy one_person on memoryapp_upload;
alter table memoryapp_upload no force row level security, disable row level security;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0030_uploads")]

    operations = [migrations.RunSQL(SECURE, OPEN_UP)]
