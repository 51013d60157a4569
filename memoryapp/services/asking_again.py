"""Asking the same thing again, now or as of an instant: what would be sent that was not, and what was and would not."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from typing import Literal
from uuid import UUID

from accounts.actors import Actor
from memoryapp.policy.types import Verdict
from memoryapp.services.rehearse import Rehearsal, rehearse
from memoryapp.services.retrieving import ContextRequest
from memoryapp.services.trace_view import TraceView, Weighed, trace_view

Change = Literal["added", "removed", "moved", "kept"]


@dataclass(frozen=True, slots=True)
class Compared:
    """One memory that was sent, or would be. Places count from 1 among what is sent; None where it is not.

    `then` is None where it was not offered then, `again` where it would not be offered; a memory that was left out
    has a verdict in either. `is_reworded`: sent both times, in other words.
    """

    memory_id: UUID
    change: Change
    place_then: int | None
    place_again: int | None
    then: Weighed | None
    again: Verdict | None

    @property
    def is_reworded(self) -> bool:
        return bool(self.then and self.again and self.then.text is not None) and (
            self.then is not None and self.again is not None and self.then.text != self.again.offered.text
        )


@dataclass(frozen=True, slots=True)
class Again:
    """The retrieval of then, what it would come to, and the difference: what would be sent in its order, then what
    would not any more.
    """

    view: TraceView
    as_of: datetime | None
    outcome: Rehearsal
    compared: tuple[Compared, ...]

    def count(self, change: Change) -> int:
        return sum(one.change == change for one in self.compared)

    @property
    def is_same(self) -> bool:
        return self.view.block == self.outcome.context


def ask_again(trace_id: UUID, *, actor: Actor, as_of: datetime | None = None) -> Again:
    """Runs the request of a trace with its settings. Leaves no trace and counts no use.

    NotFound as for the trace. Without `as_of` it is asked now, also where the trace itself was asked as of an instant.
    """
    view = trace_view(trace_id, actor=actor)
    request = ContextRequest(
        scopes=view.scopes,
        query=view.query,
        budget_tokens=view.budget.get("tokens"),
        budget_chars=view.budget.get("chars"),
        floor=view.floor,
        limit=view.limit,
        kinds=view.kinds,
        as_of=as_of,
    )
    outcome = rehearse(request, actor=actor)
    return Again(view, as_of, outcome, tuple(_compared(view, outcome)))


def _compared(view: TraceView, outcome: Rehearsal) -> list[Compared]:
    then = {one.memory_id: one for one in [*view.items, *view.held]}
    again = {one.offered.memory_id: one for one in outcome.verdicts}
    before = [one.memory_id for one in view.items if one.was_sent]
    after = [one.offered.memory_id for one in outcome.verdicts if one.verdict == "included"]
    moved = _moved([one for one in before if one in after], [one for one in after if one in before])

    def compared(memory_id: UUID) -> Compared:
        return Compared(
            memory_id=memory_id,
            change=_change(memory_id, before, after, moved),
            place_then=before.index(memory_id) + 1 if memory_id in before else None,
            place_again=after.index(memory_id) + 1 if memory_id in after else None,
            then=then.get(memory_id),
            again=again.get(memory_id),
        )

    return [compared(one) for one in [*after, *(one for one in before if one not in after)]]


def _moved(before: Sequence[UUID], after: Sequence[UUID]) -> set[UUID]:
    """Of the same ids in two orders, those that are not among the longest runs that stayed in order."""
    stayed = SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
    return set(after) - {before[block.a + place] for block in stayed for place in range(block.size)}


def _change(memory_id: UUID, before: Sequence[UUID], after: Sequence[UUID], moved: set[UUID]) -> Change:
    if memory_id not in before:
        return "added"
    if memory_id not in after:
        return "removed"
    return "moved" if memory_id in moved else "kept"
