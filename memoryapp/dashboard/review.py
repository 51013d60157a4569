"""The review: what was concluded and not said, what a new text would change, what nobody has heard of for long."""

from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard import wording
from memoryapp.dashboard.failures import in_words
from memoryapp.dashboard.forms import TEXT_LENGTH
from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.turned_down import TurnedDown, turned_down
from memoryapp.rendering import leave, page, wants_fragment
from memoryapp.services import forget as forgetting
from memoryapp.services import reading, reviewing
from memoryapp.services.errors import Conflict, Invalid, NotFound, Refused, ServiceError, StaleVersion
from memoryapp.services.grants import open_to_person
from memoryapp.services.staff_proposals import waiting_proposals
from memoryapp.services.waiting import waiting

_WAITING = ("pending", "paused", "stale")

Answer = Callable[[PersonRequest, UUID], str]


@dataclass(frozen=True, slots=True)
class Trouble:
    """An answer that was not taken, and why. `memory_id` is what it was about, None for what support proposed; `text`
    is what was typed, None where nothing was."""

    memory_id: UUID | None
    error: str
    text: str | None = None


@personal
@require_safe
def review(request: PersonRequest) -> HttpResponse:
    return show_review(request, down=turned_down(request.GET.get("undo", ""), actor=request.actor))


def show_review(
    request: PersonRequest,
    *,
    said: str = "",
    down: TurnedDown | None = None,
    trouble: Trouble | None = None,
    focus: str = "",
) -> HttpResponse:
    found = waiting(actor=request.actor)
    proposals = waiting_proposals(actor=request.actor)
    is_here = trouble is not None and any(one.memory.id == trouble.memory_id for one in found.items)
    context = {
        "review": found,
        "proposals": proposals,
        "accesses": [grant for grant in open_to_person(actor=request.actor) if grant.waits_for == "person"],
        "down": down,
        "trouble": trouble,
        "is_here": is_here,
        "longest": TEXT_LENGTH,
    }
    if trouble:
        focus = f"text-{trouble.memory_id}" if is_here and trouble.text is not None else "trouble"
    return page(
        request,
        "dashboard/review.html",
        context,
        partial="review",
        also=("nav-review",),
        said=said,
        status=422 if trouble else 200,
        focus=focus,
    )


def answer(act: Answer) -> Callable[..., HttpResponseBase]:
    """A POST that answers one item and says a sentence, then what is left. A form sent twice acts once.

    What cannot be taken is shown beside its item with what was typed.
    """

    def view(request: PersonRequest, memory_id: UUID) -> HttpResponse:
        if request.method != "POST":
            return redirect("dashboard:review")
        try:
            with first_time(request) as is_first:
                said = act(request, memory_id) if is_first else _("That was answered already.")
        except NotFound:
            raise
        except ServiceError as error:
            return show_review(request, trouble=Trouble(memory_id, _why_not(error), _typed(request)))
        down = turned_down(memory_id, actor=request.actor)
        if wants_fragment(request):
            return show_review(request, said=said, down=down)
        return leave(request, reverse("dashboard:review") + (f"?undo={memory_id}" if down else ""), said=said)

    return personal(view)


@answer
def keep(request: PersonRequest, memory_id: UUID) -> str:
    kept = reviewing.keep(memory_id, actor=request.actor, expected_version=version_of(request))
    match kept.status:
        case "closed":
            return _("Taken back. It is kept as history and sent to nobody.")
        case "paused":
            return _("Kept. It stays paused.")
    return _("Kept. It may be sent from now on.")


@answer
def correct(request: PersonRequest, memory_id: UUID) -> str:
    text = _typed(request) or ""
    if len(text) > TEXT_LENGTH:
        raise Invalid("length", "Too long.")
    reviewing.keep_corrected(memory_id, text, actor=request.actor, expected_version=version_of(request))
    return _("Corrected. Your words stand from now on.")


@answer
def reject(request: PersonRequest, memory_id: UUID) -> str:
    rejected = reviewing.reject(memory_id, actor=request.actor, expected_version=version_of(request))
    if rejected.pending_rule is None and rejected.status == "closed":
        return _("Taken back. It is kept as history and sent to nobody.")
    return _("Rejected. The same conclusion is not proposed again.")


@answer
def forget(request: PersonRequest, memory_id: UUID) -> str:
    forgetting.forget(memory_id, relearn="allow", source="keep", actor=request.actor)
    return _("Forgotten. The trash keeps it for a while.")


@personal
def undo(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    """Takes a rejection or a forgetting back: it waits again. Taken back already, as after a double click, is done."""
    if request.method != "POST":
        return redirect("dashboard:review")
    down = turned_down(memory_id, actor=request.actor)
    if down is None:
        reading.read_memory(memory_id, actor=request.actor)
    elif down.is_forgotten:
        forgetting.restore(memory_id, actor=request.actor)
    else:
        reviewing.unreject(memory_id, actor=request.actor)
    said = _("Undone. It waits for you again.")
    if wants_fragment(request):
        return show_review(request, said=said, focus=f"m-{memory_id}")
    return leave(request, reverse("dashboard:review"), said=said)


def _typed(request: PersonRequest) -> str | None:
    text = request.POST.get("text")
    return None if text is None else text.replace("\r\n", "\n")


def version_of(request: PersonRequest) -> int | None:
    """What the answer was given to: the token of each form is `<id>.<version>`."""
    number = request.POST.get("once", "").rpartition(".")[2]
    return int(number) if number.isascii() and number.isdecimal() and len(number) < 10 else None


def _why_not(error: ServiceError) -> str:
    match error:
        case Invalid(field="length"):
            return _("At most %(n)s characters.") % {"n": wording.number(TEXT_LENGTH)}
        case Invalid():
            return _("Write what is to be remembered.")
        case Refused():
            return str(wording.RULES.get(error.rule, error.detail))
        case StaleVersion() if error.current["status"] in _WAITING:
            return _("It was changed in the meantime. This is what it says now.")
        case StaleVersion() | Conflict(code="not_waiting"):
            return _("That does not wait for an answer any more.")
    return in_words(error)
