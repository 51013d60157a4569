"""The facets beside the list: every value a link to the list with it, and back."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp.dashboard import wording
from memoryapp.dashboard.place import Place
from memoryapp.services.finding import Page


@dataclass(frozen=True, slots=True)
class Choice:
    """`id` is the same in every answer, so that the focus stays on it. `count` None: not counted."""

    id: str
    label: str
    url: str
    count: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    title: str
    choices: tuple[Choice, ...]


def facets(place: Place, found: Page) -> list[Facet]:
    """Only what can make a difference: a facet with one value, not chosen, is left out."""
    return [facet for facet in _all(place, found) if facet.choices]


def chosen(place: Place) -> list[str]:
    """The filters that are set, in words, for the line of counts. The search is said apart."""
    words = [_label(name, value) for name in _TITLES if (value := getattr(place.filters, name))]
    if place.since:
        words.append(_("since %(day)s") % {"day": place.since.isoformat()})
    if place.filters.new:
        words.append(_("new since your last visit"))
    return words


_TITLES = ("scope", "kind", "origin", "status", "use")


def _all(place: Place, found: Page) -> Iterator[Facet]:
    titles = {
        "scope": _("Scope"), "kind": _("Kind"), "origin": _("Who says so"), "status": _("Status"), "use": _("Use"),
    }  # fmt: skip
    for name in _TITLES:
        yield Facet(name, titles[name], tuple(_choices(name, place, found)))
    yield Facet("since", _("Written"), tuple(_days(place)))


def _choices(name: str, place: Place, found: Page) -> Iterator[Choice]:
    values = found.facets.get(name, ())
    now = getattr(place.filters, name)
    if not now and len(values) < (2 if name != "use" else 1):
        return
    if name == "scope":
        everything = place.narrowed(scope=None)
        count = sum(value.count for value in values)
        yield Choice("f-scope", _("All"), everything.url, count, now is None)
    for value in values:
        is_chosen = value.value == now
        to = place.narrowed(**{name: None if is_chosen and name != "scope" else value.value})
        yield Choice(_id(name, value.value), _label(name, value.value), to.url, value.count, is_chosen)


def _days(place: Place) -> Iterator[Choice]:
    today = timezone.localdate()
    spans = {7: _("In the last 7 days"), 30: _("In the last 30 days"), 365: _("In the last year")}
    for days, label in spans.items():
        since = today - timedelta(days=days)
        is_chosen = place.since == since
        yield Choice(f"f-since-{days}", label, place.from_day(None if is_chosen else since).url, None, is_chosen)


def _id(name: str, value: str) -> str:
    """Any text makes an id, also one with spaces or in other scripts."""
    return f"f-{name}-{value.encode().hex() if not value.isascii() or not value.isalnum() else value}"


def _label(name: str, value: Any) -> str:
    match name:
        case "scope":
            return wording.scope(value)
        case "kind":
            return str(wording.KINDS_MANY.get(value, value))
        case "origin":
            return str(wording.ORIGINS.get(value, value))
        case "status":
            return str(wording.STATUSES.get(value, value))
    return str(wording.USES.get(value, value))
