"""What a person says against a memory, kept beside it until it is decided."""

from django.db import models
from django.db.models import Q

from accounts.ids import uuid7
from accounts.models import AgentKey
from memoryapp.models.personal import Personal, PersonalManager


class Dispute(Personal):
    """A memory was disputed: meanwhile it is never sent. `text` is what the person says instead, in their words.

    `version` is the one that was disputed. `outcome` is null until it is decided.
    """

    class Outcome(models.TextChoices):
        WITHDRAWN = "withdrawn"
        KEPT = "kept"
        REPLACED = "replaced"
        REJECTED = "rejected"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    memory_id = models.UUIDField()
    version = models.IntegerField()
    text = models.TextField(null=True)
    actor_kind = models.CharField(max_length=16)
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, null=True, db_index=False, related_name="+")
    opened_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)
    outcome = models.CharField(max_length=10, choices=Outcome, null=True)

    objects = PersonalManager()

    class Meta:
        indexes = [models.Index("memory_id", "opened_at", name="dispute_by_memory")]
        constraints = [
            models.UniqueConstraint("memory_id", condition=Q(outcome=None), name="dispute_open_once"),
            models.CheckConstraint(
                condition=Q(outcome__isnull=True, decided_at__isnull=True)
                | Q(outcome__isnull=False, decided_at__isnull=False),
                name="dispute_decided_has_time",
            ),
        ]
