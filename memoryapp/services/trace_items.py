"""How a trace keeps what was offered: enough to explain and to rebuild the block, and no memory text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import orjson

from memoryapp.policy.types import Verdict


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


_PARTS = (("cosine", "known", "coverage", "words", "names", "of_best"), ("coverage", "words", "names", "of_best"))
"""The parts of the scorers' scores: most of a trace, were each item to name them."""
_NAMES_OF = {len(names): names for names in _PARTS}


def dump_items(listed: Iterable[Verdict], unmet: Sequence[str] = ()) -> str:
    """JSON text: a list of the values of each item, in the order of `TraceItem`; of known parts the values only.

    `unmet`, `id version` of memories that a request met in nothing, is written as it is: the rest is known.
    """
    return orjson.dumps([*map(_row, listed), *unmet]).decode()


def _row(one: Verdict) -> list[Any]:
    offered = one.offered
    relevance, parts = (offered.score.relevance, offered.score.parts) if offered.score else (None, {})
    return [
        offered.memory_id.hex,
        offered.version,
        one.verdict,
        one.why,
        relevance,
        [*parts.values()] if tuple(parts) in _PARTS else parts,
        offered.confirmed_at.isoformat() if one.verdict == "included" else None,
    ]


def parse_unmet(written: str) -> tuple[UUID, int]:
    memory_id, version = written.split()
    return UUID(memory_id), int(version)


def load_items(text: str) -> list[TraceItem]:
    return [
        TraceItem(*parse_unmet(row), "below_floor", None, 0.0, {}, None) if isinstance(row, str) else _item(*row)
        for row in json.loads(text)
    ]


def held_items(counts: Mapping[str, Any]) -> list[TraceItem]:
    """What a trace's counts name as held back; `verdict` is paused or stale. Traces of before this was noted: none."""
    return [
        TraceItem(UUID(hex=memory_id), version, state, None, None, {}, None)
        for memory_id, version, state in counts.get("held", ())
    ]


def _item(
    memory_id: str,
    version: int,
    verdict: str,
    why: str | None,
    relevance: float | None,
    parts: dict[str, float] | list[float],
    confirmed_at: str | None,
) -> TraceItem:
    named = dict(zip(_NAMES_OF[len(parts)], parts, strict=True)) if isinstance(parts, list) else parts
    said = datetime.fromisoformat(confirmed_at) if confirmed_at else None
    return TraceItem(UUID(hex=memory_id), version, verdict, why, relevance, named, said)
