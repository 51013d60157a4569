"""Who did what, and which calls were answered already."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.ids import uuid7
from accounts.models import AgentKey, User
from memoryapp.models.personal import RecordManager, append_only


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
        triggers = append_only()


class AuditHead(models.Model):
    """How long one person's chain is, and its last digest: a missing last event shows here."""

    person_id = models.UUIDField(primary_key=True)
    seq = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)


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
