"""What the person just said no to, for the bar that takes it back."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from accounts.actors import Actor
from memoryapp.dashboard.undo import STAYS
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.services.slots import was_rejected


@dataclass(frozen=True, slots=True)
class TurnedDown:
    """A memory that was rejected or forgotten in the last minutes."""

    id: UUID
    text: str
    is_forgotten: bool


def turned_down(memory_id: str | UUID, *, actor: Actor) -> TurnedDown | None:
    """None for everything else, also for what is no id."""
    try:
        wanted = UUID(str(memory_id))
    except ValueError:
        return None
    since = datetime.now(UTC) - STAYS
    with acting_for(actor.opened):
        memory = Memory.objects.visible_to(actor).filter(pk=wanted, changed_at__gt=since).first()
    if memory is None or not (memory.state == State.FORGOTTEN or was_rejected(memory)):
        return None
    return TurnedDown(memory.pk, memory.text, memory.state == State.FORGOTTEN)
