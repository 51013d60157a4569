"""What became of each memory that a retrieval weighed, in words, and how many were left at each step."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from django.utils.translation import gettext as _

from memoryapp.dashboard import verdicts as in_words
from memoryapp.policy.types import Offered, Verdict

MOST_SHOWN = 50
"""So many of those that were left out are shown; the others are counted."""
_LEAST_SHOWN = 0.005
"""Less is shown as 0.00."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """`relevance` is None for what is always sent and at the opening of a conversation. `parts` says how it came."""

    memory: Offered
    relevance: float | None
    is_sent: bool
    label: str
    verdict: str
    parts: tuple[str, ...]
    meets_words: bool = False

    @property
    def is_near(self) -> bool:
        """Whether the request meets it at all: by a word, or by a meaning that comes to something."""
        return self.is_sent or self.relevance is None or self.relevance >= _LEAST_SHOWN or self.meets_words

    @property
    def percent(self) -> int:
        return round(100 * (self.relevance or 0))


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the funnel. `percent` is its share of the first."""

    count: int
    label: str
    percent: float


def candidates(verdicts: Iterable[Verdict], *, floor: float) -> list[Candidate]:
    """In rank order."""
    return [
        Candidate(
            memory=one.offered,
            relevance=one.offered.score.relevance if one.offered.score else None,
            is_sent=one.verdict == "included",
            label=in_words.label(one.why, is_scored=one.offered.score is not None),
            verdict=_sentence(one, floor),
            parts=tuple(in_words.met(one.offered.score.parts if one.offered.score else {})),
            meets_words=bool(one.offered.score and one.offered.score.parts.get("words")),
        )
        for one in verdicts
    ]


def _sentence(one: Verdict, floor: float) -> str:
    relevance = one.offered.score.relevance if one.offered.score else None
    return in_words.sentence(one.verdict, one.why, relevance, floor)


class Weighing(Protocol):
    """A retrieval, tried out or recorded: how many it had to choose from, and how many were not sent by verdict."""

    @property
    def offered(self) -> int: ...
    @property
    def withheld(self) -> Mapping[str, int]: ...


def funnel(outcome: Weighing, *, has_request: bool) -> list[Step]:
    """In scope, what qualified, what was no repetition, what was sent."""
    lost = outcome.withheld
    # Where nothing has a relevance, what was not chosen is over the limit.
    qualified = outcome.offered - (lost["below_floor"] if has_request else lost["over_limit"])
    distinct = qualified - lost["replaced"] - lost["duplicate"]
    sent = distinct - lost["over_budget"] - (lost["over_limit"] if has_request else 0)
    steps = [
        (outcome.offered, _("in these scopes")),
        (qualified, _("always sent, or relevant enough") if has_request else _("always sent, recent or often used")),
        (distinct, _("said once, not twice")),
        (sent, _("within the budget, sent")),
    ]
    whole = max(outcome.offered, 1)
    return [Step(count, label, round(100 * count / whole, 1)) for count, label in steps]
