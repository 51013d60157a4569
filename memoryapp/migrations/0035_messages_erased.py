"""A message that is erased leaves no quotation behind, and is no support of what it said any more."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models

from memoryapp.migrations._together import Together


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0003_sign_in_links"),
        ("memoryapp", "0031_upload_security"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        Together(
            [
                pgtrigger.migrations.RemoveTrigger(
                    model_name="confirmation",
                    name="append_only_update",
                ),
                pgtrigger.migrations.RemoveTrigger(
                    model_name="decision",
                    name="append_only_update",
                ),
                pgtrigger.migrations.RemoveTrigger(
                    model_name="memoryversion",
                    name="append_only_update",
                ),
                migrations.AddField(
                    model_name="confirmation",
                    name="message_erased",
                    field=models.BooleanField(default=False),
                ),
                migrations.AddIndex(
                    model_name="confirmation",
                    index=models.Index(
                        models.F("person"),
                        models.F("session"),
                        models.F("turn"),
                        condition=models.Q(("session__isnull", False)),
                        name="confirmation_by_turn",
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="confirmation",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_quote",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN ((OLD.source IS DISTINCT FROM NEW.source OR OLD.message_erased IS DISTINCT FROM NEW.message_erased) AND (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text OR NEW.source IS NOT NULL))",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="686b7272b1e64bef0f26ce25b3c54092e47e1410",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_quote_1d992",
                            table="memoryapp_confirmation",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="confirmation",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition='WHEN (OLD."actor_kind" IS DISTINCT FROM (NEW."actor_kind") OR OLD."agent_key_id" IS DISTINCT FROM (NEW."agent_key_id") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."recorded_at" IS DISTINCT FROM (NEW."recorded_at") OR OLD."said_at" IS DISTINCT FROM (NEW."said_at") OR OLD."session" IS DISTINCT FROM (NEW."session") OR OLD."turn" IS DISTINCT FROM (NEW."turn") OR OLD."version_id" IS DISTINCT FROM (NEW."version_id"))',
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="3e87207f1cb4772722c8f83f2b8cc061418bcdca",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_55e71",
                            table="memoryapp_confirmation",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="decision",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_quote",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN ((OLD.source IS DISTINCT FROM NEW.source) AND (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text OR NEW.source IS NOT NULL))",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="a8bd63277c9a8a184bf8a0fbc66a490ed7428d0a",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_quote_c5d40",
                            table="memoryapp_decision",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="decision",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition='WHEN (OLD."action" IS DISTINCT FROM (NEW."action") OR OLD."actor_kind" IS DISTINCT FROM (NEW."actor_kind") OR OLD."agent_key_id" IS DISTINCT FROM (NEW."agent_key_id") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."memory_id" IS DISTINCT FROM (NEW."memory_id") OR OLD."origin" IS DISTINCT FROM (NEW."origin") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."policy_version" IS DISTINCT FROM (NEW."policy_version") OR OLD."recorded_at" IS DISTINCT FROM (NEW."recorded_at") OR OLD."rule" IS DISTINCT FROM (NEW."rule") OR OLD."said_at" IS DISTINCT FROM (NEW."said_at") OR OLD."scope_name" IS DISTINCT FROM (NEW."scope_name") OR OLD."session" IS DISTINCT FROM (NEW."session") OR OLD."source_role" IS DISTINCT FROM (NEW."source_role") OR OLD."subject" IS DISTINCT FROM (NEW."subject") OR OLD."subject_key" IS DISTINCT FROM (NEW."subject_key") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."turn" IS DISTINCT FROM (NEW."turn") OR OLD."version_id" IS DISTINCT FROM (NEW."version_id"))',
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="0a70d6e62769481ac77532b52e21af601a3f3149",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_94a8f",
                            table="memoryapp_decision",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="memoryversion",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_quote",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition="WHEN ((OLD.source IS DISTINCT FROM NEW.source) AND (current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text OR NEW.source IS NOT NULL))",
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="f2eaa95041251b13363021912c7b7689c0b8a222",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_quote_ad583",
                            table="memoryapp_memoryversion",
                            when="BEFORE",
                        ),
                    ),
                ),
                pgtrigger.migrations.AddTrigger(
                    model_name="memoryversion",
                    trigger=pgtrigger.compiler.Trigger(
                        name="append_only_update",
                        sql=pgtrigger.compiler.UpsertTriggerSql(
                            condition='WHEN (OLD."actor_kind" IS DISTINCT FROM (NEW."actor_kind") OR OLD."agent_key_id" IS DISTINCT FROM (NEW."agent_key_id") OR OLD."aliases" IS DISTINCT FROM (NEW."aliases") OR OLD."expires_at" IS DISTINCT FROM (NEW."expires_at") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."importance" IS DISTINCT FROM (NEW."importance") OR OLD."kind" IS DISTINCT FROM (NEW."kind") OR OLD."memory_id" IS DISTINCT FROM (NEW."memory_id") OR OLD."number" IS DISTINCT FROM (NEW."number") OR OLD."occurred_at" IS DISTINCT FROM (NEW."occurred_at") OR OLD."origin" IS DISTINCT FROM (NEW."origin") OR OLD."original_origin" IS DISTINCT FROM (NEW."original_origin") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."pinned" IS DISTINCT FROM (NEW."pinned") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."recorded_at" IS DISTINCT FROM (NEW."recorded_at") OR OLD."scope_id" IS DISTINCT FROM (NEW."scope_id") OR OLD."scope_name" IS DISTINCT FROM (NEW."scope_name") OR OLD."session" IS DISTINCT FROM (NEW."session") OR OLD."source_role" IS DISTINCT FROM (NEW."source_role") OR OLD."state" IS DISTINCT FROM (NEW."state") OR OLD."statement_id" IS DISTINCT FROM (NEW."statement_id") OR OLD."subject" IS DISTINCT FROM (NEW."subject") OR OLD."subject_key" IS DISTINCT FROM (NEW."subject_key") OR OLD."text" IS DISTINCT FROM (NEW."text") OR OLD."turn" IS DISTINCT FROM (NEW."turn") OR OLD."valid_from" IS DISTINCT FROM (NEW."valid_from") OR OLD."valid_to" IS DISTINCT FROM (NEW."valid_to"))',
                            func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                            hash="12db5b8793b9d26aacd2b39f8e2efb5370881bd6",
                            operation="UPDATE",
                            pgid="pgtrigger_append_only_update_ecca7",
                            table="memoryapp_memoryversion",
                            when="BEFORE",
                        ),
                    ),
                ),
            ]
        ),
    ]
