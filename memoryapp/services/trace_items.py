"""How a trace keeps what was offered: enough to explain and to rebuild the block, and no memory text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from memoryapp.policy.relevance.blended import PARTS
from memoryapp.policy.relevance.lexical import PARTS as PARTS_BY_WORDS
from memoryapp.policy.types import Score, Verdict


class TraceItem(NamedTuple):
    """One offered memory: which version, what it scored, what became of it. `confirmed_at` only where it was sent."""

    memory_id: UUID
    version: int
    verdict: str
    why: str | None
    relevance: float | None
    parts: dict[str, float]
    confirmed_at: datetime | None

    @property
    def was_sent(self) -> bool:
        return self.verdict == "included"


_NAMES_OF = {len(names): names for names in (PARTS, PARTS_BY_WORDS)}
"""The parts of the scorers' scores by their number: most of a trace, were each item to name them."""

Row = list[Any] | str
"""An item as it is written: the values in the order of `TraceItem`, of known parts the values only. Of what was not
relevant enough, most of a trace, id, version, relevance and parts (in former traces all); of a memory that the request
met in nothing `id version`: the rest is known.
"""


def dump_items(listed: Iterable[Verdict], others: Sequence[Row] = ()) -> str:
    """JSON text of the rows of what was listed, and of others."""
    return orjson.dumps([*map(_listed_row, listed), *others]).decode()


def failing_row(memory_id: int, version: int, score: Score) -> Row:
    return [f"{memory_id:032x}", version, score.relevance, _values(score)]


def _listed_row(one: Verdict) -> Row:
    offered, score = one.offered, one.offered.score
    said = offered.confirmed_at.isoformat() if one.verdict == "included" else None
    scored = (score.relevance, _values(score)) if score else (None, {})
    return [offered.memory_id.hex, offered.version, one.verdict, one.why, *scored, said]


def _values(score: Score) -> tuple[float, ...] | dict[str, float]:
    return score.values if _NAMES_OF.get(len(score.values)) == score.names else score.parts


def parse_unmet(written: str) -> tuple[UUID, int]:
    memory_id, version = written.split()
    return UUID(memory_id), int(version)


def load_items(text: str) -> list[TraceItem]:
    return [_item(row) for row in json.loads(text)]


def held_items(counts: Mapping[str, Any]) -> list[TraceItem]:
    """What a trace's counts name as held back; `verdict` is paused or stale. Traces of before this was noted: none."""
    return [
        TraceItem(UUID(hex=memory_id), version, state, None, None, {}, None)
        for memory_id, version, state in counts.get("held", ())
    ]


def _item(row: Row) -> TraceItem:
    match row:
        case str():
            return TraceItem(*parse_unmet(row), "below_floor", None, 0.0, {}, None)
        case [memory_id, version, relevance, parts]:
            return TraceItem(UUID(hex=memory_id), version, "below_floor", None, relevance, _named(parts), None)
        case [memory_id, version, verdict, why, relevance, parts, confirmed_at]:
            said = datetime.fromisoformat(confirmed_at) if confirmed_at else None
            return TraceItem(UUID(hex=memory_id), version, verdict, why, relevance, _named(parts), said)
    raise ValueError("no item of a trace")


def _named(parts: dict[str, float] | list[float]) -> dict[str, float]:
    return dict(zip(_NAMES_OF[len(parts)], parts, strict=True)) if isinstance(parts, list) else parts
