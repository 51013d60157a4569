"""One pass over a person's memories: the places of a page, and how many there are of each combination of values.

One statement, so that the counts and the list are of one instant, and ten thousand rows are looked at once.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import connection
from django.db.models import Case, DateTimeField, F, Func, IntegerField, Q, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from accounts.actors import Actor
from memoryapp.services.matching import (
    ORIGINS,
    STATUSES,
    PageFilters,
    conditions,
    hits,
    is_new,
    remembered,
    used_lately,
)

NEVER = "0001-01-01T00:00:00+00:00"
"""The sort key of what was never used."""

_SORT_KEYS: dict[str, Combinable] = {
    "said": F("confirmed_at"),
    "written": F("created_at"),
    "used": Coalesce("last_used_at", Value(datetime.fromisoformat(NEVER)), output_field=DateTimeField()),
    "most": F("seen"),
}

_USED, _NEVER_USED, _FOUND, _IN_SINCE, _IS_NEW, _FITS = (1 << bit for bit in range(6))
_ORIGIN, _STATUS = 6, 10
"""What is known of each row, in one number: bits, and from these bits on the places of its origin and its status in
their lists, from 1. Rows are kept and grouped by it, which takes half as long as with words."""

_COLUMNS = ("pk", "scope_id", "kind", "marks", "sort_key")

_LOOK_THROUGH = f"""
with one (id, scope, kind, marks, sort_key) as materialized ({{one}}),
page as (
    select sort_key, id from one where marks & {_FITS | _FOUND} = {_FITS | _FOUND} {{beyond}}
    order by sort_key {{way}}, id {{way}} limit %s
),
first as (select sort_key, id from page order by sort_key desc, id desc limit 1),
combination as (select scope, kind, marks, count(*) as memories from one group by scope, kind, marks)
select
    (select json_agg(json_build_array(scope, kind, marks, memories)) from combination),
    (select json_agg(json_build_array(sort_key, id) order by sort_key desc, id desc) from page),
    {{ahead}}
"""
_AHEAD = f"""
(select count(*) from one, first
    where marks & {_FITS | _FOUND} = {_FITS | _FOUND} and (one.sort_key, one.id) > (first.sort_key, first.id))
"""

Place = tuple[datetime | int, UUID]
"""A row's sort key and its id: where it is in the order."""

Way = Literal["after", "before", "from"]
"""Which rows: those that follow a place in the list, those ahead of it, or those ahead and the row itself."""


@dataclass(frozen=True, slots=True)
class Combination:
    """So many memories have these values. `found` by the search, `in_since` written since then."""

    scope: UUID
    kind: str
    origin: str
    status: str
    use: str
    found: bool
    in_since: bool
    is_new: bool
    memories: int


@dataclass(frozen=True, slots=True)
class Passed:
    """The places of the page in the order of the list, the number of matching rows ahead of the first, and counts."""

    places: Sequence[Place]
    ahead: int
    combinations: Sequence[Combination]


def one_pass(
    filters: PageFilters,
    *,
    actor: Actor,
    now: datetime,
    last_visit_at: datetime | None,
    limit: int,
    place: Place | None = None,
    way: Way = "after",
) -> Passed:
    """Up to `limit` matching rows beside the place, by default the first ones; while the person is open."""
    one, parameters = _one(filters, actor, now, last_visit_at)
    beyond, ahead = "", "0"
    if place is not None:
        ahead = _AHEAD
        sign = {"after": "<", "before": ">", "from": ">="}[way]
        beyond, parameters = f"and (sort_key, id) {sign} (%s, %s)", [*parameters, *place]
    order = "desc" if place is None or way == "after" else "asc"
    with connection.cursor() as cursor:
        cursor.execute(_LOOK_THROUGH.format(one=one, beyond=beyond, way=order, ahead=ahead), [*parameters, limit])
        combinations, places, rows_ahead = cursor.fetchone()
    return Passed(
        places=[(_sort_key(key), UUID(memory_id)) for key, memory_id in _loaded(places)],
        ahead=rows_ahead,
        combinations=[_combination(*row) for row in _loaded(combinations)],
    )


def _combination(scope: str, kind: str, marks: int, memories: int) -> Combination:
    return Combination(
        scope=UUID(scope),
        kind=kind,
        origin=("", *ORIGINS)[(marks >> _ORIGIN) % 16],
        status=("", *STATUSES)[marks >> _STATUS],
        use="used" if marks & _USED else "never" if marks & _NEVER_USED else "",
        found=bool(marks & _FOUND),
        in_since=bool(marks & _IN_SINCE),
        is_new=bool(marks & _IS_NEW),
        memories=memories,
    )


def _one(
    filters: PageFilters, actor: Actor, now: datetime, last_visit_at: datetime | None
) -> tuple[str, Sequence[Any]]:
    wanted = conditions(filters, now, last_visit_at)
    fits = Q(*(one for one in wanted.values() if one is not None))
    never = Q(use_count=0)
    marks = (
        _mark(never, _NEVER_USED)
        + _mark(~never & used_lately(now), _USED)
        + _mark(Q(*hits(filters)), _FOUND)
        + _mark(wanted["since"] or Q(), _IN_SINCE)
        + (_mark(is_new(last_visit_at), _IS_NEW) if last_visit_at else Value(0))
        + _mark(fits, _FITS)
        + _PlaceIn(ORIGINS, "origin", _ORIGIN)
        + _PlaceIn(STATUSES, "status_now", _STATUS)
    )
    rows = remembered(actor, now).annotate(marks=marks, sort_key=_SORT_KEYS[filters.sort])
    sql, parameters = rows.order_by().values_list(*_COLUMNS).query.sql_with_params()
    return sql, list(parameters)


def _mark(condition: Q, mark: int) -> Combinable:
    """The mark where the condition holds; an empty one always does."""
    if not condition:
        return Value(mark, output_field=IntegerField())
    return Case(When(condition, then=Value(mark)), default=Value(0), output_field=IntegerField())


def _sort_key(key: str | int) -> datetime | int:
    return key if isinstance(key, int) else datetime.fromisoformat(key)


def _loaded(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value or []


class _PlaceIn(Func):
    """The place of a value in a list, from 1, shifted; 0 where it is not in it."""

    template = "(coalesce(array_position(array[%(values)s], (%(expressions)s)::text), 0) << %(bit)s)"
    output_field = IntegerField()

    def __init__(self, values: Sequence[str], field: str, bit: int) -> None:
        super().__init__(F(field), values=", ".join(f"'{value}'" for value in values), bit=str(bit))
