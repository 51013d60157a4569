"""Proposing a change to the person, or doing what they agreed to. Nobody at the desk changes a memory otherwise."""

from typing import Any
from uuid import UUID, uuid4

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.models import StaffProposal
from memoryapp.rendering import leave, page
from memoryapp.services import desk, staff_proposals
from memoryapp.services.errors import Conflict, Invalid, NotFound, ServiceError, StaleVersion
from memoryapp.services.grant_view import GrantView
from memoryapp.services.revealed import Content
from memoryapp.support.request import StaffRequest, in_words, refuse, staffed

LONGEST = 20_000


@staffed
@require_http_methods(["GET", "HEAD", "POST"])
def propose(request: StaffRequest, trace_id: UUID, memory_id: UUID) -> HttpResponse:
    """A form beside the memory, which has been shown before under the running grant."""
    found = desk.case(trace_id, staff=request.staff, is_look=False)
    shown = next((one for item, one in found.contents.items() if (item.what, item.id) == ("memory", memory_id)), None)
    if found.grant is None or not found.grant.is_running or shown is None:
        raise NotFound
    if request.method != "POST":
        return _form(request, trace_id, memory_id, found.grant, shown, {"text": shown.now or "", "once": str(uuid4())})
    given = {name: request.POST.get(name, "") for name in ("text", "verb", "consent", "version", "once", "how")}
    given["text"] = given["text"].replace("\r\n", "\n")[:LONGEST]
    try:
        said = _act(found.grant, memory_id, given, request)
    except (StaleVersion, Conflict) as error:
        return refuse(request, reverse("support:trace", args=[trace_id]), error)
    except ServiceError as error:
        if isinstance(error, NotFound):
            raise
        return _form(request, trace_id, memory_id, found.grant, shown, given, error=in_words(error))
    return leave(request, reverse("support:trace", args=[trace_id]) + f"#w-{memory_id}", said=said)


def _act(grant: GrantView, memory_id: UUID, given: dict[str, str], request: StaffRequest) -> str:
    version = given["version"]
    change = staff_proposals.Change(
        memory_id=memory_id,
        version=int(version) if version.isascii() and version.isdecimal() and len(version) < 10 else 0,
        text=None if given["verb"] == "forget" else given["text"],
    )
    token = _token(given["once"])
    if given["how"] != "consent":
        staff_proposals.propose_change(token, grant.id, change, staff=request.staff)
        return _("Proposed. It waits on the person's review page.")
    if given["consent"] not in StaffProposal.Consent.values:
        raise Invalid("consent", "Say how the person agreed.")
    consent = StaffProposal.Consent(given["consent"])
    staff_proposals.change_by_consent(token, grant.id, change, consent, staff=request.staff)
    return _("Done, by the person's consent. They see it, and can undo it.")


def _form(
    request: StaffRequest,
    trace_id: UUID,
    memory_id: UUID,
    grant: GrantView,
    shown: Content,
    given: dict[str, Any],
    *,
    error: str = "",
) -> HttpResponse:
    context = {
        "here": "lookup",
        "staff": request.staff,
        "trace_id": trace_id,
        "memory_id": memory_id,
        "grant": grant,
        "shown": shown,
        "given": given,
        "consents": StaffProposal.Consent.values,
        "longest": LONGEST,
        "error": error,
    }
    return page(request, "support/propose.html", context, status=422 if error else 200)


@staffed
def withdraw(request: StaffRequest, grant_id: UUID, proposal_id: UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect("support:lookup")
    staff_proposals.withdraw(proposal_id, staff=request.staff, grant_id=grant_id)
    trace_id = staff_proposals.trace_of(grant_id, staff=request.staff)
    return leave(request, reverse("support:trace", args=[trace_id]), said=_("Taken back."))


def _token(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        return uuid4()
