"""Making one of two memories that say one thing."""

from dataclasses import dataclass
from uuid import UUID

from accounts.actors import Actor
from accounts.ids import uuid7
from memoryapp.models import Confirmation, Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.services import audit
from memoryapp.services.by_person import united
from memoryapp.services.errors import Conflict, Invalid
from memoryapp.services.listed import Listed, listed
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.writing import Writer, amend, end_of_validity, writable_memory


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory that remains, and the one that is closed."""

    memory: Listed
    other: Listed


def merge(keep_id: UUID, other_id: UUID, *, actor: Actor) -> Merged:
    """`keep_id` remains as it says it, with the times that either was said and both sets of aliases, and answers to
    the other's subject too. The other is closed, its history intact.

    Raises NotFound; Invalid when they are one; Conflict `not_current` unless both stand.
    """
    if keep_id == other_id:
        raise Invalid("other", "Choose two memories.")
    with writing_as_person(actor) as writer:
        keep, other = (writable_memory(memory_id, writer) for memory_id in (keep_id, other_id))
        if keep.state not in LIVING or other.state not in LIVING:
            raise Conflict("not_current", "Only memories that stand can be merged.")
        _close(other, writer)
        _take_in(keep, other, writer)
        audit.record("merge", "memory", keep.pk, actor=actor, at=writer.now)
        audit.record("merge_into", "memory", other.pk, actor=actor, at=writer.now, reason=str(keep.pk))
        return Merged(listed(keep, writer.now), listed(other, writer.now))


def _take_in(keep: Memory, other: Memory, writer: Writer) -> None:
    # Copies, recorded now: what was sent before the merge had been said as often as it says.
    said = Confirmation.objects.filter(version=other.statement_id).order_by("said_at", "id")
    copies = [
        Confirmation(
            id=uuid7(),
            person_id=one.person_id,
            version_id=keep.statement_id,
            said_at=one.said_at,
            session=one.session,
            turn=one.turn,
            source=one.source,
            actor_kind=one.actor_kind,
            agent_key_id=one.agent_key_id,
            recorded_at=writer.now,
        )
        for one in said
    ]
    Confirmation.objects.bulk_create(copies)
    keep.seen += len(copies)
    also = (*other.aliases, other.subject) if other.subject_key != keep.subject_key else other.aliases
    keep.aliases = list(united(keep.aliases, also))
    keep.confirmed_at = max(keep.confirmed_at, other.confirmed_at)
    keep.last_said_at = max(filter(None, (keep.last_said_at, other.last_said_at)), default=None)
    keep.last_used_at = max(filter(None, (keep.last_used_at, other.last_used_at)), default=None)
    keep.use_count += other.use_count
    if other.pinned and not keep.pinned:
        keep.pinned, keep.pinned_by = True, other.pinned_by
    amend(keep, writer)


def _close(other: Memory, writer: Writer) -> None:
    closes_at = end_of_validity(other, writer.now)
    other.state, other.state_by, other.pending_rule = State.CLOSED, writer.actor.kind, None
    other.valid_to = closes_at
    amend(other, writer, closes_at=closes_at)
