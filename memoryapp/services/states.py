"""Pausing, resuming, confirming and pinning a memory. Each returns the memory; doing it twice changes nothing more."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from accounts.actors import Actor
from memoryapp.models import Dispute, Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.types import Said
from memoryapp.services import audit, since_ledger
from memoryapp.services.disputes import is_the_persons, settle
from memoryapp.services.errors import Conflict
from memoryapp.services.shown import memory_json
from memoryapp.services.since_ledger import Since
from memoryapp.services.writing import (
    Writer,
    add_confirmation,
    amend,
    log_decision,
    save,
    save_confirmed,
    stand_again,
    writable_memory,
    writer_for,
)


@contextmanager
def _standing(memory_id: UUID, actor: Actor) -> Iterator[tuple[Memory, Writer]]:
    """A memory that stands, for a change. Conflict `not_current` when it does not."""
    with writer_for(actor) as writer:
        memory = writable_memory(memory_id, writer)
        if memory.state == State.PENDING:
            raise Conflict("person_decides", "It waits for the person's review.")
        if memory.state not in LIVING:
            raise Conflict("not_current", "The memory does not stand any more.")
        yield memory, writer


def _changed(verb: str, memory: Memory, writer: Writer) -> None:
    amend(memory, writer)
    audit.record(verb, "memory", memory.pk, actor=writer.actor, at=writer.now)


def _shown(memory: Memory, writer: Writer) -> dict[str, Any]:
    return memory_json(memory, writer.person, writer.now)


def pause(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """Keeps it and shows it, and sends it to nobody."""
    with _standing(memory_id, actor) as (memory, writer):
        if memory.state != State.PAUSED:
            memory.state, memory.state_by = State.PAUSED, actor.kind
            _changed("pause", memory, writer)
            since_ledger.note(Since("paused", memory.pk, writer.now, memory.person_id, by=actor.kind))
        return _shown(memory, writer)


def resume(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """Uses it again. Conflict `person_decides` when an agent would undo the person's pause."""
    with _standing(memory_id, actor) as (memory, writer):
        if memory.state == State.PAUSED:
            if actor.is_agent and memory.state_by == "person":
                raise Conflict("person_decides", "The person paused this themselves; only they can resume it.")
            memory.state, memory.state_by, memory.pending_rule = State.CURRENT, actor.kind, None
            _changed("resume", memory, writer)
            since_ledger.note(Since("resumed", memory.pk, writer.now, memory.person_id))
        return _shown(memory, writer)


def pin(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """Sends it always, whatever the request. Conflict `person_decides` when an agent would undo the person's unpin."""
    with _standing(memory_id, actor) as (memory, writer):
        if not memory.pinned:
            if actor.is_agent and memory.pinned_by == "person":
                raise Conflict("person_decides", "The person unpinned this themselves; only they can pin it again.")
            memory.pinned, memory.pinned_by = True, actor.kind
            _changed("pin", memory, writer)
        return _shown(memory, writer)


def unpin(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """No longer always. Conflict `person_decides` when an agent would undo the person's pin."""
    with _standing(memory_id, actor) as (memory, writer):
        if memory.pinned:
            if actor.is_agent and memory.pinned_by == "person":
                raise Conflict("person_decides", "The person pinned this themselves; only they can unpin it.")
            memory.pinned, memory.pinned_by = False, actor.kind
            _changed("unpin", memory, writer)
        return _shown(memory, writer)


def confirm(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """Still true: said once more, now. A stale or expired one is current again, a paused one stays paused.

    Whoever disputed it decides so; Conflict `person_decides` when an agent would for the person.
    """
    with _standing(memory_id, actor) as (memory, writer):
        if actor.is_agent and is_the_persons(memory):
            raise Conflict("person_decides", "The person disputes this; only they can confirm it.")
        was_disputed = memory.disputed
        settle(memory, Dispute.Outcome.KEPT, writer)
        said = Said(writer.now)
        memory.seen += 1
        memory.confirmed_at = max(memory.confirmed_at, said.at)
        memory.last_said_at = max(memory.last_said_at or said.at, said.at)
        memory.last_said_session = memory.last_said_turn = None
        add_confirmation(memory, said, writer)
        if stand_again(memory, writer):
            amend(memory, writer)
        elif was_disputed:
            save(memory, writer)
        else:
            save_confirmed(memory, writer)
        log_decision(
            "reconfirmed",
            "same_value",
            writer,
            verb="confirm",
            memory=memory,
            version_id=memory.current_version_id,
            kind=memory.kind,
            scope_name=memory.scope.name,
            subject=memory.subject,
            origin=memory.origin,
        )
        return memory_json(memory, writer.person, writer.now)
