"""The person's answers to what support proposes, on the review page."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryapp.dashboard.failures import in_words
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.review import Trouble, show_review, version_of
from memoryapp.rendering import leave, wants_fragment
from memoryapp.services.errors import Conflict, NotFound, ServiceError, StaleVersion
from memoryapp.services.staff_proposals import accept_proposal, decline_proposal


@personal
def answer(request: PersonRequest, proposal_id: UUID, to: str) -> HttpResponse:
    """`to` is accept or decline. What the rules refuse still waits, and the page says why."""
    if request.method != "POST":
        return redirect("dashboard:review")
    try:
        said = _decline(request, proposal_id) if to == "decline" else _accept(request, proposal_id)
    except NotFound:
        raise
    except StaleVersion:
        error = _("It was changed in the meantime. This is what it says now.")
        return show_review(request, trouble=Trouble(None, error))
    except ServiceError as error:
        if not (isinstance(error, Conflict) and error.code == "not_waiting"):
            return show_review(request, trouble=Trouble(None, in_words(error)))
        said = _("That was answered already.")
    if wants_fragment(request):
        return show_review(request, said=said)
    return leave(request, reverse("dashboard:review"), said=said)


def _decline(request: PersonRequest, proposal_id: UUID) -> str:
    decline_proposal(proposal_id, actor=request.actor)
    return _("Declined. Nothing changed.")


def _accept(request: PersonRequest, proposal_id: UUID) -> str:
    memory = accept_proposal(proposal_id, expected_version=version_of(request), actor=request.actor)
    if memory is None:
        return _("Forgotten. The trash keeps it for a while.")
    return _("The correction is in force with the next answer.")
