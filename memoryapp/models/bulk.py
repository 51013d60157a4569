from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.ids import uuid7
from memoryapp.models.personal import Personal, PersonalManager


class BulkRun(Personal):
    """One verb for many memories: which ones, as they were chosen, and how far it has come.

    `done` counts from the start of `memory_ids`; `skipped_ids` are those among them that the verb could not change.
    `undoes` is the run that this one takes back.
    """

    class Verb(models.TextChoices):
        FORGET = "forget"
        RESTORE = "restore"
        PAUSE = "pause"
        RESUME = "resume"
        MOVE = "move"
        MOVE_BACK = "move_back"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    verb = models.CharField(max_length=16, choices=Verb)
    scope_name = models.CharField(max_length=128, null=True)
    bars = models.BooleanField(default=False, help_text="What is forgotten is not to be learned again.")
    erases_sources = models.BooleanField(default=False, help_text="The messages it came from are erased too.")
    memory_ids = ArrayField(models.UUIDField())
    skipped_ids = ArrayField(models.UUIDField(), default=list)
    done = models.IntegerField(default=0)
    undoes = models.UUIDField(null=True)
    created_at = models.DateTimeField()
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)

    objects = PersonalManager()

    class Meta:
        indexes = [models.Index("person", "created_at", name="bulk_run_by_person")]
        constraints = [
            models.UniqueConstraint("undoes", name="bulk_run_undone_once"),
            models.CheckConstraint(condition=models.Q(done__gte=0), name="bulk_run_done_not_negative"),
        ]
