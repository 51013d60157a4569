"""Forgetting one stored message: it is erased wherever it is quoted, and what rests on it alone goes to the trash."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Episode, Memory
from memoryapp.services import audit
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.forget import forget_along
from memoryapp.services.listed import Listed, listed
from memoryapp.services.messages import Resting, erase_messages, resting_on
from memoryapp.services.person_only import writing_as_person

SHOWN = 20


@dataclass(frozen=True, slots=True)
class MessageToForget:
    """A message, and what forgetting it concerns: how much goes `along`, how much `stays`, and the first of each."""

    id: UUID
    role: str
    content: str
    at: datetime
    along: int
    stays: int
    going: tuple[Listed, ...]
    staying: tuple[Listed, ...]


def message_to_forget(message_id: UUID, *, actor: Actor) -> MessageToForget:
    """NotFound when it is not there. Four reads."""
    with acting_for(actor.opened):
        message, resting = _message(message_id, actor)
        first = [*resting.alone[:SHOWN], *resting.supported[:SHOWN]]
        heads = Memory.objects.visible_to(actor).select_related("scope").in_bulk(first)
        now = datetime.now(UTC)

        def named(ids: Iterable[UUID]) -> tuple[Listed, ...]:
            return tuple(listed(heads[one], now) for one in ids if one in heads)

        return MessageToForget(
            id=message.pk,
            role=message.role,
            content=message.content,
            at=message.occurred_at,
            along=len(resting.alone),
            stays=len(resting.supported),
            going=named(resting.alone[:SHOWN]),
            staying=named(resting.supported[:SHOWN]),
        )


def forget_message(message_id: UUID, *, expected_along: int, actor: Actor) -> None:
    """Erases it at once. NotFound; Conflict `count_changed` when another number than `expected_along` rests on it."""
    with writing_as_person(actor) as writer:
        message, resting = _message(message_id, actor)
        if len(resting.alone) != expected_along:
            raise Conflict("count_changed", "More or fewer memories rest on that message now than you were shown.")
        forget_along(resting.alone, writer)
        erase_messages([(message.session, message.turn)], writer)
        audit.record("forget_message", "episode", message.pk, actor=actor, at=writer.now)


def _message(message_id: UUID, actor: Actor) -> tuple[Episode, Resting]:
    message: Episode | None = Episode.objects.visible_to(actor).filter(pk=message_id).first()
    if message is None:
        raise NotFound
    return message, resting_on([(message.session, message.turn)], besides=(), actor=actor)
