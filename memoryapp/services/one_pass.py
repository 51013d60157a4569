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
from django.db.models import BooleanField, Case, DateTimeField, F, Q, Value, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce

from accounts.actors import Actor
from memoryapp.services.matching import PageFilters, conditions, hits, is_new, remembered, used_lately

NEVER = "0001-01-01T00:00:00+00:00"
"""The sort key of what was never used."""

_SORT_KEYS: dict[str, Combinable] = {
    "said": F("confirmed_at"),
    "written": F("created_at"),
    "used": Coalesce("last_used_at", Value(datetime.fromisoformat(NEVER)), output_field=DateTimeField()),
    "most": F("seen"),
}

_COLUMNS = (
    "pk",
    "scope_id",
    "kind",
    "origin",
    "status_now",
    "use_now",
    "found",
    "in_since",
    "is_new",
    "fits",
    "sort_key",
)

_LOOK_THROUGH = """
with one (id, scope, kind, origin, status, use, found, in_since, is_new, fits, sort_key) as materialized ({one}),
page as (select sort_key, id from one where found and fits {beyond} order by sort_key {way}, id {way} limit %s),
first as (select sort_key, id from page order by sort_key desc, id desc limit 1),
combination as (
    select scope, kind, origin, status, use, found, in_since, is_new, count(*) as memories
    from one group by scope, kind, origin, status, use, found, in_since, is_new
)
select
    (select json_agg(combination) from combination),
    (select json_agg(json_build_array(sort_key, id) order by sort_key desc, id desc) from page),
    (select count(*) from one, first where found and fits and (one.sort_key, one.id) > (first.sort_key, first.id))
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
    beyond = ""
    if place is not None:
        sign = {"after": "<", "before": ">", "from": ">="}[way]
        beyond, parameters = f"and (sort_key, id) {sign} (%s, %s)", [*parameters, *place]
    order = "desc" if place is None or way == "after" else "asc"
    with connection.cursor() as cursor:
        cursor.execute(_LOOK_THROUGH.format(one=one, beyond=beyond, way=order), [*parameters, limit])
        combinations, places, ahead = cursor.fetchone()
    return Passed(
        places=[(_sort_key(key), UUID(memory_id)) for key, memory_id in _loaded(places)],
        ahead=ahead,
        combinations=[Combination(**row | {"scope": UUID(row["scope"])}) for row in _loaded(combinations)],
    )


def _one(
    filters: PageFilters, actor: Actor, now: datetime, last_visit_at: datetime | None
) -> tuple[str, Sequence[Any]]:
    wanted = conditions(filters, now, last_visit_at)
    fits = Q(*(one for one in wanted.values() if one is not None))
    use = Case(When(use_count=0, then=Value("never")), When(used_lately(now), then=Value("used")), default=Value(""))
    rows = remembered(actor, now).annotate(
        use_now=use,
        found=_truth(Q(*hits(filters))),
        in_since=_truth(wanted["since"] or Q()),
        is_new=_truth(is_new(last_visit_at)) if last_visit_at else Value(False),
        fits=_truth(fits),
        sort_key=_SORT_KEYS[filters.sort],
    )
    sql, parameters = rows.order_by().values_list(*_COLUMNS).query.sql_with_params()
    return sql, list(parameters)


def _truth(condition: Q) -> Combinable:
    if not condition:
        return Value(True)
    return Case(When(condition, then=Value(True)), default=Value(False), output_field=BooleanField())


def _sort_key(key: str | int) -> datetime | int:
    return key if isinstance(key, int) else datetime.fromisoformat(key)


def _loaded(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value or []
