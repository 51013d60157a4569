"""How a trace keeps what was offered: enough to explain and to rebuild the block, and no memory text."""

import json
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import repeat
from typing import Any, NamedTuple, Self
from uuid import UUID

import orjson

from memoryapp.policy.relevance.blended import PARTS, Columns
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

Row = list[Any] | dict[str, Any] | str
"""Items as they are written. What was listed has the values in the order of `TraceItem`, of known parts the values
only. What was not relevant enough, most of a trace, stands in columns. (In former traces it has id, version, relevance
and parts, or all; what the request met in nothing is `id version`.)
"""


@dataclass(frozen=True, slots=True)
class Failing:
    """Memories that are not relevant enough, best first. Without `scores` the request meets them in nothing.

    `ids` has sixteen bytes for each.
    """

    ids: bytes = b""
    versions: Sequence[int] = ()
    scores: Columns | None = None

    def __len__(self) -> int:
        return len(self.versions)

    def __iter__(self) -> Iterator[tuple[UUID, int]]:
        """Id and version of each."""
        for place, version in enumerate(self.versions):
            yield UUID(bytes=self.ids[16 * place : 16 * place + 16]), version

    def first(self, most: int) -> Self:
        return type(self)(self.ids[: 16 * most], self.versions[:most], self.scores and self.scores.first(most))


def dump_items(listed: Iterable[Verdict], failing: Iterable[Failing] = ()) -> str:
    """JSON text of what was listed, and of what failed."""
    return orjson.dumps([*map(_listed_row, listed), *(_columns(one) for one in failing if len(one))]).decode()


def _columns(failing: Failing) -> Row:
    """The scores by their names in `Columns`, which stay: they are what is stored."""
    scores = failing.scores._asdict() if failing.scores else {}
    return {"ids": b64encode(failing.ids).decode(), "versions": failing.versions, **scores}


def _listed_row(one: Verdict) -> Row:
    offered, score = one.offered, one.offered.score
    said = offered.confirmed_at.isoformat() if one.verdict == "included" else None
    scored = (score.relevance, _values(score)) if score else (None, {})
    return [offered.memory_id.hex, offered.version, one.verdict, one.why, *scored, said]


def _values(score: Score) -> tuple[float, ...] | dict[str, float]:
    return score.values if _NAMES_OF.get(len(score.values)) == score.names else score.parts


def load_items(text: str) -> list[TraceItem]:
    return [item for row in json.loads(text) for item in _items(row)]


def held_items(counts: Mapping[str, Any]) -> list[TraceItem]:
    """What a trace's counts name as held back; `verdict` is paused or stale. Traces of before this was noted: none."""
    return [
        TraceItem(UUID(hex=memory_id), version, state, None, None, {}, None)
        for memory_id, version, state in counts.get("held", ())
    ]


def _items(row: Row) -> Iterator[TraceItem]:
    match row:
        case dict():
            yield from _failing_items(**row)
        case str():
            name, number = row.split()
            yield TraceItem(UUID(name), int(number), "below_floor", None, 0.0, {}, None)
        case [memory_id, version, relevance, parts]:
            yield TraceItem(UUID(hex=memory_id), version, "below_floor", None, relevance, _named(parts), None)
        case [memory_id, version, verdict, why, relevance, parts, confirmed_at]:
            said = datetime.fromisoformat(confirmed_at) if confirmed_at else None
            yield TraceItem(UUID(hex=memory_id), version, verdict, why, relevance, _named(parts), said)
        case _:
            raise ValueError("no item of a trace")


def _failing_items(ids: str, versions: Sequence[int], **columns: Any) -> Iterator[TraceItem]:
    scores = Columns(**columns).scores() if columns else repeat(Score(0.0), len(versions))
    for (memory_id, version), score in zip(Failing(b64decode(ids), versions), scores, strict=True):
        yield TraceItem(memory_id, version, "below_floor", None, score.relevance, score.parts, None)


def _named(parts: dict[str, float] | list[float]) -> dict[str, float]:
    return dict(zip(_NAMES_OF[len(parts)], parts, strict=True)) if isinstance(parts, list) else parts
