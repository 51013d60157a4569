"""Row-level security on bulk runs."""

from django.db import migrations

SECURE = """
alter table memoryapp_bulkrun enable row level security, force row level security;
create policy one_person on memoryapp_bulkrun using (is_open(person_id));
"""
OPEN_UP = """
drop policy one_person on memoryapp_bulkrun;
alter table memoryapp_bulkrun no force row level security, disable row level security;
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0007_bulk_runs")]

    operations = [migrations.RunSQL(SECURE, OPEN_UP)]
