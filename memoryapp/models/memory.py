"""The head of a memory, its versions and confirmations, and the decisions that made them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from accounts.ids import uuid7
from accounts.models import AgentKey, Scope
from memoryapp.models.personal import Personal, PersonalManager, ScopedManager, append_only


class State(models.TextChoices):
    """How a memory is stored. `expired` is not among them: it is computed when read."""

    CURRENT = "current"
    PENDING = "pending"
    PAUSED = "paused"
    STALE = "stale"
    CLOSED = "closed"
    FORGOTTEN = "forgotten"


LIVING = (State.CURRENT, State.PAUSED, State.STALE)
"""At most one memory of these states per slot; an expired one is a current one past its time."""

WAITS = (
    Q(state=State.PENDING)
    | Q(state=State.PAUSED, pending_rule__isnull=False)
    | Q(state=State.STALE)
    | Q(disputed=True, state__in=LIVING)
)
"""What waits for the person: guesses, paused ones whose text is new, what nobody has heard of for long, disputes."""


class Statement(Personal):
    """What a memory's head and each of its versions have in common.

    `original_origin` is the origin that an imported one had where it came from, as far as that is known for sure.
    """

    scope = models.ForeignKey(Scope, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    kind = models.CharField(max_length=64)
    subject = models.CharField(max_length=200)
    subject_key = models.TextField()
    state = models.CharField(max_length=16, choices=State)
    text = models.TextField()
    source = models.TextField(null=True)
    source_role = models.CharField(max_length=16, default="user")
    session = models.CharField(max_length=256, null=True)
    turn = models.IntegerField(null=True)
    occurred_at = models.DateTimeField()
    origin = models.CharField(max_length=16)
    original_origin = models.CharField(max_length=16, null=True)
    reason = models.TextField(null=True)
    aliases = ArrayField(models.CharField(max_length=80), default=list)
    importance = models.SmallIntegerField(null=True)
    pinned = models.BooleanField(default=False)
    valid_from = models.DateTimeField()
    valid_to = models.DateTimeField(null=True)
    expires_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True


class Memory(Statement):
    """One settled statement about a slot: the head that lists and retrieval read.

    Keeps its id through confirmations and corrections. `version` is the number of the current version, `versions` how
    many there ever were (a version of history only is never the current one). `state_by` and `pinned_by` say who
    decided, so that agents do not overrule people. `last_said_*` is what the slot remembers of when it was spoken of;
    null for history only. `statement` is the version whose confirmations `seen` counts.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.IntegerField(default=1)
    versions = models.IntegerField(default=1)
    seen = models.IntegerField(default=1)
    pending_rule = models.CharField(max_length=32, null=True)
    disputed = models.BooleanField(default=False)
    metadata = models.JSONField(default=dict)
    current_version = models.ForeignKey(
        "MemoryVersion", models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    statement = models.ForeignKey(
        "MemoryVersion", models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+"
    )
    confirmed_at = models.DateTimeField()
    last_said_at = models.DateTimeField(null=True)
    last_said_session = models.CharField(max_length=256, null=True)
    last_said_turn = models.IntegerField(null=True)
    state_by = models.CharField(max_length=16)
    pinned_by = models.CharField(max_length=16, null=True)
    last_used_at = models.DateTimeField(null=True)
    use_count = models.IntegerField(default=0)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    forgotten_at = models.DateTimeField(null=True)

    objects = ScopedManager()

    class Meta:
        indexes = [
            models.Index("person", F("id").desc(), name="memory_newest_first"),
            models.Index("person", "changed_at", "id", name="memory_by_change"),
            models.Index("scope", "kind", "subject_key", name="memory_by_slot"),
            models.Index(F("person"), condition=WAITS, name="memory_waiting"),
            models.Index(
                F("person"), F("forgotten_at").desc(), condition=Q(forgotten_at__isnull=False), name="memory_forgotten"
            ),
        ]
        constraints = [
            models.UniqueConstraint("person", "id", name="memory_with_person"),
            models.UniqueConstraint(
                "scope", "kind", "subject_key", condition=Q(state__in=LIVING), name="memory_one_living_per_slot"
            ),
            models.CheckConstraint(condition=Q(seen__gte=1), name="memory_seen_at_least_once"),
            models.CheckConstraint(condition=Q(use_count__gte=0), name="memory_use_count_not_negative"),
            models.CheckConstraint(
                condition=Q(version__gte=1) & Q(versions__gte=F("version")), name="memory_version_in_range"
            ),
            models.CheckConstraint(
                condition=Q(valid_to__isnull=True) | Q(valid_to__gte=F("valid_from")), name="memory_validity_in_order"
            ),
            models.CheckConstraint(condition=Q(state__in=State.values), name="memory_state_known"),
            models.CheckConstraint(
                condition=Q(importance__isnull=True) | Q(importance__range=(1, 10)), name="memory_importance_1_to_10"
            ),
            models.CheckConstraint(
                condition=Q(state=State.FORGOTTEN, forgotten_at__isnull=False)
                | (~Q(state=State.FORGOTTEN) & Q(forgotten_at__isnull=True)),
                name="memory_forgotten_has_time",
            ),
            models.CheckConstraint(
                condition=~Q(state=State.PENDING) | Q(pending_rule__isnull=False), name="memory_pending_has_rule"
            ),
        ]

    @property
    def is_persons_word(self) -> bool:
        """Whether the person wrote it on their page, here or where it was imported from."""
        return "corrected" in (self.origin, self.original_origin if self.origin == "imported" else None)


class MemoryVersion(Statement):
    """Every version ever, recorded in [recorded_at, closed_at). Append-only but for closing.

    `statement` is the version that first said this value: versions that amend other fields share its confirmations.
    `valid_to` is what was stated when it was recorded; `closes_at` where a later statement closed the validity.
    `scope_name` is the scope's name at that time.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    memory = models.ForeignKey(Memory, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    number = models.IntegerField()
    statement = models.ForeignKey("self", models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    scope_name = models.CharField(max_length=128)
    actor_kind = models.CharField(max_length=16)
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, null=True, db_index=False, related_name="+")
    recorded_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)
    closes_at = models.DateTimeField(null=True)

    objects = ScopedManager()

    class Meta:
        indexes = [models.Index("person", "scope", "recorded_at", name="version_by_scope")]
        constraints = [
            models.UniqueConstraint("memory", "number", name="version_number_once"),
            models.UniqueConstraint("person", "id", name="version_with_person"),
            models.UniqueConstraint("memory", "id", name="version_with_memory"),
            models.CheckConstraint(
                condition=Q(valid_to__isnull=True) | Q(valid_to__gte=F("valid_from")), name="version_validity_in_order"
            ),
            models.CheckConstraint(
                condition=Q(closes_at__isnull=True) | Q(closes_at__gte=F("valid_from")), name="version_closes_in_order"
            ),
            models.CheckConstraint(
                condition=Q(closed_at__isnull=True) | Q(closed_at__gte=F("recorded_at")),
                name="version_recording_in_order",
            ),
        ]
        triggers = append_only(closing=["closed_at", "closes_at"], quotes=["source"])


class Confirmation(Personal):
    """One time that a version's value was said: the first statement, a restatement, "still true" on the page.

    `message_erased`: the message in which it was said was erased since, so that it is no support any more.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    version = models.ForeignKey(MemoryVersion, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    said_at = models.DateTimeField()
    session = models.CharField(max_length=256, null=True)
    turn = models.IntegerField(null=True)
    source = models.TextField(null=True)
    message_erased = models.BooleanField(default=False)
    actor_kind = models.CharField(max_length=16)
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, null=True, db_index=False, related_name="+")
    recorded_at = models.DateTimeField()

    objects = PersonalManager()

    class Meta:
        indexes = [
            models.Index("version", "recorded_at", name="confirmation_by_version"),
            models.Index("person", "session", "turn", condition=Q(session__isnull=False), name="confirmation_by_turn"),
        ]
        triggers = append_only(quotes=["source", "message_erased"])


class Decision(Personal):
    """The write policy's answer to one proposal, refused ones too. Append-only.

    Accepted text stands in the version. Text refused by `secret`, `forgotten` or `paused` is not kept at all.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    memory = models.ForeignKey(
        Memory, models.DO_NOTHING, db_constraint=False, db_index=False, null=True, related_name="+"
    )
    version = models.ForeignKey(
        MemoryVersion, models.DO_NOTHING, db_constraint=False, db_index=False, null=True, related_name="+"
    )
    action = models.CharField(max_length=16)
    rule = models.CharField(max_length=32)
    policy_version = models.CharField(max_length=16)
    kind = models.CharField(max_length=64)
    scope_name = models.CharField(max_length=128, null=True)
    subject = models.CharField(max_length=200, null=True)
    subject_key = models.TextField(null=True, help_text="Only where a slot is to remember a word that changed nothing.")
    said_at = models.DateTimeField(null=True)
    text = models.TextField(null=True)
    source = models.TextField(null=True)
    source_role = models.CharField(max_length=16, null=True)
    origin = models.CharField(max_length=16)
    session = models.CharField(max_length=256, null=True)
    turn = models.IntegerField(null=True)
    actor_kind = models.CharField(max_length=16)
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, null=True, db_index=False, related_name="+")
    recorded_at = models.DateTimeField()

    objects = PersonalManager()

    class Meta:
        indexes = [
            models.Index("memory", F("id").desc(), name="decision_by_memory"),
            models.Index("person", F("id").desc(), name="decision_by_person"),
            models.Index("person", "session", "turn", condition=Q(session__isnull=False), name="decision_by_turn"),
            models.Index(
                F("person"),
                F("scope_name"),
                F("kind"),
                F("subject_key"),
                condition=Q(rule="nothing_to_retract"),
                name="decision_took_nothing_back",
            ),
        ]
        triggers = append_only(quotes=["source"])


class Tombstone(Personal):
    """What remains of "do not learn this again": a digest of the normal form, keyed per person; no text.

    Without a digest it closes a whole subject.
    """

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    memory = models.ForeignKey(
        Memory, models.DO_NOTHING, db_constraint=False, db_index=False, null=True, related_name="+"
    )
    digest = models.BinaryField(max_length=32, null=True)
    kind = models.CharField(max_length=64)
    scope_name = models.CharField(max_length=128)
    subject_key = models.TextField()
    recorded_at = models.DateTimeField()

    objects = PersonalManager()

    class Meta:
        indexes = [
            models.Index("person", "digest", name="tombstone_by_digest"),
            models.Index("memory", name="tombstone_by_memory"),
        ]
