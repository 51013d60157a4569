"""What staff may see of a person, what they looked at, and what they propose to the person."""

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from accounts.ids import uuid7
from accounts.models import User
from memoryapp.models.personal import Personal, RecordManager, append_only

LONGEST_GRANT_MINUTES = 60


class Grant(Personal):
    """A staff member's permission to read some of one person's content, for a reason and for a time.

    It runs in [starts_at, ends_at) unless it ended before; it has not started while it waits for the person or for a
    second staff member. `reach` says how much around the trace, `scopes` in which scopes. An emergency needs no word of
    the person's; without a second staff member it is flagged to them. Only how it goes on is ever written again.
    `staff` and `second` are null once those were erased themselves: the grant stays with the person, as staff's.
    """

    class Reason(models.TextChoices):
        WRONG_ANSWER = "wrong_answer"
        WRONG_MEMORY = "wrong_memory"
        NOT_LEARNED = "not_learned"
        PRIVACY = "privacy"
        SECURITY = "security"
        EMERGENCY = "emergency"

    class Reach(models.TextChoices):
        ANSWER = "answer"
        CONVERSATION = "conversation"
        PERSON = "person"

    class WaitsFor(models.TextChoices):
        PERSON = "person"
        SECOND = "second"

    class EndedBy(models.TextChoices):
        PERSON = "person"
        STAFF = "staff"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    staff = models.ForeignKey(User, models.PROTECT, db_index=False, null=True, related_name="+")
    second = models.ForeignKey(User, models.PROTECT, db_index=False, null=True, related_name="+")
    trace_id = models.UUIDField()
    session = models.CharField(max_length=256, null=True)
    reason = models.CharField(max_length=16, choices=Reason)
    ticket = models.CharField(max_length=40)
    reach = models.CharField(max_length=16, choices=Reach)
    scopes = ArrayField(models.CharField(max_length=128))
    minutes = models.SmallIntegerField()
    waits_for = models.CharField(max_length=8, choices=WaitsFor, null=True)
    asked_at = models.DateTimeField()
    starts_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    ended_by = models.CharField(max_length=8, choices=EndedBy, null=True)

    objects = RecordManager()

    class Meta:
        indexes = [
            models.Index("person", F("asked_at").desc(), name="grant_by_person"),
            models.Index("staff", F("asked_at").desc(), name="grant_by_staff"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(minutes__range=(1, LONGEST_GRANT_MINUTES)), name="grant_minutes_1_to_60"
            ),
            models.CheckConstraint(
                condition=Q(starts_at__isnull=True, ends_at__isnull=True)
                | Q(starts_at__isnull=False, ends_at__gt=F("starts_at")),
                name="grant_ends_after_it_starts",
            ),
            models.CheckConstraint(
                condition=Q(ended_at__isnull=True, ended_by__isnull=True)
                | Q(ended_at__isnull=False, ended_by__isnull=False),
                name="grant_ended_by_somebody",
            ),
            models.CheckConstraint(condition=~Q(person=F("staff")), name="grant_of_another"),
            models.CheckConstraint(
                condition=Q(second__isnull=True) | ~Q(second=F("staff")), name="grant_seconded_by_another"
            ),
        ]
        triggers = [
            *append_only(
                closing=["staff_id", "second_id", "waits_for", "starts_at", "ends_at", "ended_at", "ended_by"]
            ),
            pgtrigger.Protect(
                name="staff_stays",
                operation=pgtrigger.Update,
                condition=pgtrigger.Condition(
                    "OLD.staff_id IS DISTINCT FROM NEW.staff_id AND (NEW.staff_id IS NOT NULL"
                    " OR current_setting('app.erasing', true) IS DISTINCT FROM OLD.staff_id::text)"
                ),
            ),
        ]

    @property
    def is_emergency(self) -> bool:
        return self.reason == self.Reason.EMERGENCY

    @property
    def is_flagged(self) -> bool:
        """An emergency that nobody else confirmed."""
        started_at_once = self.starts_at is not None and self.starts_at <= self.asked_at
        return self.is_emergency and self.second_id is None and started_at_once


class Reveal(Personal):
    """One item that was shown under a grant. Shown again under the same grant it is the same reveal."""

    class What(models.TextChoices):
        REQUEST = "request"
        ANSWER = "answer"
        BLOCK = "block"
        MEMORY = "memory"
        SOURCE = "source"
        DECISION = "decision"
        MESSAGE = "message"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    grant = models.ForeignKey(Grant, models.PROTECT, db_index=False, related_name="+")
    what = models.CharField(max_length=16, choices=What)
    object_id = models.UUIDField()
    number = models.IntegerField(default=0, help_text="Of a memory: the version.")
    at = models.DateTimeField()

    objects = RecordManager()

    class Meta:
        constraints = [
            models.UniqueConstraint("grant", "what", "object_id", "number", name="reveal_once_per_grant"),
        ]
        triggers = append_only()


class StaffProposal(Personal):
    """What a staff member proposes to change. The person decides, or has agreed in the ticket, as `consent` says.

    It is about the memory's version that the staff member saw. `text` is the corrected text while it waits; once it is
    decided, the memory has it or nobody wants it.
    """

    class Verb(models.TextChoices):
        CORRECT = "correct"
        FORGET = "forget"

    class State(models.TextChoices):
        WAITING = "waiting"
        ACCEPTED = "accepted"
        DECLINED = "declined"
        WITHDRAWN = "withdrawn"

    class Consent(models.TextChoices):
        TICKET = "ticket"
        CALL = "call"
        CHAT = "chat"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    grant = models.ForeignKey(Grant, models.PROTECT, db_index=False, related_name="+")
    memory_id = models.UUIDField()
    version = models.IntegerField()
    verb = models.CharField(max_length=8, choices=Verb)
    text = models.TextField(null=True)
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    consent = models.CharField(max_length=8, choices=Consent, null=True)
    proposed_at = models.DateTimeField()
    decided_at = models.DateTimeField(null=True)

    objects = RecordManager()

    class Meta:
        indexes = [
            models.Index("person", condition=Q(state="waiting"), name="staff_proposal_waiting"),
            models.Index("grant", name="staff_proposal_by_grant"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Q(verb="correct", state="waiting", text__isnull=False)
                | (~Q(verb="correct", state="waiting") & Q(text__isnull=True)),
                name="staff_proposal_has_text_while_it_waits",
            ),
            models.CheckConstraint(
                condition=Q(state="waiting", decided_at__isnull=True)
                | (~Q(state="waiting") & Q(decided_at__isnull=False)),
                name="staff_proposal_decided_has_time",
            ),
            models.UniqueConstraint("memory_id", condition=Q(state="waiting"), name="staff_proposal_waiting_once"),
        ]
        triggers = append_only(closing=["state", "consent", "decided_at", "text"])
