"""The words of the two policies, as frozen values: tuples where a retrieval makes hundreds, which cost a quarter.

Nothing here reads a clock, a setting or a database: the caller passes what a rule needs.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple
from uuid import UUID

POLICY_VERSION = "1"
"""Stored on every trace and decision; raised whenever a rule, a verdict or the block changes its meaning."""

PERSONAL = "personal"
"""The scope that everybody has, whose memories may serve in all of that person's scopes."""

DURABLE_KINDS = ("preference", "fact", "decision", "identifier")

Origin = Literal["stated", "inferred", "corrected", "imported"]
SourceRole = Literal["user", "assistant", "tool"]
Standing = Literal["current", "paused", "stale", "expired"]
Action = Literal["new", "reconfirmed", "superseded", "retracted", "recorded", "pending", "rejected"]
WriteRule = Literal[
    "paused", "not_durable", "no_scope", "wrong_scope", "secret", "forgotten", "outdated", "nothing_to_retract",
    "retracted", "ended", "instruction", "already_known", "inferred", "review_full", "same_value", "empty_slot",
    "slot_changed",
]  # fmt: skip
VerdictName = Literal["included", "below_floor", "over_limit", "over_budget", "replaced", "duplicate"]
Why = Literal["pinned", "always_on", "relevant", "recent", "frequent", "scope"]


# --- write ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Said:
    """When and where something was said. `at` is aware; `turn` counts within `session`."""

    at: datetime
    session: str | None = None
    turn: int | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A proposed memory, as far as a rule may look at it. `text` is None only for a retraction.

    `origin` is what the write path granted (see `granted_origin`), not what the payload claimed.
    `by_person` is true for what the person does on their own page.
    """

    kind: str
    subject: str
    text: str | None
    said: Said
    scope: str | None = None
    source: str | None = None
    source_role: SourceRole = "user"
    origin: Origin = "inferred"
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    retract: bool = False
    reason: str | None = None
    aliases: tuple[str, ...] = ()
    by_person: bool = False


@dataclass(frozen=True, slots=True)
class Placement:
    """The slot's address: scope name, kind, the subject without its scope head, and the subject's normal form."""

    scope: str
    kind: str
    subject: str
    subject_key: str

    @property
    def key(self) -> str:
        """As shown: kind, `|`, scope and dot unless personal, subject."""
        head = "" if self.scope == PERSONAL else f"{self.scope}."
        return f"{self.kind}|{head}{self.subject}"


@dataclass(frozen=True, slots=True)
class Stands:
    """The one memory that stands in a slot: the normal form of its text and how it stands."""

    value: str
    state: Standing
    valid_from: datetime


@dataclass(frozen=True, slots=True)
class Slot:
    """What a slot holds when a candidate arrives. `pending` are normal forms of the values that wait for review.

    `rejected` are those of the values that the person said no to.
    """

    stands: Stands | None = None
    last_said: Said | None = None
    pending: tuple[str, ...] = ()
    has_closed: bool = False
    rejected: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tombstones:
    """What this person does not want learned again. `digest` maps a normal form to the person's keyed digest.

    `closed_subjects` are (scope, subject_key) pairs of the do-not-learn list.
    """

    digest: Callable[[str], bytes]
    values: frozenset[bytes] = frozenset()
    closed_subjects: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Rules:
    """The person's settings and the limits that the write policy needs. `scopes` are the names the person has."""

    now: datetime
    learning: bool = True
    scope_learning: dict[str, bool] = field(default_factory=dict)
    scopes: frozenset[str] = frozenset()
    max_pending: int = 5


Target = Literal["none", "fresh", "standing", "closed", "pending"]
"""Which memory takes the change: none, a new row, the standing one, the slot's closed one, the equal pending one."""


@dataclass(frozen=True, slots=True)
class WriteDecision:
    """The write policy's answer. `detail` is one plain sentence without any memory text.

    `placement` is None when no scope could be found. `target` and `state` say what the store has to do: which memory
    takes the change and how it stands afterwards (`closed` for history only).
    """

    action: Action
    rule: WriteRule
    detail: str
    placement: Placement | None = None
    target: Target = "none"
    state: Literal["current", "paused", "pending", "closed"] | None = None


# --- retrieval -----------------------------------------------------------------------------------------------------


class Score(NamedTuple):
    """Relevance in [0, 1] and its parts, in values by name, as the trace and `explain` show them."""

    relevance: float
    values: tuple[float, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def parts(self) -> dict[str, float]:
        return dict(zip(self.names, self.values, strict=True))


class Offered(NamedTuple):
    """One memory that is in scope and valid: what ranking, budget and block need of it.

    `scope_rank` is the place of its scope in the request (0 first), and the number of named scopes for `personal`.
    `score` is None at session start and for always-on memories that no request scored. `why` is how it qualified
    when it is not by relevance: pinned, always_on, recent, frequent, scope; None means it has to pass the floor.
    """

    memory_id: UUID
    version: int
    kind: str
    scope: str
    subject: str
    subject_key: str
    text: str
    confirmed_at: datetime
    seen: int = 1
    scope_rank: int = 0
    pinned: bool = False
    score: Score | None = None
    why: Why | None = None
    importance: int | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """A hard bound on the whole block: `size` units as `measure` counts them (tokens or characters)."""

    size: int
    measure: Callable[[str], int]


class Verdict(NamedTuple):
    """What became of one offered memory; the list of them, in rank order, is the trace."""

    offered: Offered
    verdict: VerdictName
    why: Why | None = None


@dataclass(frozen=True, slots=True)
class BlockEntry:
    """One line of the block. `text` is None where the memory is gone or withheld since; `gap` then says why."""

    kind: str
    scope: str
    text: str | None
    confirmed_at: datetime
    gap: str | None = None
