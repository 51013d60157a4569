"""Asking for a grant: why, for which ticket, how much, for how long; beside what the person will see of it."""

from collections.abc import Mapping, Sequence
from uuid import UUID, uuid4

from django.conf import settings
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.models import Grant
from memoryapp.rendering import leave, page
from memoryapp.services import desk, grants
from memoryapp.services.errors import Conflict, Invalid
from memoryapp.services.grant_view import GrantView
from memoryapp.support.request import StaffRequest, in_words, refuse, staffed

MINUTES = (10, 20, 30, 60)
_DEFAULTS = {"reason": "", "ticket": "", "reach": "answer", "minutes": "20", "alone": ""}


@staffed
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: StaffRequest, trace_id: UUID) -> HttpResponse:
    """GET is the form. POST with `look` shows what the person will see of it, without opens it or asks for it."""
    scopes = desk.scopes_of(trace_id, staff=request.staff)
    if request.method != "POST":
        return _form(request, trace_id, {**_DEFAULTS, "grant": str(uuid4())}, scopes, chosen=list(scopes))
    given = {name: request.POST.get(name, "")[:100].strip() for name in (*_DEFAULTS, "grant")}
    chosen = [mask for mask in request.POST.getlist("scope") if mask in scopes]
    if request.POST.get("look"):
        return _form(request, trace_id, given, scopes, chosen=chosen)
    wanted = grants.Wanted(
        reason=given["reason"],
        ticket=given["ticket"],
        reach=given["reach"],
        scopes=tuple(scopes[mask] for mask in chosen),
        minutes=_number(given["minutes"]),
        is_alone=bool(given["alone"]),
    )
    try:
        grant = grants.ask_grant(_token(given["grant"]), trace_id, wanted, staff=request.staff)
    except (Invalid, Conflict) as error:
        field = error.field if isinstance(error, Invalid) else ""
        return _form(request, trace_id, given, scopes, chosen=chosen, error=in_words(error), field=field)
    return leave(request, reverse("support:trace", args=[trace_id]), said=_said(grant))


def _form(
    request: StaffRequest,
    trace_id: UUID,
    given: Mapping[str, str],
    scopes: Mapping[str, str],
    *,
    chosen: Sequence[str],
    error: str = "",
    field: str = "",
) -> HttpResponse:
    is_emergency = given["reason"] == Grant.Reason.EMERGENCY
    context = {
        "here": "lookup",
        "staff": request.staff,
        "trace_id": trace_id,
        "given": given,
        "scopes": list(scopes),
        "chosen": chosen,
        "reasons": [reason for reason in Grant.Reason.values if reason != Grant.Reason.EMERGENCY],
        "emergency": Grant.Reason.EMERGENCY.value,
        "reaches": Grant.Reach.values,
        "minutes": MINUTES,
        "is_emergency": is_emergency,
        "is_flagged": is_emergency and bool(given["alone"]),
        "waits_for_person": settings.MEMORY_SUPPORT_APPROVAL and not is_emergency,
        "now": timezone.now(),
        "error": error,
        "field": field,
    }
    return page(request, "support/grant.html", context, partial="seen", status=422 if error else 200)


def _said(grant: GrantView) -> str:
    match grant.waits_for:
        case "person":
            return _("Asked. The person has to allow it first.")
        case "second":
            return _("Asked. A second staff member has to confirm it first.")
    return _("Opened. What you show from now on is noted for the person, item by item.")


@staffed
def second(request: StaffRequest, grant_id: UUID) -> HttpResponse:
    """A colleague's emergency is confirmed."""
    to = reverse("support:lookup")
    if request.method != "POST":
        return redirect(to)
    try:
        grants.second_grant(grant_id, staff=request.staff)
    except Conflict as error:
        return refuse(request, to, error)
    return leave(request, to, said=_("Confirmed. Your colleague may look now."))


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 5 else 0


def _token(text: str) -> UUID:
    """The form's own id, so that a form that is sent twice is one grant."""
    try:
        return UUID(text)
    except ValueError:
        return uuid4()
