"""What waits for the person's review, each beside what it would change."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast
from uuid import UUID

from django.db.models import F, QuerySet

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Dispute, Memory, MemoryVersion
from memoryapp.models.memory import LIVING, WAITS, State
from memoryapp.services.listed import Listed, listed
from memoryapp.services.staff_proposals import count_of_proposals

Why = Literal["disputed", "inferred", "instruction", "retracted", "new_text", "stale"]


@dataclass(frozen=True, slots=True)
class Waiting:
    """One memory that waits, and why: a guess, an order to the assistant, a guess that something was taken back, a
    paused one whose text is new, or one that nobody has heard of for long.

    `stands` is what stands in its slot and would be replaced or taken back. `previous_text` is what a paused one said
    before, `own_words` what the person says against a disputed one.
    """

    memory: Listed
    why: Why
    stands: Listed | None = None
    previous_text: str | None = None
    own_words: str | None = None


@dataclass(frozen=True, slots=True)
class Review:
    """The first of what waits, `count` in all. First new texts, then guesses and their like, then what is stale; each
    oldest first."""

    items: tuple[Waiting, ...]
    count: int


def waiting(*, actor: Actor, limit: int = 50) -> Review:
    """What waits for the person's answer. A constant number of reads."""
    now = datetime.now(UTC)
    with acting_for(actor.opened):
        rows = _rows(actor).select_related("scope")
        # By chance the order of the alphabet: current (disputed), paused, pending, stale.
        heads = list(rows.order_by("state", "id")[:limit])
        stands = _stands(heads, actor)
        before = _texts_before([head for head in heads if head.state == State.PAUSED])
        disputes = Dispute.objects.visible_to(actor).filter(memory_id__in=[head.pk for head in heads], outcome=None)
        words = dict(disputes.values_list("memory_id", "text"))
        items = tuple(
            Waiting(
                memory=listed(head, now),
                why=_why(head),
                stands=listed(other, now) if (other := stands.get(_slot(head))) and other.pk != head.pk else None,
                previous_text=before.get(head.pk),
                own_words=words.get(head.pk),
            )
            for head in heads
        )
        return Review(items, len(items) if len(items) < limit else rows.count())


def waiting_count(*, actor: Actor) -> int:
    """How much waits, proposals of staff among it, for the badge on every page."""
    with acting_for(actor.opened):
        return _rows(actor).count() + count_of_proposals(actor=actor)


def _rows(actor: Actor) -> QuerySet[Memory]:
    rows: QuerySet[Memory] = Memory.objects.visible_to(actor).filter(WAITS)
    return rows


def _why(head: Memory) -> Why:
    if head.disputed:
        return "disputed"
    if head.state == State.STALE:
        return "stale"
    if head.state == State.PAUSED:
        return "new_text"
    return cast(Why, head.pending_rule)


_Slot = tuple[UUID, str, str]


def _slot(head: Memory) -> _Slot:
    return head.scope_id, head.kind, head.subject_key


def _stands(heads: Iterable[Memory], actor: Actor) -> Mapping[_Slot, Memory]:
    """What stands in the slots of those that are pending."""
    pending = [head for head in heads if head.state == State.PENDING]
    rows = Memory.objects.visible_to(actor).filter(
        state__in=LIVING,
        scope__in={head.scope_id for head in pending},
        subject_key__in={head.subject_key for head in pending},
    )
    return {_slot(head): head for head in rows.select_related("scope")}


def _texts_before(heads: Iterable[Memory]) -> Mapping[UUID, str]:
    now_said = {head.pk: head.statement_id for head in heads}
    rows = MemoryVersion.objects.filter(memory__in=now_said, statement=F("pk"), state__in=LIVING).order_by("number")
    return {row.memory_id: row.text for row in rows if row.pk != now_said[row.memory_id]}


def text_before(memory: Memory) -> str | None:
    """What the memory said before its present text, None when it has said nothing else. While its person is open."""
    return _texts_before([memory]).get(memory.pk)
