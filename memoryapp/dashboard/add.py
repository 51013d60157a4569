"""Adding a memory by hand: the person's own word, through the same write policy as everything."""

from uuid import uuid4

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.actors import Actor
from memoryapp.dashboard import wording
from memoryapp.dashboard.forms import MemoryForm
from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.policy.types import PERSONAL
from memoryapp.rendering import leave, page
from memoryapp.services import switches
from memoryapp.services.proposal import Outcome, Proposal
from memoryapp.services.propose import propose


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def add(request: PersonRequest) -> HttpResponse:
    scopes = switches.scopes_to_name(actor=request.actor)
    if request.method != "POST":
        return _show(request, MemoryForm(scopes=scopes, initial={"scope": PERSONAL}), str(uuid4()))
    form = MemoryForm(request.POST, scopes=scopes)
    if not form.is_valid():
        return _show(request, form, request.POST.get("once", ""), status=422)
    with first_time(request) as is_first:
        outcome = _propose(form, request.actor) if is_first else None
    if outcome and outcome.action == "rejected":
        form.add_error("text", str(wording.RULES.get(outcome.rule, outcome.detail)))
        return _show(request, form, str(uuid4()), status=422)
    return leave(request, reverse("dashboard:memories"), said=_said(outcome))


def _propose(form: MemoryForm, actor: Actor) -> Outcome:
    given = form.cleaned_data
    proposal = Proposal(
        kind=given["kind"],
        subject=given["subject"],
        text=given["text"],
        scope=given["scope"],
        aliases=given["aliases"] or None,
        expires_at=form.expires_at,
        reason=given["reason"] or None,
    )
    return propose([proposal], actor=actor)[0]


def _said(outcome: Outcome | None) -> str:
    match outcome.action if outcome else "new":
        case "reconfirmed":
            return _("That was known already. It counts as said once more.")
        case "superseded":
            return _("Added. It takes the place of what was known on the same subject, which is kept as history.")
    return _("Added. It may be sent with the next answer.")


def _show(request: PersonRequest, form: MemoryForm, once: str, *, status: int = 200) -> HttpResponse:
    focus = "form-errors" if form.errors else ""
    return page(request, "dashboard/add.html", {"form": form, "once": once}, partial="form", focus=focus, status=status)
