"""Showing content to a staff member, item by item: each is logged before it is seen."""

from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.actors import Actor
from accounts.ids import instant_of, uuid7
from memoryapp.database.isolation import under_grant
from memoryapp.models import Answer, Decision, Episode, Grant, Memory, MemoryVersion, RetrievalTrace, Reveal
from memoryapp.models.memory import LIVING, State
from memoryapp.services import audit
from memoryapp.services.errors import NotFound
from memoryapp.services.grant_view import purpose
from memoryapp.services.grants import own_grant, require_running
from memoryapp.services.locking import writing_for
from memoryapp.services.staff import Staff
from memoryapp.services.trace_items import TraceItem, held_items, load_items

_OBJECTS = {
    "request": "trace", "answer": "answer", "block": "trace", "memory": "memory", "source": "memory",
    "decision": "decision", "message": "episode",
}  # fmt: skip
MOST_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that can be shown: what it is, its id (of a request, an answer and a block the trace's), and of a
    memory and its source the version."""

    what: str
    id: UUID
    number: int = 0


def reveal(grant_id: UUID, items: Iterable[Item], *, staff: Staff) -> None:
    """Notes for the person that each of these items is shown, under this grant. Shown already, it is noted once.

    Conflict `grant_over`; NotFound when the grant is another's or does not cover all of them, and then notes none.
    """
    wanted = list(dict.fromkeys(items))[:MOST_AT_ONCE]
    _, owner = own_grant(grant_id, staff=staff)
    with writing_for(owner) as now:
        grant = Grant.objects.get(pk=grant_id)
        require_running(grant, now)
        with under_grant(grant.pk):
            covers = _Coverage(grant, staff.about(owner, grant_id=grant.pk, scopes=grant.scopes))
            if not all(map(covers.item, wanted)):
                raise NotFound
        known = revealed_under(grant)
        fresh = [item for item in wanted if item not in known]
        Reveal.objects.bulk_create(
            Reveal(
                id=uuid7(),
                person_id=owner,
                grant=grant,
                what=item.what,
                object_id=item.id,
                number=item.number,
                at=now,
            )
            for item in fresh
        )
        for item in fresh:
            audit.record(
                f"view_{item.what}",
                _OBJECTS[item.what],
                item.id,
                actor=staff.about(owner),
                at=now,
                reason=purpose(grant),
            )


def revealed_under(grant: Grant) -> frozenset[Item]:
    """What was shown under this grant, while its person is open."""
    rows = Reveal.objects.filter(grant=grant).values_list("what", "object_id", "number")
    return frozenset(Item(*row) for row in rows)


class _Coverage:
    """Whether a grant covers an item, asked while the grant is the transaction's."""

    def __init__(self, grant: Grant, actor: Actor) -> None:
        self._grant = grant
        self._actor = actor
        self._items = _items_of(grant, actor)

    def item(self, item: Item) -> bool:
        match item.what:
            case "request":
                return item.id == self._grant.trace_id
            case "answer":
                answers = Answer.objects.visible_to(self._actor).filter(trace_id=item.id, text__isnull=False)
                return item.id == self._grant.trace_id and answers.exists()
            case "block":
                return item.id == self._grant.trace_id and self._covers_block()
            case "memory" | "source":
                known = {(one.memory_id, one.version) for one in self._items}
                is_weighed = (item.id, item.number) in known or (self._reaches() and self._stands(item))
                return is_weighed and self._covers_version(item)
            case "decision":
                rows = decisions_within(self._grant, self._actor)
                return rows.filter(pk=item.id).exists()
            case "message":
                turns = Episode.objects.visible_to(self._actor).filter(pk=item.id)
                return self._reaches() and turns.filter(**session_within(self._grant)).exists()
        return False

    def _stands(self, item: Item) -> bool:
        """What would be weighed if the same were asked now."""
        rows = Memory.objects.visible_to(self._actor).filter(pk=item.id, version=item.number)
        return rows.filter(state__in=LIVING).exists()

    def _covers_version(self, item: Item) -> bool:
        rows = MemoryVersion.objects.visible_to(self._actor).filter(memory=item.id, number=item.number)
        forgotten = Memory.objects.filter(pk=item.id, state=State.FORGOTTEN)
        return rows.exists() and not forgotten.exists()

    def _covers_block(self) -> bool:
        """Every memory that was sent and is not gone since is of a scope that the grant names."""
        sent = [one.memory_id for one in self._items if one.was_sent]
        gone = Memory.objects.filter(pk__in=sent, state=State.FORGOTTEN).values("pk")
        rows = MemoryVersion.objects.filter(memory__in=sent).exclude(memory__in=gone)
        return not rows.exclude(scope__name__in=self._grant.scopes).exists()

    def _reaches(self) -> bool:
        return self._grant.reach != Grant.Reach.ANSWER


def _items_of(grant: Grant, actor: Actor) -> list[TraceItem]:
    rows = RetrievalTrace.objects.visible_to(actor)
    rows = rows.filter(id=grant.trace_id, created_at=instant_of(grant.trace_id))
    trace = rows.only("id", "created_at", "items", "counts").first()
    return [*load_items(trace.items), *held_items(trace.counts)] if trace else []


def decisions_within(grant: Grant, actor: Actor) -> QuerySet[Decision]:
    """The decisions that the grant reaches, of its scopes and of none."""
    rows: QuerySet[Decision] = Decision.objects.visible_to(actor)
    if grant.reach == Grant.Reach.ANSWER:
        return rows.none()
    return rows.filter(Q(scope_name__in=grant.scopes) | Q(scope_name=None), **session_within(grant))


def session_within(grant: Grant) -> dict[str, str]:
    """The filter for what is said in the reach of the grant. A conversation without a name is none."""
    return {} if grant.reach == Grant.Reach.PERSON else {"session": grant.session or ""}
