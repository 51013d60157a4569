"""Forgetting a memory, and undoing it within the trash time."""

from collections.abc import Collection
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q

from accounts.actors import Actor
from accounts.ids import uuid7
from memoryapp.models import Memory, MemoryVersion, Tombstone
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.types import Said
from memoryapp.services import audit, do_not_learn, since_ledger
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.messages import erase_messages, resting_on, turns_of
from memoryapp.services.retention import began, limits, trash_time
from memoryapp.services.shown import memory_json, time_json
from memoryapp.services.since_ledger import Since
from memoryapp.services.slots import closing, digests, person_digest
from memoryapp.services.writing import Writer, add_confirmation, amend, writable_memory, writer_for


def forget(
    memory_id: UUID,
    *,
    relearn: Literal["allow", "block"],
    source: Literal["keep", "erase"],
    actor: Actor,
    besides: Collection[UUID] = (),
    expected_along: int | None = None,
) -> dict[str, Any]:
    """Takes the memory out of every read path at once. It can be restored until the trash time ends.

    `relearn="block"` lays a tombstone for every value that it ever had, in the same transaction; `source="erase"`
    erases the messages that it came from, and forgets what rests on them alone, save what is in `besides`. A guess at
    one of its values that waited beside it goes along. NotFound when it is gone already; Conflict `count_changed` when
    another number than `expected_along` rests on the messages alone.
    """
    with writer_for(actor) as writer:
        memory = writable_memory(memory_id, writer)
        turns = turns_of([memory.pk]) if source == "erase" else set()
        along = resting_on(turns, besides={memory.pk, *besides}, actor=actor).alone
        if source == "erase" and expected_along not in (None, len(along)):
            raise Conflict("count_changed", "More or fewer memories rest on that message now than you were shown.")
        # Who decided the state before stays noted, or restoring would pass a person's pause on to an agent.
        take_out(memory, writer)
        values = _values(memory)
        for guess in _guesses_beside(memory, values):
            take_out(guess, writer)
        # What waited to take a value back does not bar the value itself.
        if relearn == "block" and memory.pending_rule != "retracted":
            _lay_tombstones(memory, values, writer)
        forget_along(along, writer)
        erase_messages(turns, writer)
        audit.record("forget", "memory", memory.pk, actor=actor, at=writer.now, reason=f"{relearn} {source}")
        return {
            "id": str(memory.pk),
            "status": "forgotten",
            "restorable_until": time_json(writer.now + trash_time(memory.person_id)),
            "tombstone": relearn == "block",
        }


def take_out(memory: Memory, writer: Writer, *, at: datetime | None = None) -> None:
    """To the trash, out of every read path; its time there counts from `at`, by default from now."""
    memory.state, memory.forgotten_at = State.FORGOTTEN, at or writer.now
    amend(memory, writer)
    since_ledger.note(Since("forgotten", memory.pk, memory.forgotten_at, memory.person_id))


def _values(memory: Memory) -> set[str]:
    """Every value that the memory ever had, in normal form."""
    texts = MemoryVersion.objects.filter(memory=memory).values_list("text", flat=True)
    return {normal_form(text) for text in texts}


def _guesses_beside(memory: Memory, values: set[str]) -> list[Memory]:
    """What only ever waited in the memory's slot with a value that it had: the same words under another id."""
    slot = Memory.objects.filter(scope=memory.scope, kind=memory.kind, subject_key=memory.subject_key)
    heads = slot.filter(pending_rule__isnull=False, state__in=(State.PENDING, State.CLOSED)).select_related("scope")
    return [head for head in heads if normal_form(head.text) in values]


def _lay_tombstones(memory: Memory, values: set[str], writer: Writer) -> None:
    key = bytes(writer.person.digest_key)
    laid = Tombstone.objects.bulk_create(
        Tombstone(
            id=uuid7(),
            person_id=memory.person_id,
            memory=memory,
            digest=person_digest(key, value),
            kind=memory.kind,
            scope_name=memory.scope.name,
            subject_key=memory.subject_key,
            recorded_at=writer.now,
        )
        for value in sorted(values)
    )
    do_not_learn.note_barred(laid, writer)


def forget_along(memory_ids: Collection[UUID], writer: Writer) -> None:
    """What rests on a message that is erased goes to the trash, each on its own."""
    rows = Memory.objects.writable_by(writer.actor).select_related("scope").exclude(state=State.FORGOTTEN)
    for memory in rows.filter(pk__in=memory_ids):
        take_out(memory, writer)
        audit.record("forget", "memory", memory.pk, actor=writer.actor, at=writer.now, reason="allow derived")


def restore(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """Undoes a forget: the memory stands as before, and its tombstones are lifted.

    NotFound when it was not forgotten or its trash time is over; Conflict `person_decides` when an agent would undo
    what the person did or bring back what is not to be learned again, `slot_taken` when another memory stands in its
    slot.
    """
    with writer_for(actor) as writer:
        memory = _in_trash(memory_id, writer)
        if actor.is_agent and memory.current_version.actor_kind != "agent":
            raise Conflict("person_decides", "No agent forgot this; only the person can bring it back.")
        if actor.is_agent and _is_barred(memory, writer):
            raise Conflict("person_decides", "This is not to be learned again; only the person can bring it back.")
        closed_by_it = MemoryVersion.objects.filter(memory=memory, closed_at__gte=memory.forgotten_at)
        before = closed_by_it.exclude(state=State.FORGOTTEN).latest("number")
        slot = Memory.objects.filter(scope=memory.scope, kind=memory.kind, subject_key=memory.subject_key)
        if before.state in LIVING and slot.filter(state__in=LIVING).exists():
            raise Conflict("slot_taken", "Another memory stands in its place by now.")
        memory.state, memory.forgotten_at = State(before.state), None
        _say_again_if_over(memory, writer)
        amend(memory, writer)
        since_ledger.note(Since("restored", memory.pk, writer.now, memory.person_id))
        do_not_learn.note_lifted(Tombstone.objects.filter(memory=memory), writer)
        Tombstone.objects.filter(memory=memory).delete()
        audit.record("restore", "memory", memory.pk, actor=actor, at=writer.now)
        return memory_json(memory, writer.person, writer.now)


def _say_again_if_over(memory: Memory, writer: Writer) -> None:
    """What had its time and is wanted all the same has it anew from now on, or it would go again the next day."""
    end = limits(memory.person_id)[memory.kind].ends(began(memory))
    if end is not None and end <= writer.now:
        memory.seen += 1
        memory.confirmed_at = writer.now
        add_confirmation(memory, Said(writer.now), writer)


def _in_trash(memory_id: UUID, writer: Writer) -> Memory:
    rows = Memory.objects.writable_by(writer.actor).select_related("scope", "current_version")
    memory = rows.filter(pk=memory_id, state=State.FORGOTTEN).first()
    kept = trash_time(writer.person.pk)
    if memory is None or memory.forgotten_at is None or writer.now >= memory.forgotten_at + kept:
        raise NotFound
    return memory


def _is_barred(memory: Memory, writer: Writer) -> bool:
    """Whether the value has a tombstone that restoring this memory does not lift, or its whole subject is closed."""
    subject = Q(digest=None, scope_name=memory.scope.name, subject_key=memory.subject_key)
    found = [
        *digests(writer.person, normal_form(memory.text)),
        *digests(writer.person, closing(memory.scope.name, memory.subject_key)),
    ]
    rows = Tombstone.objects.filter(subject | Q(digest__in=found), person_id=memory.person_id)
    return rows.exclude(memory=memory).exists()
