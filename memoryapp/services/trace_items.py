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


def dump_items(items: Sequence[TraceItem]) -> str:
    """JSON text: a list of seven values per item, in the order of `TraceItem`."""
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
    return json.dumps(rows, separators=(",", ":"))


def load_items(text: str) -> list[TraceItem]:
    return [
        TraceItem(UUID(hex=memory_id), version, verdict, why, relevance, parts, at and datetime.fromisoformat(at))
        for memory_id, version, verdict, why, relevance, parts, at in json.loads(text)
    ]
