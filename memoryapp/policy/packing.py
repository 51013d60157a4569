"""What fits: ranked memories under a limit and a hard budget for the whole block."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from uuid import UUID

from memoryapp.policy.block import Line, assemble, heading_of, line_of
from memoryapp.policy.relevance.words import split_words
from memoryapp.policy.types import BlockEntry, Budget, Offered, VerdictName

MAX_MISFITS = 100
"""After so many that did not fit, no further one is tried: what fits is found among the best."""
JOIN_SAVING = 4
"""A line may measure so many units less inside the block than alone, where tokens join over its ends."""


def pack(ranked: Sequence[Offered], *, budget: Budget, limit: int, now: datetime) -> dict[UUID, VerdictName]:
    """A verdict for each of these: included, duplicate, over_limit or over_budget.

    In rank order; what does not fit is skipped and smaller ones after it may still fit. Every step that adds is
    measured on the whole block, so the block of the included ones, in rank order, never exceeds the budget.
    """
    packing = _Packing([_Item(offered, now) for offered in ranked], budget)
    packing.take_first(limit)
    return {item.offered.memory_id: packing.verdict(item, limit) for item in packing.items}


_ARTICLES = frozenset({"a", "an", "the"})


def what_it_says(text: str) -> tuple[str, ...]:
    """Equal for near-duplicates: the stems in their order, without articles, signs and capitals.

    Negations, numbers and who does what to whom make a difference.
    """
    return tuple(word.stem for word in split_words(text) if word.spelling not in _ARTICLES) or (text,)


@dataclass(frozen=True)
class _Item:
    """A ranked memory. Its line and value are made when they are asked for: most of many never are."""

    offered: Offered
    now: datetime

    @cached_property
    def line(self) -> Line:
        offered = self.offered
        return line_of(BlockEntry(offered.kind, offered.scope, offered.text, offered.confirmed_at), now=self.now)

    @cached_property
    def value(self) -> tuple[str, ...]:
        return what_it_says(self.offered.text)


class _Packing:
    """The items chosen so far, and what their whole block measures."""

    def __init__(self, items: Sequence[_Item], budget: Budget) -> None:
        self.items = items
        self.budget = budget
        self.chosen: list[_Item] = []
        self.ids: set[UUID] = set()
        self.values: set[tuple[str, ...]] = set()
        self.spent = 0
        self.misfits = 0

    def take_first(self, limit: int) -> None:
        """Choose the longest run of distinct ones from the top that fits, by halving: often one measure, of all."""
        distinct: dict[tuple[str, ...], _Item] = {}
        for item in self.items:
            if len(distinct) >= limit:
                break
            distinct.setdefault(item.value, item)
        first = list(distinct.values())
        fits, fails, attempt = 0, len(first) + 1, len(first)
        while fails - fits > 1:
            fits, fails = (attempt, fails) if self._choose(first[:attempt]) else (fits, attempt)
            attempt = (fits + fails) // 2

    def verdict(self, item: _Item, limit: int) -> VerdictName:
        """To be asked in rank order: chooses the item if it is not chosen yet and still fits."""
        if item.offered.memory_id in self.ids:
            return "included"
        if len(self.chosen) >= limit:
            return "over_limit"
        if self.misfits >= MAX_MISFITS:
            return "over_budget"
        if item.value in self.values:
            return "duplicate"
        if self._add(item):
            return "included"
        self.misfits += 1
        return "over_budget"

    def _add(self, item: _Item) -> bool:
        line = item.line
        alone = line.text
        if all((c.line.kind, c.line.scope) != (line.kind, line.scope) for c in self.chosen):
            alone = f"{heading_of(line.kind, line.scope)}\n{alone}"
        hopeless = self.spent + self.budget.measure(alone) - JOIN_SAVING > self.budget.size
        return not hopeless and self._choose([*self.chosen, item])

    def _choose(self, chosen: Sequence[_Item]) -> bool:
        """Whether the whole block of these fits; if so they are the chosen ones."""
        measured = self.budget.measure(assemble([item.line for item in chosen]))
        if self.budget.size <= 0 or measured > self.budget.size:
            return False
        self.chosen, self.spent = list(chosen), measured
        self.ids = {item.offered.memory_id for item in chosen}
        self.values = {item.value for item in chosen}
        return True
