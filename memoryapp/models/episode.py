from django.db import models
from django.db.models.functions import Now

from accounts.ids import uuid7
from accounts.models import Scope
from memoryapp.models.personal import Personal, ScopedManager, append_only


class Episode(Personal):
    """One raw turn of a conversation. Evidence; never retrieved into a prompt. Secrets in it are masked."""

    class Role(models.TextChoices):
        USER = "user"
        ASSISTANT = "assistant"
        TOOL = "tool"
        SYSTEM = "system"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    scope = models.ForeignKey(Scope, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    session = models.CharField(max_length=256)
    turn = models.IntegerField()
    role = models.CharField(max_length=16, choices=Role)
    content = models.TextField()
    occurred_at = models.DateTimeField()
    recorded_at = models.DateTimeField(db_default=Now(), editable=False)

    objects = ScopedManager()

    class Meta:
        constraints = [
            models.UniqueConstraint("person", "session", "turn", "scope", name="episode_once_per_turn_of_a_scope")
        ]
        triggers = append_only()
