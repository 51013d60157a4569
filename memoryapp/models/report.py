"""What a person puts to others: an answer that is wrong, to support; an access, to the supervisors."""

from django.db import models
from django.db.models import Q

from accounts.ids import uuid7
from memoryapp.models.personal import Personal, RecordManager


class Report(Personal):
    """One report, with a reference that can be read out. It holds no words of anybody's.

    About an answer it names the trace; about an access the audit event, or the trace where an agent was the one who
    looked. `wrong` says what is wrong with an answer. Of one thing at most one report is not closed.
    """

    class About(models.TextChoices):
        ANSWER = "answer"
        ACCESS = "access"

    class Wrong(models.TextChoices):
        UNTRUE = "untrue"
        UNWANTED = "unwanted"
        MISSING = "missing"
        OTHER = "other"

    class State(models.TextChoices):
        OPEN = "open"
        TAKEN = "taken"
        CLOSED = "closed"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    reference = models.CharField(max_length=16, help_text="`R-7K4M-2QXD`")
    about = models.CharField(max_length=8, choices=About)
    trace_id = models.UUIDField(null=True)
    event_id = models.UUIDField(null=True)
    wrong = models.CharField(max_length=8, choices=Wrong, null=True)
    state = models.CharField(max_length=8, choices=State, default=State.OPEN)
    opened_at = models.DateTimeField()
    state_at = models.DateTimeField(help_text="Since when it is in this state.")

    objects = RecordManager()

    class Meta:
        indexes = [models.Index("person", "opened_at", name="report_by_person")]
        constraints = [
            models.UniqueConstraint("reference", name="report_reference_once"),
            models.UniqueConstraint(
                "person", "about", "trace_id", condition=~Q(state="closed"), name="report_on_trace_open_once"
            ),
            models.UniqueConstraint(
                "person", "event_id", condition=~Q(state="closed"), name="report_on_event_open_once"
            ),
            models.CheckConstraint(
                condition=Q(about="answer", trace_id__isnull=False, event_id__isnull=True, wrong__isnull=False)
                | Q(Q(trace_id__isnull=True) ^ Q(event_id__isnull=True), about="access", wrong__isnull=True),
                name="report_is_about_one_thing",
            ),
            models.CheckConstraint(condition=Q(state__in=("open", "taken", "closed")), name="report_state_known"),
        ]
