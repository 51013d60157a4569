"""What was proposed about a person and decided by which rule; from there to the turn that it came from, and back."""

from typing import cast, get_args
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_safe

from memoryapp.rendering import page
from memoryapp.services.decision_log import Answered, decision_log, logged_turns
from memoryapp.services.errors import Conflict, Invalid
from memoryapp.services.grants import own_grant
from memoryapp.services.reveal import Item
from memoryapp.support.request import StaffRequest, refuse, staffed


@staffed
@require_safe
def decisions(request: StaffRequest, grant_id: UUID) -> HttpResponse:
    """Filters live in the address: `answered`, `session`."""
    answered = request.GET.get("answered", "all")
    session = request.GET.get("session") or None
    if answered not in get_args(Answered):
        return redirect("support:decisions", grant_id)
    try:
        log = decision_log(
            grant_id,
            staff=request.staff,
            answered=cast(Answered, answered),
            session=session,
            cursor=request.GET.get("older") or None,
        )
    except Invalid:
        return redirect("support:decisions", grant_id)
    except Conflict as error:
        return _over(request, grant_id, error)
    kept = {"answered": answered if answered != "all" else "", "session": session or ""}
    context = {
        "here": "lookup",
        "staff": request.staff,
        "log": log,
        "grant": log.grant,
        "answered": answered,
        "choices": get_args(Answered),
        "session": session,
        "kept": urlencode({name: value for name, value in kept.items() if value}),
    }
    return page(request, "support/decisions.html", context)


@staffed
@require_safe
def turns(request: StaffRequest, grant_id: UUID, decision_id: UUID) -> HttpResponse:
    try:
        found = logged_turns(grant_id, decision_id, staff=request.staff)
    except Conflict as error:
        return _over(request, grant_id, error)
    rows = [(turn, found.contents.get(Item("message", turn.id))) for turn in found.turns]
    context = {
        "here": "lookup",
        "staff": request.staff,
        "found": found,
        "grant": found.grant,
        "rows": rows,
        "hidden": [turn for turn, content in rows if content is None],
    }
    return page(request, "support/turns.html", context)


def _over(request: StaffRequest, grant_id: UUID, error: Conflict) -> HttpResponse:
    grant, _ = own_grant(grant_id, staff=request.staff)
    return refuse(request, reverse("support:trace", args=[grant.trace_id]), error)
