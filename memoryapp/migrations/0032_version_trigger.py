"""The trigger of the versions knows the new column."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0031_upload_security"),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="memoryversion",
            name="append_only_update",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="memoryversion",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."actor_kind" IS DISTINCT FROM (NEW."actor_kind") OR OLD."agent_key_id" IS DISTINCT FROM (NEW."agent_key_id") OR OLD."aliases" IS DISTINCT FROM (NEW."aliases") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."importance" IS DISTINCT FROM (NEW."importance") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."memory_id" IS DISTINCT FROM (NEW."memory_id") OR OLD."number" IS DISTINCT FROM (NEW."number") OR OLD."occurred_at" IS DISTINCT FROM (NEW."occurred_at") OR OLD."origin" IS DISTINCT FROM (NEW."origin") OR OLD."original_origin" IS DISTINCT FROM (NEW."original_origin") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."pinned" IS DISTINCT FROM (NEW."pinned") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."recorded_at" IS DISTINCT FROM (NEW."recorded_at") OR OLD."scope_id" IS DISTINCT FROM (NEW."scope_id") OR OLD."scope_name" IS DISTINCT FROM (NEW."scope_name") OR OLD."session" IS DISTINCT FROM (NEW."session") OR OLD."source" IS DISTINCT FROM (NEW."source") OR OLD."source_role" IS DISTINCT FROM (NEW."source_role") OR OLD."state" IS DISTINCT FROM (NEW."state") OR OLD."statement_id" IS DISTINCT FROM (NEW."statement_id") OR OLD."subject" IS DISTINCT FROM (NEW."subject") OR OLD."subject_key" IS DISTINCT FROM (NEW."subject_key") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."turn" IS DISTINCT FROM (NEW."turn") OR OLD."valid_from" IS DISTINCT FROM (NEW."valid_from") OR OLD."valid_to" IS DISTINCT FROM (NEW."valid_to"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="18d91ae40943811021458ccd956b53902e87ba54",
                    operation="UPDATE",
                    pgid="pgtrigger_append_only_update_ecca7",
                    table="memoryapp_memoryversion",
                    when="BEFORE",
                ),
            ),
        ),
    ]
