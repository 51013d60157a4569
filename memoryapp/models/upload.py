from django.db import models
from django.db.models import F

from accounts.ids import uuid7
from memoryapp.models.personal import Personal, PersonalManager


class Upload(Personal):
    """A file whose memories were counted, and which waits for the person's word; for a day at most.

    `counted` is what the person was shown; `decided` is a digest of what was decided on each of its memories.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    content = models.BinaryField()
    counted = models.JSONField()
    decided = models.CharField(max_length=64)
    created_at = models.DateTimeField()

    objects = PersonalManager()

    class Meta:
        indexes = [models.Index("person", F("created_at").desc(), name="upload_by_person")]
