"""The list of a person's memories: found by typing, narrowed by facets, sorted, a page at a time, counted exactly."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from django.db.models import F

from accounts.actors import Actor
from accounts.models import Scope
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services.listed import Listed, listed, rewritten
from memoryapp.services.matching import LISTED_STATUSES, PageFilters
from memoryapp.services.one_pass import Combination, Passed, Place, one_pass
from memoryapp.services.paging import decode_cursor, decode_id, decode_instant, encode_cursor, not_a_cursor

__all__ = ["FacetValue", "Page", "PageFilters", "find"]

Direction = Literal["older", "newer"]

_FACETS = ("scope", "kind", "origin", "status", "use")
_MOST_SEEN = 2**31 - 1


@dataclass(frozen=True, slots=True)
class FacetValue:
    """How many there would be with this value chosen and the other filters as they are."""

    value: str
    count: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page of the list. `count` is of all that match, `total` of all that could be listed without any filter.

    `facets` by scope, kind, origin, status and use: the values that occur under the other filters and the chosen one,
    most first. `new` counts what was written since the last visit. `first` is the place of the first row, from 1.
    `older` and `newer` are cursors, None where there is nothing further.
    """

    rows: tuple[Listed, ...]
    count: int
    total: int
    new: int
    facets: Mapping[str, tuple[FacetValue, ...]]
    first: int
    older: str | None
    newer: str | None


def find(
    filters: PageFilters,
    *,
    actor: Actor,
    cursor: str | None = None,
    direction: Direction = "older",
    limit: int = 50,
) -> Page:
    """The page after the cursor in that direction, highest first in every sort, ties by id; at most five reads.

    A cursor beyond which nothing is left gives the page that ends there. Invalid when it is none of this sort.
    """
    place = _decoded(cursor, filters.sort) if cursor is not None else None
    now = datetime.now(UTC)
    with acting_for(actor.opened):
        scopes, last_visit_at = _scopes(actor)

        def look(place: Place | None = None, way: Literal["after", "before", "from"] = "after") -> Passed:
            return one_pass(
                filters, actor=actor, now=now, last_visit_at=last_visit_at, limit=limit, place=place, way=way
            )

        passed = look(place, "after" if direction == "older" else "before")
        if place is not None and direction == "older" and not passed.places:
            passed = look(place, "from")
        elif direction == "newer" and len(passed.places) < limit:
            passed = look()
        heads = Memory.objects.in_bulk([memory_id for _, memory_id in passed.places])
        for head in heads.values():
            head.scope = scopes[head.scope_id]
        unquoted = rewritten(heads.values())
    counts = _counted(filters, passed.combinations, {scope.pk: scope.name for scope in scopes.values()})
    shown = [place for place in passed.places if place[1] in heads]
    more = passed.ahead + len(passed.places) < counts.count
    return Page(
        rows=tuple(
            listed(heads[pk], now, last_visit_at=last_visit_at, is_quoted=pk not in unquoted) for _, pk in shown
        ),
        count=counts.count,
        total=counts.total,
        new=counts.new,
        facets=counts.facets,
        first=passed.ahead + 1 if shown else 0,
        older=_encoded(shown[-1], filters.sort) if shown and more else None,
        newer=_encoded(shown[0], filters.sort) if shown and passed.ahead else None,
    )


def _scopes(actor: Actor) -> tuple[dict[UUID, Scope], datetime | None]:
    """The person's scopes, and when their last visit ended."""
    rows = list(Scope.objects.filter(person_id=actor.opened).annotate(visit_ended_at=F("person__last_visit_at")))
    return {scope.pk: scope for scope in rows}, next((scope.visit_ended_at for scope in rows), None)


def _encoded(place: Place, sort: str) -> str:
    key, memory_id = place
    return encode_cursor(sort, key.isoformat() if isinstance(key, datetime) else str(key), str(memory_id))


def _decoded(cursor: str, sort: str) -> Place:
    made_for, key, memory_id = decode_cursor(cursor, 3)
    if made_for != sort:
        raise not_a_cursor()
    if sort != "most":
        return decode_instant(key), decode_id(memory_id)
    if not key.isdecimal() or len(key) > len(str(_MOST_SEEN)) or int(key) > _MOST_SEEN:
        raise not_a_cursor()
    return int(key), decode_id(memory_id)


@dataclass(frozen=True, slots=True)
class _Counts:
    count: int
    total: int
    new: int
    facets: Mapping[str, tuple[FacetValue, ...]]


def _counted(filters: PageFilters, combinations: Iterable[Combination], scopes: Mapping[UUID, str]) -> _Counts:
    chosen: dict[str, str | None] = {name: getattr(filters, name) for name in _FACETS}
    count = total = new = 0
    facets: dict[str, Counter[str]] = {name: Counter() for name in _FACETS}
    for one in combinations:
        if one.status in LISTED_STATUSES:
            total += one.memories
            new += one.memories if one.is_new else 0
        if not (one.found and one.in_since and (one.is_new or not filters.new)):
            continue
        values = {**{name: getattr(one, name) for name in _FACETS}, "scope": scopes.get(one.scope, "")}
        missed = [name for name in _FACETS if not _fits(name, values[name], chosen[name])]
        if not missed:
            count += one.memories
        # A facet counts what all other filters let through.
        for name in _FACETS if not missed else missed if len(missed) == 1 else ():
            facets[name][values[name]] += one.memories
    return _Counts(count, total, new, {name: _values(facets[name], chosen[name]) for name in _FACETS})


def _fits(name: str, value: str, chosen: str | None) -> bool:
    if chosen is None:
        return name != "status" or value in LISTED_STATUSES
    return value == chosen


def _values(counter: Counter[str], chosen: str | None) -> tuple[FacetValue, ...]:
    """The chosen value stays, also when nothing is left of it, so that it can be taken back."""
    counts = {**({chosen: 0} if chosen else {}), **counter}
    counts.pop("", None)
    ordered = sorted(counts, key=lambda value: (-counts[value], value))
    return tuple(FacetValue(value, counts[value]) for value in ordered)
