"""Forgetting one memory: at once from the list, or on its page with the choice of what goes along."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.verbs import again
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.rendering import page
from memoryapp.services import forget as forgetting
from memoryapp.services.errors import NotFound
from memoryapp.services.messages import Resting, resting_on, turns_of
from memoryapp.services.retention import trash_time


@dataclass(frozen=True, slots=True)
class Subject:
    """What is to be forgotten, or was just now. `kept_until` is the day on which the trash lets go of it.

    `has_message`: a message that it came from, whatever it says by now, was named by its conversation and turn.
    """

    id: UUID
    version: int
    text: str
    source: str | None
    has_message: bool
    use_count: int
    is_forgotten: bool
    kept_until: datetime
    resting: Resting
    """What else rests on its messages."""


@personal
def memory_forget(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    """GET shows the whole text and what can go along, also for what was forgotten just now; POST forgets."""
    subject = _subject(request, memory_id)
    if request.method != "POST":
        return page(request, "dashboard/forget.html", {"memory": subject, "place": Place.of(request)})
    relearn: Literal["allow", "block"] = "block" if request.POST.get("never_again") else "allow"
    source: Literal["keep", "erase"] = "erase" if request.POST.get("message") else "keep"
    with first_time(request) as is_first:
        # Forgotten already, there is nothing more to do; from the undo bar, more may go along than went at first.
        if is_first and (not subject.is_forgotten or relearn == "block" or source == "erase"):
            if subject.is_forgotten:
                forgetting.restore(memory_id, actor=request.actor)
            forgetting.forget(
                memory_id,
                relearn=relearn,
                source=source,
                actor=request.actor,
                expected_along=_shown_along(request),
            )
    return again(request, memory_id, said=_said(relearn))


def _shown_along(request: PersonRequest) -> int | None:
    """How many more the person was shown that go along with the message. None from where it was not asked."""
    shown = request.POST.get("along", "")
    return int(shown) if shown.isascii() and shown.isdigit() and len(shown) < 10 else None


def _said(relearn: str) -> str:
    if relearn == "block":
        return _("Forgotten, and not to be learned again. The trash keeps it for a while.")
    return _("Forgotten. The trash keeps it for a while.")


def _subject(request: PersonRequest, memory_id: UUID) -> Subject:
    with acting_for(request.actor.opened):
        memory = Memory.objects.visible_to(request.actor).filter(pk=memory_id).first()
        turns = turns_of([memory_id])
        resting = resting_on(turns, besides={memory_id}, actor=request.actor)
        kept = trash_time(request.actor.opened)
    now = timezone.now()
    if memory is None or (memory.forgotten_at and memory.forgotten_at + kept <= now):
        raise NotFound
    return Subject(
        id=memory.pk,
        version=memory.version,
        text=memory.text,
        source=memory.source,
        has_message=bool(turns),
        use_count=memory.use_count,
        is_forgotten=memory.state == State.FORGOTTEN,
        kept_until=(memory.forgotten_at or now) + kept,
        resting=resting,
    )
