"""The buttons beside a memory: one verb each, then the page again that it was pressed on."""

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _

from memoryapp.dashboard import answer, undo
from memoryapp.dashboard.memories import PARTIAL, show_list
from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave, wants_fragment
from memoryapp.services import forget as forgetting
from memoryapp.services import reading, states
from memoryapp.services.errors import NotFound

ON = "on"
"""The field that says on which page a button was pressed: `memory`, or the list when it is absent."""

Verb = Callable[[PersonRequest, UUID], str]


def verb(act: Verb) -> Callable[..., HttpResponseBase]:
    """A POST that acts and says one sentence. A GET, as after signing in anew, leads to the page of the button."""

    @wraps(act)
    def view(request: PersonRequest, memory_id: UUID) -> HttpResponse:
        if request.method != "POST":
            reading.read_memory(memory_id, actor=request.actor)
            return redirect(origin(request, memory_id))
        return again(request, memory_id, said=act(request, memory_id))

    return personal(view)


def again(request: PersonRequest, memory_id: UUID, *, said: str, focus: str = "") -> HttpResponse:
    """The page of the button after the change: the list or the answer as a fragment where that was asked for."""
    place, target = Place.of(request), request.headers.get("HX-Target") if wants_fragment(request) else None
    if place.answer and target == f"div#{answer.PARTIAL}":
        return answer.show_answer(request, place.answer, place.answers, said=said, focus=f"w-{memory_id}")
    if target != f"div#{PARTIAL}":
        return leave(request, origin(request, memory_id), said=said)
    return show_list(request, place, said=said, focus=focus)


def origin(request: PersonRequest, memory_id: UUID) -> str:
    place = Place.of(request)
    if request.POST.get(ON) == "memory":
        return reverse("dashboard:memory", args=[memory_id]) + place.query
    return place.url + (f"#w-{memory_id}" if place.answer else "")


@verb
def pause(request: PersonRequest, memory_id: UUID) -> str:
    states.pause(memory_id, actor=request.actor)
    return _("Paused. It stays here and is sent to no assistant.")


@verb
def resume(request: PersonRequest, memory_id: UUID) -> str:
    states.resume(memory_id, actor=request.actor)
    return _("Resumed. It may be sent again.")


@verb
def pin(request: PersonRequest, memory_id: UUID) -> str:
    states.pin(memory_id, actor=request.actor)
    return _("Pinned. It is sent with every request.")


@verb
def unpin(request: PersonRequest, memory_id: UUID) -> str:
    states.unpin(memory_id, actor=request.actor)
    return _("Unpinned. It is sent when it fits what you ask.")


@verb
def confirm(request: PersonRequest, memory_id: UUID) -> str:
    with first_time(request) as is_first:
        if is_first:
            states.confirm(memory_id, actor=request.actor)
    return _("Noted: still true.")


@personal
def restore(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    """Undoes a forget. Restored already, as after a double click, is restored."""
    if request.method != "POST":
        return redirect(Place.of(request).url)
    if not _stands(request, memory_id):
        forgetting.restore(memory_id, actor=request.actor)
    return again(request, memory_id, said=_("Restored. It stands as before."), focus=f"m-{memory_id}")


def _stands(request: PersonRequest, memory_id: UUID) -> bool:
    try:
        reading.read_memory(memory_id, actor=request.actor)
    except NotFound:
        return False
    return True


@personal
def hide_bars(request: PersonRequest) -> HttpResponse:
    """Puts the undo bars away; the trash keeps what they offered."""
    place = Place.of(request)
    if request.method != "POST":
        return redirect(place.url)
    undo.hide(request)
    return show_list(request, place) if wants_fragment(request) else leave(request, place.url)
