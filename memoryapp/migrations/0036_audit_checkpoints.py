"""Checkpoints of the audit: what they stand for may be deleted, and the chain goes on from them."""

import pgtrigger.compiler
import pgtrigger.migrations
from django.db import migrations, models

import accounts.ids


class Migration(migrations.Migration):
    dependencies = [
        ("memoryapp", "0035_messages_erased"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditCheckpoint",
            fields=[
                ("id", models.UUIDField(default=accounts.ids.uuid7, editable=False, primary_key=True, serialize=False)),
                ("person_id", models.UUIDField()),
                ("seq", models.BigIntegerField()),
                ("digest", models.BinaryField(max_length=32)),
                ("at", models.DateTimeField()),
                ("seal", models.BinaryField(max_length=32)),
            ],
        ),
        pgtrigger.migrations.RemoveTrigger(
            model_name="auditevent",
            name="append_only_delete",
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="auditevent",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only_delete",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="\n    IF current_setting('app.erasing', true) = OLD.person_id::text AND EXISTS (\n        SELECT FROM memoryapp_auditcheckpoint WHERE person_id = OLD.person_id AND seq >= OLD.seq\n    ) THEN\n        RETURN OLD;\n    END IF;\n    RAISE EXCEPTION 'Cannot delete rows from % table before a checkpoint', TG_TABLE_NAME;\n",
                    hash="7db5ad9bc4b6cb9d8ddda0c1d56cb815189bf508",
                    operation="DELETE",
                    pgid="pgtrigger_append_only_delete_1d6e2",
                    table="memoryapp_auditevent",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="auditcheckpoint",
            constraint=models.UniqueConstraint(models.F("person_id"), models.F("seq"), name="audit_checkpoint_once"),
        ),
        pgtrigger.migrations.AddTrigger(
            model_name="auditcheckpoint",
            trigger=pgtrigger.compiler.Trigger(
                name="append_only",
                sql=pgtrigger.compiler.UpsertTriggerSql(
                    func="RAISE EXCEPTION 'pgtrigger: Cannot update or delete rows from % table', TG_TABLE_NAME;",
                    hash="0caee4306b516c85eaf83b1925f31633b0164a77",
                    operation="UPDATE OR DELETE",
                    pgid="pgtrigger_append_only_4c68d",
                    table="memoryapp_auditcheckpoint",
                    when="BEFORE",
                ),
            ),
        ),
        migrations.RunSQL(
            "alter table memoryapp_auditcheckpoint enable row level security, force row level security;"
            " create policy one_person on memoryapp_auditcheckpoint"
            " using (is_open(person_id)) with check (is_own(person_id))",
            "drop policy one_person on memoryapp_auditcheckpoint",
        ),
    ]
