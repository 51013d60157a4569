"""The latest memories of a scope are listed without looking at all of them."""

from django.db import migrations

INDEX = """
create index search_latest on memoryapp_searchentry (person_id, scope_id, confirmed_at desc, memory_id)
    include (version, kind, pinned, valid_from, valid_until) where part = 0 and state = 'current'
"""


class Migration(migrations.Migration):
    dependencies = [("memoryapp", "0061_refused_kept_for")]

    operations = [migrations.RunSQL(INDEX, "drop index search_latest")]
