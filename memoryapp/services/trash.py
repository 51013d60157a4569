"""What was forgotten and can still come back."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, Tombstone
from memoryapp.models.memory import LIVING, State
from memoryapp.services.by_person import SlotTaken
from memoryapp.services.errors import Conflict
from memoryapp.services.forget import restore
from memoryapp.services.listed import Listed, listed
from memoryapp.services.paging import decode_cursor, decode_id, decode_instant, encode_cursor
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.retention import trash_time


@dataclass(frozen=True, slots=True)
class Discarded:
    """One forgotten memory. `is_barred`: it is not to be learned again, until it is restored."""

    memory: Listed
    forgotten_at: datetime
    restorable_until: datetime
    by: str
    agent: str | None
    is_barred: bool

    @property
    def id(self) -> UUID:
        return self.memory.id


@dataclass(frozen=True, slots=True)
class Trash:
    """A page of the trash, latest first; `older` is a cursor, None at the end."""

    items: tuple[Discarded, ...]
    count: int
    older: str | None


def trash(*, actor: Actor, cursor: str | None = None, limit: int = 50) -> Trash:
    """What can still be restored. A constant number of reads."""
    now = datetime.now(UTC)
    with acting_for(actor.opened):
        rows = _restorable(actor, now)
        page = rows.order_by("-forgotten_at", "-id")
        if cursor is not None:
            at, last = decode_cursor(cursor, 2)
            since = decode_instant(at)
            page = page.filter(Q(forgotten_at__lt=since) | Q(forgotten_at=since, id__lt=decode_id(last)))
        heads = list(page[: limit + 1])
        more = heads[limit - 1] if len(heads) > limit else None
        return Trash(
            items=_discarded(heads[:limit], now),
            count=rows.count(),
            older=encode_cursor(more.forgotten_at.isoformat(), str(more.pk)) if more and more.forgotten_at else None,
        )


def bring_back(memory_id: UUID, *, actor: Actor) -> Listed:
    """Restores it, tombstones lifted. NotFound when that cannot be any more; SlotTaken, with what stands there now."""
    with writing_as_person(actor) as writer:
        try:
            restore(memory_id, actor=actor)
        except Conflict as conflict:
            if conflict.code != "slot_taken":
                raise
            memory = Memory.objects.visible_to(actor).get(pk=memory_id)
            slot = Memory.objects.filter(scope=memory.scope_id, kind=memory.kind, subject_key=memory.subject_key)
            raise SlotTaken(listed(slot.select_related("scope").get(state__in=LIVING), writer.now)) from None
        memory = Memory.objects.visible_to(actor).select_related("scope").get(pk=memory_id)
        return listed(memory, writer.now)


def _restorable(actor: Actor, now: datetime) -> QuerySet[Memory]:
    since = now - trash_time(actor.opened)
    rows: QuerySet[Memory] = Memory.objects.visible_to(actor).filter(state=State.FORGOTTEN, forgotten_at__gt=since)
    return rows.select_related("scope", "current_version__agent_key")


def _discarded(heads: Iterable[Memory], now: datetime) -> tuple[Discarded, ...]:
    heads = list(heads)
    kept = trash_time(heads[0].person_id) if heads else timedelta()
    barred = set(Tombstone.objects.filter(memory__in=heads).values_list("memory_id", flat=True))
    return tuple(
        Discarded(
            memory=listed(head, now),
            forgotten_at=head.forgotten_at,
            restorable_until=head.forgotten_at + kept,
            by=head.current_version.actor_kind,
            agent=head.current_version.agent_key.name if head.current_version.agent_key else None,
            is_barred=head.pk in barred,
        )
        for head in heads
        if head.forgotten_at
    )
