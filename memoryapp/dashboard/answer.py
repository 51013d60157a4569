"""One answer: what was asked, which memories were used, which were left out and why, and how they stand now."""

from dataclasses import dataclass
from typing import Any, cast, get_args
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard import candidates, verdicts, wording
from memoryapp.dashboard.answers_place import AnswersPlace
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.word_diff import Piece, word_diff
from memoryapp.rendering import leave, page, wants_fragment
from memoryapp.services.reports import Wrong, report_answer
from memoryapp.services.trace_view import TraceView, Weighed, trace_view

PARTIAL = "answer"
_LONGEST_SHOWN = 600


@dataclass(frozen=True, slots=True)
class Row:
    """One memory of the answer, with its page. `diff` leads from the words sent to those of now; empty for the same."""

    weighed: Weighed
    to: str
    label: str
    verdict: str
    parts: tuple[str, ...]
    diff: tuple[Piece, ...] = ()

    @property
    def percent(self) -> int:
        return round(100 * (self.weighed.relevance or 0))

    @property
    def is_near(self) -> bool:
        """Whether the request met it at all."""
        return self.weighed.relevance != 0 or bool(self.parts)


@personal
@require_safe
def answer(request: PersonRequest, trace_id: UUID) -> HttpResponse:
    return show_answer(request, trace_id, AnswersPlace.of_query(request.GET))


def show_answer(
    request: PersonRequest, trace_id: UUID, answers: AnswersPlace, *, said: str = "", focus: str = ""
) -> HttpResponse:
    """The page, or its fragment after a change of one of its memories. NotFound."""
    view = trace_view(trace_id, actor=request.actor)
    place = Place.at_answer(trace_id, answers)
    return page(request, "dashboard/answer.html", _context(view, place), partial=PARTIAL, said=said, focus=focus)


@personal
def report(request: PersonRequest, trace_id: UUID) -> HttpResponse:
    """POST makes a report and says its reference; the same again gives the same one."""
    if request.method != "POST":
        return redirect("dashboard:answer", trace_id)
    given = request.POST.get("wrong")
    made = report_answer(
        trace_id, wrong=cast(Wrong, given) if given in get_args(Wrong) else "other", actor=request.actor
    )
    said = _("Your reference is %(reference)s.") % {"reference": made.reference}
    place = Place.of(request)
    if wants_fragment(request):
        return show_answer(request, trace_id, place.answers, said=said, focus="report")
    return leave(request, reverse("dashboard:answer", args=[trace_id]) + place.answers.query + "#report", said=said)


def _context(view: TraceView, place: Place) -> dict[str, Any]:
    memories = reverse("dashboard:memories")
    rows = [_row(one, view.floor, memories) for one in view.items]
    sent = [row for row in rows if row.weighed.was_sent]
    near = [row for row in rows if not row.weighed.was_sent and row.is_near]
    untouched = [row for row in rows if not row.weighed.was_sent and not row.is_near]
    tokens = view.budget.get("tokens")
    room, taken = (tokens, view.used["tokens"]) if tokens is not None else (view.budget["chars"], view.used["chars"])
    return {
        "view": view,
        "place": place,
        "sent": sent,
        "left_out": near[: candidates.MOST_SHOWN],
        "left_out_count": view.offered - len(sent),
        "untouched": untouched[: candidates.MOST_SHOWN],
        "untouched_count": view.offered - len(sent) - len(near),
        "held": [_row(one, view.floor, memories) for one in view.held],
        "held_count": view.withheld["paused"] + view.withheld["stale"],
        "funnel": candidates.funnel(view, has_request=view.has_query),
        "in_tokens": tokens is not None,
        "room": room,
        "taken": taken,
        "room_percent": min(100, round(100 * taken / room)) if room else 0,
        "report": next((one for one in view.reports if one.about == "answer"), None),
        "is_open": any(one.about == "answer" and one.state != "closed" for one in view.reports),
        "wrongs": wording.WRONGS.items(),
    }


def _row(one: Weighed, floor: float, memories: str) -> Row:
    diff: tuple[Piece, ...] = ()
    if one.was_sent and one.since == "changed" and one.text is not None and one.now:
        diff = word_diff(one.text[:_LONGEST_SHOWN], one.now.text[:_LONGEST_SHOWN])
    return Row(
        weighed=one,
        to=f"{memories}{one.memory_id}/",
        label=verdicts.label(one.why, is_scored=one.relevance is not None),
        verdict=verdicts.recorded(one, floor, reader="person"),
        parts=tuple(verdicts.met(one.parts)),
        diff=diff,
    )
