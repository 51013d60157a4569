"""Disputing one memory, in the person's own words, and taking that back."""

from uuid import UUID

from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.verbs import again, verb
from memoryapp.rendering import page
from memoryapp.services import disputes
from memoryapp.services.detail import memory_detail


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def memory_dispute(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    """GET asks what is wrong with it; POST takes it out of use until it is decided."""
    place, shown = Place.of(request), memory_detail(memory_id, actor=request.actor)
    text = request.POST.get("text", "").replace("\r\n", "\n")
    is_long = len(text) > disputes.TEXT_LENGTH
    if request.method != "POST" or is_long:
        context = {"row": shown.memory, "words": text or shown.dispute or "", "is_long": is_long, "place": place}
        context["longest"] = disputes.TEXT_LENGTH
        return page(request, "dashboard/dispute.html", context, status=422 if is_long else 200)
    disputes.dispute(memory_id, text=text, actor=request.actor)
    return again(request, memory_id, said=_("Disputed. It is sent to nobody until you decide."))


@verb
def undispute(request: PersonRequest, memory_id: UUID) -> str:
    disputes.undispute(memory_id, actor=request.actor)
    return _("Taken back. It stands as before.")
