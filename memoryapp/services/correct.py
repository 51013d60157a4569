"""Correcting a memory: its text or what belongs to it, against the version that was read."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.actors import Actor
from memoryapp.models import Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import Candidate, Rules, Said, Slot
from memoryapp.policy.write import closing_instant, decide_write
from memoryapp.services.errors import Conflict, Refused, StaleVersion
from memoryapp.services.proposal import Outcome
from memoryapp.services.shown import memory_json, time_json
from memoryapp.services.slots import tombstones_for
from memoryapp.services.writing import (
    Writer,
    add_confirmation,
    amend,
    close_version,
    log_decision,
    make_current,
    new_version,
    save,
    writable_memory,
    writer_for,
)


@dataclass(frozen=True, slots=True)
class Changes:
    """What to change. None means that it stays. `source` is the message that the correction came from."""

    text: str | None = None
    reason: str | None = None
    aliases: tuple[str, ...] | None = None
    importance: int | None = None
    expires_at: datetime | None = None
    metadata: dict[str, Any] | None = None
    source: str | None = None


def correct(memory_id: UUID, changes: Changes, *, expected_version: int, actor: Actor) -> Outcome:
    """Puts the changes in force as a new version; another text is a new value, said now.

    Raises NotFound; StaleVersion when the memory is not at `expected_version`; Conflict `not_current` when nothing
    stands, `person_decides` when the person wrote it and the agent names no later source; Refused by a write rule.
    """
    with writer_for(actor) as writer:
        memory = writable_memory(memory_id, writer)
        if memory.version != expected_version:
            raise StaleVersion(memory_json(memory, writer.person, writer.now))
        if memory.state not in (*LIVING, State.PENDING):
            raise Conflict("not_current", "Only a memory that stands or waits for review can be corrected.")
        if actor.is_agent and memory.origin == "corrected" and changes.source is None:
            raise Conflict("person_decides", "The person wrote this. Name the message in which they said otherwise.")
        _check(memory, changes, writer)
        before, closes_at = (memory.version, memory.text), None
        if changes.text is not None and normal_form(changes.text) != normal_form(memory.text):
            closes_at = _restate(memory, changes, writer)
        else:
            _give_fields(memory, changes)
            amend(memory, writer)
        log_decision(
            "superseded",
            "slot_changed",
            writer,
            verb="correct",
            memory=memory,
            version_id=memory.current_version_id,
            kind=memory.kind,
            scope_name=memory.scope.name,
            subject=memory.subject,
            source=memory.source if changes.source else None,
            source_role="user",
            origin=memory.origin,
        )
        return Outcome(
            "superseded",
            "slot_changed",
            "The correction is in force.",
            memory_json(memory, writer.person, writer.now),
            {"version": before[0], "text": before[1], "valid_to": time_json(closes_at)},
        )


def _check(memory: Memory, changes: Changes, writer: Writer) -> None:
    """Rules 5, 6 and 11 of the write policy, for what is new. The others concern the slot, which stays."""
    new_text = changes.text is not None and normal_form(changes.text) != normal_form(memory.text)
    candidate = Candidate(
        kind=memory.kind,
        subject=memory.subject,
        text=changes.text or memory.text,
        scope=memory.scope.name,
        said=Said(writer.now),
        source=memory.text,
        origin="stated",
        reason=changes.reason,
        aliases=changes.aliases or (),
        by_person=not new_text or writer.actor.kind == "person",
    )
    rules = Rules(now=writer.now, scopes=frozenset({memory.scope.name}))
    decision = decide_write(candidate, Slot(), tombstones_for(candidate, None, writer.person), rules)
    if decision.action in ("rejected", "pending"):
        raise Refused(decision.rule, decision.detail)


def _restate(memory: Memory, changes: Changes, writer: Writer) -> datetime:
    """Another value takes the slot; returns where the old validity closed."""
    closes_at = closing_instant(memory.valid_from, writer.now)
    close_version(memory, writer, closes_at=closes_at)
    said = Said(writer.now)
    memory.occurred_at = memory.confirmed_at = memory.valid_from = said.at
    memory.session = memory.turn = None
    if memory.state != State.PENDING:
        memory.last_said_at, memory.last_said_session, memory.last_said_turn = said.at, None, None
    memory.source, memory.seen = None, 1
    _give_fields(memory, changes)
    version = new_version(memory, writer)
    make_current(memory, version)
    version.save(force_insert=True)
    add_confirmation(memory, said, writer, source=memory.source)
    save(memory, writer)
    return closes_at


def _give_fields(memory: Memory, changes: Changes) -> None:
    for name in ("text", "reason", "importance", "expires_at", "metadata"):
        value = getattr(changes, name)
        if value is not None:
            setattr(memory, name, value)
    if changes.aliases is not None:
        memory.aliases = list(changes.aliases)
    if changes.source is not None:
        memory.source = mask_secrets(changes.source)
