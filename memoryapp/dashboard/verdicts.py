"""Why a memory was sent or left out, in words. For a verdict of the policy and for one that a trace recorded."""

from collections.abc import Iterator, Mapping
from typing import Literal

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from memoryapp.dashboard import wording
from memoryapp.dashboard.days import day_in_words
from memoryapp.services.paused_by import PausedBy
from memoryapp.services.trace_view import Weighed

Reader = Literal["person", "staff"]
"""Who is told: the person whom the memory is about, or staff."""


def label(why: str | None, *, is_scored: bool) -> str:
    """One or two words on how it came."""
    match why:
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
    return _("relevant") if is_scored else _("left out")


def sentence(verdict: str, why: str | None, relevance: float | None, floor: float) -> str:
    """One sentence. A verdict of a later release is shown by its name."""
    match verdict:
        case "included":
            return _sent_because(why)
        case "below_floor":
            return _("Not relevant enough: %(relevance)s, and the floor is %(floor)s.") % {
                "relevance": wording.decimal(relevance or 0.0),
                "floor": wording.decimal(floor),
            }
        case "over_limit":
            return _("Enough others came before it.")
        case "over_budget":
            return _("There was no room left for it in the budget.")
        case "replaced":
            return _("The scope has its own preference on this, which goes instead.")
        case "duplicate":
            return _("It says the same as one that is sent.")
        case "paused":
            return _("It was paused, so it was held back.")
        case "stale":
            return _("Nobody had confirmed it for long, so it was held back.")
    return verdict.replace("_", " ")


def recorded(one: Weighed, floor: float, *, reader: Reader) -> str:
    """The sentence on a memory of a trace, which also knows who had paused it."""
    if one.verdict == "paused" and one.paused_by:
        return _paused(one.paused_by, reader)
    return sentence(one.verdict, one.why, one.relevance, floor)


def _paused(by: PausedBy, reader: Reader) -> str:
    match by.kind, reader:
        case "person", "person":
            words = _("You had paused it on %(day)s, so it was held back.")
        case "person", _reader:
            words = _("The person had paused it on %(day)s, so it was held back.")
        case "agent", _reader if by.agent:
            words = _("%(agent)s had paused it on %(day)s, so it was held back.")
        case "agent", _reader:
            words = _("An assistant had paused it on %(day)s, so it was held back.")
        case _other:
            words = _("It was paused on %(day)s, so it was held back.")
    # The name keeps its direction beside words of the other one.
    return words % {"agent": f"\u2068{by.agent}\u2069", "day": day_in_words(by.at)}


def _sent_because(why: str | None) -> str:
    match why:
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


def met(parts: Mapping[str, float]) -> Iterator[str]:
    """What of the request it met; nothing where it met nothing."""
    if not any(parts.values()):
        return
    if "cosine" in parts:
        yield _("meaning: %(share).0f %% near") % {"share": 100 * parts["cosine"]}
    if words := round(parts.get("words", 0) + 0.25):
        yield ngettext("%(n)s word of the request met", "%(n)s words of the request met", words) % {"n": words}
    if coverage := parts.get("coverage"):
        yield _("%(share).0f %% of what was asked, rare words counting more") % {"share": 100 * coverage}
    if parts.get("names"):
        yield _("named by its subject or by a name in it")
    if 0 < parts.get("of_best", 1) < 1:
        yield _("%(share).0f %% of the best one") % {"share": 100 * parts["of_best"]}
    if "known" in parts:
        yield _("%(share).0f %% sure that anything here fits") % {"share": 100 * parts["known"]}
