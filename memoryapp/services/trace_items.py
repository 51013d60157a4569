"""How a trace keeps what was offered: enough to explain and to rebuild the block, and no memory text."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID


@dataclass(frozen=True, slots=True)
class TraceItem:
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


def dump_items(items: Sequence[TraceItem], unmet: Sequence[tuple[UUID, int]] = ()) -> str:
    """JSON text: a list of the values of each item, in the order of `TraceItem`.

    Of `unmet`, memories that a request met in nothing, only id and version are written: the rest is known.
    """
    rows: list[list[Any]] = [
        [
            item.memory_id.hex,
            item.version,
            item.verdict,
            item.why,
            item.relevance,
            item.parts,
            item.confirmed_at and item.confirmed_at.isoformat(),
        ]
        for item in items
    ]
    rows += [[memory_id.hex, version] for memory_id, version in unmet]
    return json.dumps(rows, separators=(",", ":"))


def load_items(text: str) -> list[TraceItem]:
    return [_item(*row) for row in json.loads(text)]


def _item(
    memory_id: str,
    version: int,
    verdict: str = "below_floor",
    why: str | None = None,
    relevance: float | None = 0.0,
    parts: dict[str, float] | None = None,
    confirmed_at: str | None = None,
) -> TraceItem:
    said = datetime.fromisoformat(confirmed_at) if confirmed_at else None
    return TraceItem(UUID(hex=memory_id), version, verdict, why, relevance, parts or {}, said)
