"""The person's answers to what support proposes, on the review page."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryapp.dashboard.failures import in_words
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave
from memoryapp.services.errors import Conflict, NotFound, ServiceError
from memoryapp.services.staff_proposals import accept_proposal, decline_proposal


@personal
def answer(request: PersonRequest, proposal_id: UUID, to: str) -> HttpResponse:
    """`to` is accept or decline. What the rules refuse still waits, and the page says why."""
    back = reverse("dashboard:review")
    if request.method != "POST":
        return redirect(back)
    try:
        if to == "decline":
            decline_proposal(proposal_id, actor=request.actor)
            return leave(request, back, said=_("Declined. Nothing changed."))
        memory = accept_proposal(proposal_id, actor=request.actor)
    except NotFound:
        raise
    except Conflict as error:
        if error.code == "not_waiting":
            return leave(request, back, said=_("That was answered already."))
        return leave(request, back, said=in_words(error))
    except ServiceError as error:
        return leave(request, back, said=in_words(error))
    if memory is None:
        return leave(request, back, said=_("Forgotten. The trash keeps it for a while."))
    return leave(request, back, said=_("Corrected. Your words stand from now on."))
