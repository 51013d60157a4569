"""The activity: every change, use, view, export and sign-in, with the time, who and why."""

from typing import cast, get_args
from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard.deeds import deed
from memoryapp.dashboard.facets import Choice, Facet
from memoryapp.dashboard.render import page
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.services import activity as happening
from memoryapp.services.errors import Invalid


@personal
@require_safe
def activity(request: PersonRequest) -> HttpResponse:
    what, cursor = request.GET.get("what", "all"), request.GET.get("older") or None
    if what not in get_args(happening.What):
        return redirect("dashboard:activity")
    try:
        found = happening.activity(actor=request.actor, what=cast(happening.What, what), cursor=cursor)
    except Invalid:
        return redirect("dashboard:activity")
    context = {
        "deeds": [deed(entry) for entry in found.entries],
        "older": found.older,
        "cursor": cursor or "",
        "kept": urlencode({"what": what}) if what != "all" else "",
        "facets": [_facet(what)],
        "chosen": [_sorts()[what]] if what != "all" else [],
    }
    return page(request, "dashboard/activity.html", context, partial="activity")


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
