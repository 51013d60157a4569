"""What became of each memory that a retrieval weighed, in words, and how many were left at each step."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryapp.policy.types import Offered, Verdict
from memoryapp.services.rehearse import Rehearsal

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
            label=_label(one),
            verdict=_verdict(one, floor),
            parts=tuple(_parts(one.offered)),
            meets_words=bool(one.offered.score and one.offered.score.parts.get("words")),
        )
        for one in verdicts
    ]


def funnel(outcome: Rehearsal, *, has_request: bool) -> list[Step]:
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


def _label(one: Verdict) -> str:
    match one.why:
        case "pinned":
            return _("pinned")
        case "always_on":
            return _("preference")
        case "recent":
            return _("recent")
        case "frequent":
            return _("often used")
        case "scope":
            return _("of this scope")
    return _("relevant") if one.offered.score else _("left out")


def _verdict(one: Verdict, floor: float) -> str:
    match one.verdict:
        case "included":
            return _sent_because(one)
        case "below_floor":
            relevance = one.offered.score.relevance if one.offered.score else 0.0
            return _("Not relevant enough: %(relevance).2f, and the floor is %(floor).2f.") % {
                "relevance": relevance,
                "floor": floor,
            }
        case "over_limit":
            return _("Enough others came before it.")
        case "over_budget":
            return _("There was no room left for it in the budget.")
        case "replaced":
            return _("The scope has its own preference on this, which goes instead.")
        case "duplicate":
            return _("It says the same as one that is sent.")


def _sent_because(one: Verdict) -> str:
    match one.why:
        case "pinned":
            return _("Sent always, because it is pinned.")
        case "always_on":
            return _("Sent always, because it is a preference.")
        case "recent":
            return _("Sent, because it was said in the last days.")
        case "frequent":
            return _("Sent, because it is used often.")
        case "scope":
            return _("Sent, because it belongs to this scope.")
    return _("Sent, because it fits the request.")


def _parts(offered: Offered) -> Iterator[str]:
    parts = offered.score.parts if offered.score else {}
    if not any(parts.values()):
        return
    if "cosine" in parts:
        yield _("meaning: %(share).0f %% near") % {"share": 100 * parts["cosine"]}
    if words := round(parts.get("words", 0) + 0.25):
        yield ngettext("%(n)s word of the request met", "%(n)s words of the request met", words) % {"n": words}
    if coverage := parts.get("coverage"):
        yield _("%(share).0f %% of what was asked, rare words counting more") % {"share": 100 * coverage}
    if parts.get("names"):
        yield _("its subject is named in full")
    if 0 < parts.get("of_best", 1) < 1:
        yield _("%(share).0f %% of the best one") % {"share": 100 * parts["of_best"]}
    if "known" in parts:
        yield _("%(share).0f %% sure that anything here fits") % {"share": 100 * parts["known"]}
