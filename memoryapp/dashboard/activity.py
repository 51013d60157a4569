"""The activity: every change, use, view, export and sign-in, with the time, who and why."""

from typing import cast, get_args
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard.deeds import deed
from memoryapp.dashboard.facets import Choice, Facet
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave, page, wants_fragment
from memoryapp.services import activity as happening
from memoryapp.services import reports
from memoryapp.services.errors import Invalid
from memoryapp.services.grants import open_to_person


@personal
@require_safe
def activity(request: PersonRequest) -> HttpResponse:
    what, cursor = request.GET.get("what", "all"), request.GET.get("older") or None
    if what not in get_args(happening.What):
        return redirect("dashboard:activity")
    try:
        return _show(request, what, cursor)
    except Invalid:
        return redirect("dashboard:activity")


@personal
def question(request: PersonRequest, entry_id: UUID) -> HttpResponse:
    """Puts one access to the supervisors, and says under which reference."""
    what, cursor = request.POST.get("what", "all"), request.POST.get("older") or None
    if request.method != "POST":
        return redirect("dashboard:activity")
    made = reports.question_access(entry_id, actor=request.actor)
    said = _("Your question is with the supervisors, as %(reference)s.") % {"reference": made.reference}
    if wants_fragment(request) and what in get_args(happening.What):
        return _show(request, what, cursor, said=said, focus=f"e-{entry_id}")
    query = urlencode({name: value for name, value in (("what", what), ("older", cursor)) if value and value != "all"})
    return leave(request, reverse("dashboard:activity") + (f"?{query}" if query else "") + f"#e-{entry_id}", said=said)


def _show(request: PersonRequest, what: str, cursor: str | None, *, said: str = "", focus: str = "") -> HttpResponse:
    found = happening.activity(actor=request.actor, what=cast(happening.What, what), cursor=cursor)
    context = {
        "deeds": [deed(entry) for entry in found.entries],
        "what": what,
        "older": found.older,
        "cursor": cursor or "",
        "kept": urlencode({"what": what}) if what != "all" else "",
        "facets": [_facet(what)],
        "chosen": [_sorts()[what]] if what != "all" else [],
        "accesses": open_to_person(actor=request.actor),
    }
    return page(request, "dashboard/activity.html", context, partial="activity", said=said, focus=focus)


def _sorts() -> dict[str, str]:
    return {
        "all": _("Everything"),
        "changes": _("Changes"),
        "uses": _("Uses"),
        "access": _("Sign-ins"),
        "exports": _("Exports"),
        "views": _("Views by support"),
    }


def _facet(chosen: str) -> Facet:
    to = reverse("dashboard:activity")
    choices = [
        Choice(f"f-{name}", label, to if name == "all" else f"{to}?{urlencode({'what': name})}", None, name == chosen)
        for name, label in _sorts().items()
    ]
    return Facet("what", _("What happened"), tuple(choices))
