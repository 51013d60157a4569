"""Which memories of some scopes lie nearest to a request by their vectors."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import connection

from memoryapp.services.meaning import Meaning
from memoryapp.services.search import ALWAYS_ON, NEAREST, VALID, Found

_COVERED_DIMENSION = 1_200
"""Vectors up to here lie in the covering index (a row of an index holds 2,704 bytes), longer ones beside it."""

# A row without a cosine is of a text that the model does not read, or waits.
_NEAREST = f"""
with near as materialized (
    select memory_id, case when model = %(model)s then {{cosine}} end as cosine, model = %(model)s as is_made
    from memoryapp_textvector
    where person_id = %(person)s and scope_id = any(%(scopes)s) and is_live and dimension {{side}} {_COVERED_DIMENSION}
    {{others}}
)
select count(*) filter (where not is_made), null::float, null::uuid, null::int, null, null, null::timestamptz,
    null::boolean
from near
union all
select null, cosine, memory_id, null, null, null, null, null from near
where memory_id in (select unnest(%(found)s::uuid[])) and cosine is not null
union all
(
    select null, near.cosine, entry.*
    from (select * from near where cosine is not null order by cosine desc, memory_id) near
    cross join lateral (
        select memory_id, version, kind, state, confirmed_at, {ALWAYS_ON} from memoryapp_searchentry
        where memory_id = near.memory_id and part = 0 and {VALID} offset 0
    ) entry
    order by near.cosine desc, near.memory_id limit {NEAREST}
)
"""
_SHORT_ONES = f"""
    union all
    select memory_id, null, model = %(model)s from memoryapp_textvector
    where person_id = %(person)s and scope_id = any(%(scopes)s) and is_live and dimension <= {_COVERED_DIMENSION}
"""


@dataclass(frozen=True, slots=True)
class Nearest:
    """The `NEAREST` valid memories of the scopes, and the cosines of these and of those asked for besides.

    `waiting` counts memories whose vectors are still to be made.
    """

    found: dict[UUID, Found] = field(default_factory=dict)
    cosines: dict[UUID, float] = field(default_factory=dict)
    waiting: int = 0


def nearest(
    meaning: Meaning, besides: Collection[UUID], *, person_id: UUID, scope_ids: Sequence[UUID], now: datetime
) -> Nearest:
    """Reads every vector of the scopes: no index is asked for neighbours, so none is missed."""
    is_long = meaning.dimension > _COVERED_DIMENSION
    sql = _NEAREST.format(
        cosine=cosine_sql(meaning), side=">" if is_long else "<=", others=_SHORT_ONES if is_long else ""
    )
    parameters: dict[str, Any] = {
        "person": person_id,
        "scopes": list(scope_ids),
        "now": now,
        "found": list(besides),
        "model": meaning.model,
        **meaning_parameters(meaning),
    }
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        (waiting, *_), *rows = cursor.fetchall()
    found = {row[2]: Found(*row[2:]) for row in rows if row[3] is not None}
    return Nearest(found, {row[2]: row[1] for row in rows}, waiting)


def cosine_sql(meaning: Meaning) -> str:
    """The largest cosine of a row's `vector` with those of the request and its parts; null without a vector."""
    return "-least(" + ", ".join(f"vector <#> %(meaning_{i})s::halfvec" for i in range(len(meaning.vectors))) + ")"


def meaning_parameters(meaning: Meaning) -> dict[str, str]:
    return {f"meaning_{i}": one for i, one in enumerate(meaning.vectors)}
