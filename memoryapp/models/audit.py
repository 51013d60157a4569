"""Who did what, and which calls were answered already."""

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.ids import uuid7
from accounts.models import AgentKey, User
from memoryapp.models.personal import RecordManager

# Only what a checkpoint answers for may go, and only inside `erasing(person)`.
_DELETED_BEHIND = """
    IF current_setting('app.erasing', true) = OLD.person_id::text AND EXISTS (
        SELECT FROM memoryapp_auditcheckpoint WHERE person_id = OLD.person_id AND seq >= OLD.seq
    ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'Cannot delete rows from % table before a checkpoint', TG_TABLE_NAME;
"""


class AuditEvent(models.Model):
    """Who did what to which object, when and why. No memory text, no direct identifier.

    `person_id` is no foreign key: the log outlives the person. Events of one person form a chain: `digest` is keyed and
    covers the event and the digest before it. `seq` counts from 1.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    person_id = models.UUIDField()
    seq = models.BigIntegerField()
    at = models.DateTimeField()
    actor_kind = models.CharField(max_length=16)
    actor_id = models.UUIDField(null=True)
    verb = models.CharField(max_length=32)
    object_type = models.CharField(max_length=32)
    object_id = models.UUIDField(null=True)
    reason = models.CharField(max_length=64, null=True)
    digest = models.BinaryField(max_length=32)

    objects = RecordManager()

    class Meta:
        indexes = [
            models.Index(models.F("id").desc(), condition=models.Q(actor_kind="staff"), name="audit_by_staff"),
            models.Index("at", condition=models.Q(verb__in=("leak_found", "check_leaks")), name="audit_leaks"),
        ]
        constraints = [models.UniqueConstraint("person_id", "seq", name="audit_seq_once")]
        triggers = [
            pgtrigger.Protect(name="append_only_update", operation=pgtrigger.Update),
            pgtrigger.Trigger(
                name="append_only_delete", operation=pgtrigger.Delete, when=pgtrigger.Before, func=_DELETED_BEHIND
            ),
        ]


class AuditHead(models.Model):
    """How long one person's chain is, and its last digest: a missing last event shows here."""

    person_id = models.UUIDField(primary_key=True)
    seq = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)


class AuditCheckpoint(models.Model):
    """From where one person's chain continues after its oldest events had their time and were deleted.

    `seq` and `digest` are those of the last event that is gone, so that `seq` is also how many are. `seal` is keyed and
    covers the row and the seal of the checkpoint before it: none can be made, changed or taken out unseen.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    person_id = models.UUIDField()
    seq = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)
    at = models.DateTimeField()
    seal = models.BinaryField(max_length=32)

    objects = RecordManager()

    class Meta:
        constraints = [models.UniqueConstraint("person_id", "seq", name="audit_checkpoint_once")]
        triggers = [pgtrigger.Protect(name="append_only", operation=pgtrigger.Update | pgtrigger.Delete)]


class IdempotencyRecord(models.Model):
    """The first 2xx response to one idempotency key of one agent key, kept for 24 hours.

    `person` is null where the call concerned nobody who exists. `memory_ids` are the memories that the body shows.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, db_index=False, related_name="+")
    key = models.CharField(max_length=128)
    fingerprint = models.BinaryField(max_length=32)
    person = models.ForeignKey(User, models.PROTECT, null=True, db_index=False, related_name="+")
    status = models.SmallIntegerField()
    body = models.JSONField()
    memory_ids = ArrayField(models.UUIDField())
    created_at = models.DateTimeField()

    class Meta:
        indexes = [models.Index("created_at", name="idempotency_by_age")]
        constraints = [models.UniqueConstraint("agent_key", "key", name="idempotency_key_once")]
