"""What was revealed under a grant, read again each time: for as long as the grant runs."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import Q

from accounts.actors import Actor
from accounts.ids import instant_of
from memoryapp.models import Answer, Decision, Episode, Memory, MemoryVersion, RetrievalTrace
from memoryapp.models.memory import State
from memoryapp.services.replaying import replay, versions_of
from memoryapp.services.reveal import Item
from memoryapp.services.shown import status_at
from memoryapp.services.trace_items import load_items


@dataclass(frozen=True, slots=True)
class Content:
    """The words of one item. Of a memory: what it said then in `text` and what it says now in `now`; of a source and a
    decision: where in which conversation it was said."""

    text: str | None
    now: str | None = None
    version_now: int | None = None
    status_now: str | None = None
    subject: str | None = None
    scope: str | None = None
    source: str | None = None
    role: str | None = None
    session: str | None = None
    turn: int | None = None
    at: datetime | None = None
    decision_id: UUID | None = None


def contents_of(items: Iterable[Item], trace_id: UUID, *, actor: Actor) -> Mapping[Item, Content]:
    """The contents of these items, in a transaction under the actor's grant. A constant number of reads.

    What was forgotten or erased since is not among them, whoever asks.
    """
    wanted = set(items)
    found: dict[Item, Content] = {}
    kinds = {item.what for item in wanted}
    if kinds & {"request", "block"}:
        found |= _of_trace(trace_id, actor, kinds)
    if "answer" in kinds and (text := _answer(trace_id, actor)):
        found[Item("answer", trace_id)] = Content(text)
    if kinds & {"memory", "source"}:
        found |= _of_memories([item for item in wanted if item.what in ("memory", "source")], actor)
    if ids := {item.id for item in wanted if item.what == "decision"}:
        found |= {
            Item("decision", row.pk): Content(
                row.text,
                subject=row.subject,
                scope=row.scope_name,
                source=row.source,
                session=row.session,
                turn=row.turn,
                at=row.recorded_at,
            )
            for row in Decision.objects.visible_to(actor).filter(pk__in=ids)
        }
    if ids := {item.id for item in wanted if item.what == "message"}:
        found |= {
            Item("message", row.pk): Content(
                row.content, role=row.role, session=row.session, turn=row.turn, at=row.occurred_at
            )
            for row in Episode.objects.visible_to(actor).filter(pk__in=ids)
        }
    return {item: content for item, content in found.items() if item in wanted}


def _of_trace(trace_id: UUID, actor: Actor, kinds: set[str]) -> dict[Item, Content]:
    rows = RetrievalTrace.objects.visible_to(actor).filter(id=trace_id, created_at=instant_of(trace_id))
    trace = rows.first()
    if trace is None:
        return {}
    found = {Item("request", trace_id): Content(trace.query)}
    if "block" in kinds:
        items = [item for item in load_items(trace.items) if item.was_sent]
        gone = Memory.objects.filter(pk__in=[item.memory_id for item in items], state=State.FORGOTTEN)
        gaps = {memory_id: str(State.FORGOTTEN) for memory_id in gone.values_list("pk", flat=True)}
        found[Item("block", trace_id)] = Content(replay(trace, items, versions_of(items), gaps))
    return found


def _answer(trace_id: UUID, actor: Actor) -> str | None:
    return Answer.objects.visible_to(actor).filter(trace_id=trace_id).values_list("text", flat=True).first()


def _of_memories(items: Iterable[Item], actor: Actor) -> dict[Item, Content]:
    now = datetime.now(UTC)
    wanted = {(item.id, item.number) for item in items}
    heads = {
        head.pk: head
        for head in Memory.objects.visible_to(actor)
        .filter(pk__in={one[0] for one in wanted})
        .exclude(state=State.FORGOTTEN)
    }
    which = Q(pk__in=())
    for memory_id, number in wanted:
        which |= Q(memory=memory_id, number=number)
    found = {}
    for row in MemoryVersion.objects.visible_to(actor).filter(which):
        head = heads.get(row.memory_id)
        if head is None:
            continue
        found[Item("memory", head.pk, row.number)] = Content(
            row.text,
            now=head.text,
            version_now=head.version,
            status_now=status_at(head, now),
            subject=row.subject,
            scope=row.scope_name,
        )
        found[Item("source", head.pk, row.number)] = Content(
            row.source, role=row.source_role, session=row.session, turn=row.turn, at=row.occurred_at
        )
    return found
