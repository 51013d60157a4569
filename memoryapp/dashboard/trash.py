"""The trash: what was forgotten and can still come back, or be erased at once, one by one."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave, page, wants_fragment
from memoryapp.services import reading
from memoryapp.services import trash as trashing
from memoryapp.services.by_person import SlotTaken
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import Invalid, NotFound
from memoryapp.services.listed import Listed

OLDER = "older"


@personal
@require_safe
def trash(request: PersonRequest) -> HttpResponse:
    try:
        return _show(request, request.GET.get(OLDER))
    except Invalid:
        return redirect("dashboard:trash")


def _show(
    request: PersonRequest, cursor: str | None, *, said: str = "", taken_by: Listed | None = None
) -> HttpResponse:
    found = trashing.trash(actor=request.actor, cursor=cursor or None)
    context = {"trash": found, "cursor": cursor or "", "taken_by": taken_by}
    focus, status = ("taken", 409) if taken_by else ("", 200)
    return page(request, "dashboard/trash.html", context, partial="trash", said=said, focus=focus, status=status)


@personal
def restore(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    """Brings it back and stays in the trash. Restored already, as after a double click, is restored."""
    if request.method != "POST":
        return redirect("dashboard:trash")
    cursor = request.POST.get(OLDER)
    try:
        trashing.bring_back(memory_id, actor=request.actor)
    except SlotTaken as taken:
        return _show(request, cursor, taken_by=taken.other)
    except NotFound:
        reading.read_memory(memory_id, actor=request.actor)
    return _again(request, cursor, said=_("Restored. It stands as before."))


@personal
def erase(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    """Erases it for good, before its day. Asked for twice, it was done the first time."""
    if request.method != "POST":
        return redirect("dashboard:trash")
    with first_time(request) as is_first:
        if is_first:
            erase_now(memory_id, actor=request.actor)
    return _again(request, request.POST.get(OLDER), said=_("Erased. It cannot come back any more."))


def _again(request: PersonRequest, cursor: str | None, *, said: str) -> HttpResponse:
    if wants_fragment(request):
        return _show(request, cursor, said=said)
    return leave(request, reverse("dashboard:trash") + (f"?{urlencode({OLDER: cursor})}" if cursor else ""), said=said)
