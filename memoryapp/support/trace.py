"""One retrieval at the desk: masked, with what the running grant has revealed."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from memoryapp.models import StaffProposal
from memoryapp.rendering import page
from memoryapp.services import desk
from memoryapp.services.reveal import Item
from memoryapp.services.revealed import Content
from memoryapp.services.trace_view import Weighed
from memoryapp.support.request import StaffRequest, staffed

FIRST_SHOWN = 25
"""So many of those that were left out and met the request stand on the page; the others fold out."""


@dataclass(frozen=True, slots=True)
class Row:
    """One memory that was offered. `content` and `source` once they are revealed; `is_covered`: they can be."""

    weighed: Weighed
    scope: str | None
    is_covered: bool
    content: Content | None
    source: Content | None
    proposal: StaffProposal | None

    @property
    def item(self) -> str:
        return f"{self.weighed.memory_id}:{self.weighed.version}"

    @property
    def percent(self) -> int:
        return round(100 * (self.weighed.relevance or 0))

    @property
    def is_near(self) -> bool:
        """Whether the request met it at all, or the choice did not look at the request. What was held back did."""
        return self.weighed.relevance != 0 or any(self.weighed.parts.values())

    @property
    def is_gone(self) -> bool:
        return self.weighed.since in ("forgotten", "erased")


@staffed
@require_safe
def trace(request: StaffRequest, trace_id: UUID) -> HttpResponse:
    """A poll of an open tab is no look of its own."""
    return show_trace(request, trace_id, is_look=request.GET.get("poll") is None)


def show_trace(
    request: StaffRequest, trace_id: UUID, *, is_look: bool = False, said: str = "", focus: str = ""
) -> HttpResponse:
    found = desk.case(trace_id, staff=request.staff, is_look=is_look)
    return page(request, "support/trace.html", context_of(found, request), partial="case", said=said, focus=focus)


def context_of(found: desk.Case, request: StaffRequest) -> dict[str, Any]:
    rows = list(rows_of(found))
    sent = [row for row in rows if row.weighed.was_sent]
    left_out = [row for row in rows if not row.weighed.was_sent]
    near = [row for row in left_out if row.is_near or row.content][:FIRST_SHOWN]
    trace_id = found.trace.id
    view = found.trace
    tokens = view.budget.get("tokens")
    return {
        "here": "lookup",
        "staff": request.staff,
        "case": found,
        "view": view,
        "grant": found.grant,
        "last": next((one for one in found.grants if not (one.is_running or one.is_waiting)), None),
        "scopes": [found.scopes.get(name, name) for name in view.scopes],
        "asked": found.contents.get(Item("request", trace_id)),
        "answered": found.contents.get(Item("answer", trace_id)),
        "sent_block": found.contents.get(Item("block", trace_id)),
        "can_block": bool(sent) and all(row.is_covered or row.is_gone for row in sent),
        "sent": sent,
        "hidden_sent": [row for row in sent if row.is_covered and not row.is_gone and not row.content],
        "left_out": near,
        "folded": [row for row in left_out if row not in near],
        "left_out_count": view.offered - len(sent) + view.withheld["paused"] + view.withheld["stale"],
        "budget": tokens if tokens is not None else view.budget.get("chars"),
        "taken": view.used["tokens" if tokens is not None else "chars"],
        "in_tokens": tokens is not None,
        "withheld": [(name, count) for name, count in view.withheld.items() if count],
    }


def rows_of(found: desk.Case) -> Iterable[Row]:
    proposals = {row.memory_id: row for row in reversed(found.proposals)}
    for one in (*found.trace.items, *found.trace.held):
        yield Row(
            weighed=one,
            scope=found.scopes.get(one.scope or "", one.scope),
            is_covered=found.covers_scope(one.scope),
            content=found.contents.get(Item("memory", one.memory_id, one.version)),
            source=found.contents.get(Item("source", one.memory_id, one.version)),
            proposal=proposals.get(one.memory_id),
        )
