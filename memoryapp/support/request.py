"""The request of a staff member, narrowed once: a role, and a second factor that was used in this session."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, Literal, cast

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.models import User
from memoryapp.rendering import is_htmx, leave, page
from memoryapp.services.errors import Conflict, Invalid, NotFound, Refused, ServiceError, StaleVersion
from memoryapp.services.staff import Staff, staff_of
from memoryapp.signin.second_step import kinds_of, second_factor


class StaffRequest(HttpRequest):
    """A request of somebody who works at the desk."""

    staff: Staff
    user: User


def staffed[**P](
    view: Callable[Concatenate[StaffRequest, P], HttpResponse],
    *,
    need: Literal["support", "supervisor", "any"] = "support",
) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Gives the view its staff member. To everybody else there is no such page; without a second factor, how to get in.

    What a service says is not there is 404; what it refuses otherwise is said on the page that the request came from.
    """

    def narrowed(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        staffed_request = cast(StaffRequest, request)
        staff = staff_of(staffed_request.user)
        if staff is None or (need != "any" and need not in staff.roles):
            raise Http404
        proof = second_factor(request)
        if proof != "used":
            if is_htmx(request):
                return leave(request, reverse("support:lookup"))
            context = {"proof": proof, "staff": staff, "kinds": kinds_of(staffed_request.user)}
            return page(request, "support/second_step.html", context, status=403)
        staffed_request.staff = staff
        try:
            return view(staffed_request, *args, **kwargs)
        except NotFound:
            raise Http404 from None

    update_wrapper(narrowed, view)
    return narrowed


def refuse(request: HttpRequest, to: str, error: ServiceError) -> HttpResponse:
    """Back to a page of the desk, which says why nothing was done."""
    messages.error(request, in_words(error))
    return leave(request, to)


def in_words(error: ServiceError) -> str:
    said = None
    match error:
        case Refused(rule="secret"):
            said = _("It looks like a password, a key or a card number. Those are never kept.")
        case Refused():
            said = _("The rules for writing do not let this in. Put it to the person instead.")
        case Invalid():
            said = {
                "reason": _("Choose why."),
                "ticket": _("Name the ticket: letters, digits and # . _ / -, 40 at most."),
                "reach": _("Choose how much."),
                "scopes": _("Choose at least one scope."),
                "minutes": _("From 1 to 60 minutes."),
                "text": _("Write what is to be remembered."),
                "same_text": _("It says that already. Write what is right instead."),
                "consent": _("Say how the person agreed; there has to be a ticket."),
            }.get(error.field)
        case StaleVersion():
            said = _("The memory was changed in the meantime. Look at it again.")
        case Conflict():
            said = {
                "grant_over": _("The access is over. Nothing was shown or changed."),
                "own_memory": _("This is your own memory: look at it on your own page."),
                "not_waiting": _("This does not wait for an answer any more."),
                "proposed_already": _("A proposal on this memory waits for the person already."),
                "stale_version": _("The memory was changed in the meantime. Look at it again."),
                "not_current": _("This memory does not stand any more, so that it cannot be changed."),
            }.get(error.code)
    return said or _("The request could not be understood. Nothing was changed.")
