"""How long a person wants things kept, where that is shorter than the service keeps them."""

from django.db import models
from django.db.models import Q

from accounts.ids import uuid7
from memoryapp.models.personal import Personal, PersonalManager


class Retention(Personal):
    """One choice: days for memories of one kind, messages, refused proposals, answers or the trash.

    Without one the service's hold.
    """

    class What(models.TextChoices):
        PREFERENCE = "preference"
        FACT = "fact"
        DECISION = "decision"
        IDENTIFIER = "identifier"
        MESSAGES = "messages"
        REFUSED = "refused"
        ANSWERS = "answers"
        TRASH = "trash"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    what = models.CharField(max_length=16, choices=What)
    days = models.IntegerField()

    objects = PersonalManager()

    class Meta:
        constraints = [
            models.UniqueConstraint("person", "what", name="retention_once"),
            models.CheckConstraint(condition=Q(days__gte=1), name="retention_at_least_a_day"),
        ]
