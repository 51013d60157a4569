"""Who may look into the person's memory now: allowed, refused and ended by the person."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave
from memoryapp.services.errors import Conflict
from memoryapp.services.grants import answer_grant, end_grant

_BACK = {"activity": "dashboard:activity", "privacy": "dashboard:privacy", "review": "dashboard:review"}


@personal
def answer(request: PersonRequest, grant_id: UUID, to: str) -> HttpResponse:
    """`to` is end, allow or refuse. Answered already, as after a double click, is done."""
    back = reverse(_BACK.get(request.POST.get("from", ""), "dashboard:activity"))
    if request.method != "POST":
        return redirect(back)
    try:
        if to == "end":
            end_grant(grant_id, by=request.actor)
        else:
            answer_grant(grant_id, allow=to == "allow", actor=request.actor)
    except Conflict as error:
        if error.code != "not_waiting":
            raise
        return leave(request, back, said=_("That was answered already."))
    said = {
        "end": _("Ended. Nothing of yours is shown any more."),
        "allow": _("Allowed. You see here what is read, and can end it at any time."),
        "refuse": _("Refused. Nothing of yours is shown."),
    }[to]
    return leave(request, back, said=said)
