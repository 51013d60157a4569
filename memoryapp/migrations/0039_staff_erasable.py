"""Whoever had grants as staff can be erased: the grants stay with the persons concerned, as those of staff."""

import django.db.models.deletion
import pgtrigger.compiler
import pgtrigger.migrations
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0038_disputes"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        pgtrigger.migrations.RemoveTrigger(
            model_name="grant",
            name="append_only_update",
        ),
        migrations.AlterField(
            model_name="grant",
            name="staff",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="grant",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only_update",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition='WHEN (OLD."asked_at" IS DISTINCT FROM (NEW."asked_at") OR OLD."id" IS DISTINCT FROM (NEW."id") OR OLD."minutes" IS DISTINCT FROM (NEW."minutes") OR OLD."person_id" IS DISTINCT FROM (NEW."person_id") OR OLD."reach" IS DISTINCT FROM (NEW."reach") OR OLD."reason" IS DISTINCT FROM (NEW."reason") OR OLD."scopes" IS DISTINCT FROM (NEW."scopes") OR OLD."session" IS DISTINCT FROM (NEW."session") OR OLD."ticket" IS DISTINCT FROM (NEW."ticket") OR OLD."trace_id" IS DISTINCT FROM (NEW."trace_id"))',
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="d47172996de27f45afec103a177fcf2423910c8c",
                    operation="UPDATE",
                    pgid="pgtrigger_append_only_update_50091",
                    table="memoryapp_grant",
                    when="BEFORE",
                ),
            ),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="grant",
            trigger=pgtrigger.compiler.Trigger(
                name="staff_stays",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    condition="WHEN (OLD.staff_id IS DISTINCT FROM NEW.staff_id AND (NEW.staff_id IS NOT NULL OR current_setting('app.erasing', true) IS DISTINCT FROM OLD.staff_id::text))",
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update rows from % table', TG_TABLE_NAME;",
                    hash="509134e279352ac6435e0b73465ee7cf158e09a6",
                    operation="UPDATE",
                    pgid="pgtrigger_staff_stays_070ef",
                    table="memoryapp_grant",
                    when="BEFORE",
                ),
            ),
        ),
    ]
