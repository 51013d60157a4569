"""Correcting a memory: its text or what belongs to it, against the version that was read."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from accounts.actors import Actor
from memoryapp.models import Dispute, Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import Candidate, Placement, Rules, Said, Slot, WriteDecision
from memoryapp.policy.write import decide_write
from memoryapp.services.disputes import dispute_again, settle
from memoryapp.services.errors import Conflict, Refused, StaleVersion
from memoryapp.services.persons_word import decided_at, is_said_after
from memoryapp.services.proposal import Outcome
from memoryapp.services.review import settle_pending
from memoryapp.services.shown import memory_json, time_json
from memoryapp.services.slots import TEXTLESS_RULES, heads_of, tombstones_for
from memoryapp.services.writing import (
    Writer,
    add_confirmation,
    amend,
    close_version,
    end_of_validity,
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
    stands, `person_decides` when the person wrote or disputes it and the agent names nothing that they said since;
    Refused by a write rule, which is logged.
    """
    with writer_for(actor) as writer:
        memory = writable_memory(memory_id, writer)
        if memory.version != expected_version:
            raise StaleVersion(memory_json(memory, writer.person, writer.now))
        if memory.state not in (*LIVING, State.PENDING):
            raise Conflict("not_current", "Only a memory that stands or waits for review can be corrected.")
        decided = decided_at(memory) if actor.is_agent else None
        if decided and not (changes.source and is_said_after(changes.source, decided, memory, actor)):
            raise Conflict(
                "person_decides",
                "The person wrote or disputes this. Name the message in which they said otherwise since.",
            )
        decision = _decide(memory, changes, writer)
        if decision.action not in ("rejected", "pending"):
            return _put_in_force(memory, changes, writer)
        _log_refusal(decision, memory, changes, writer)
    raise Refused(decision.rule, decision.detail)


def _decide(memory: Memory, changes: Changes, writer: Writer) -> WriteDecision:
    """Rules 2 to 6 and 11 of the write policy, for what is new. The others concern the slot, which stays."""
    placement = _placement(memory)
    candidate = Candidate(
        kind=memory.kind,
        subject=memory.subject,
        text=changes.text or memory.text,
        scope=placement.scope,
        said=Said(writer.now),
        origin="stated",
        reason=changes.reason,
        aliases=changes.aliases or (),
        # A text that stays byte for byte was decided when it came.
        by_person=writer.actor.has_persons_word or changes.text in (None, memory.text),
    )
    rules = Rules(now=writer.now, scopes=frozenset({placement.scope}))
    return decide_write(candidate, Slot(), tombstones_for(candidate, placement, writer.person), rules)


def _placement(memory: Memory) -> Placement:
    return Placement(memory.scope.name, memory.kind, memory.subject, memory.subject_key)


def _put_in_force(memory: Memory, changes: Changes, writer: Writer) -> Outcome:
    before, closes_at = (memory.version, memory.text), None
    if _is_other_text(memory, changes):
        closes_at = _restate(memory, changes, writer)
        slot = heads_of(_placement(memory), memory.scope)
        if memory.state != State.PENDING:
            settle_pending(memory, slot, writer)
        if writer.actor.is_agent:
            dispute_again(memory, slot, writer)
    else:
        _give_fields(memory, changes, writer)
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


def _is_other_text(memory: Memory, changes: Changes) -> bool:
    return changes.text is not None and normal_form(changes.text) != normal_form(memory.text)


def _log_refusal(decision: WriteDecision, memory: Memory, changes: Changes, writer: Writer) -> None:
    keeps_text = decision.rule not in TEXTLESS_RULES
    log_decision(
        "rejected",
        decision.rule,
        writer,
        verb="correct",
        kind=memory.kind,
        scope_name=memory.scope.name,
        subject=memory.subject if keeps_text else None,
        text=changes.text if keeps_text else None,
        source=mask_secrets(changes.source) if changes.source and keeps_text else None,
        source_role="user",
        origin=memory.origin,
    )


def _restate(memory: Memory, changes: Changes, writer: Writer) -> datetime:
    """Another value takes the slot; returns where the old validity closed."""
    said = Said(writer.now)
    # What held until a day in the past is told anew for the same days.
    has_ended = memory.valid_to is not None and memory.valid_to <= writer.now
    opens = memory.valid_from if has_ended else said.at
    closes_at = end_of_validity(memory, opens)
    close_version(memory, writer, closes_at=closes_at)
    memory.occurred_at = memory.confirmed_at = said.at
    memory.valid_from, memory.seen = opens, 1
    if memory.state != State.PENDING:
        memory.last_said_at, memory.last_said_session, memory.last_said_turn = said.at, None, None
    if memory.state == State.STALE:
        memory.state, memory.state_by = State.CURRENT, writer.actor.kind
    if memory.state == State.PAUSED and writer.actor.is_agent:
        # A paused memory with a new text is shown on the review page.
        memory.pending_rule = "slot_changed"
    settle(memory, Dispute.Outcome.REPLACED, writer)
    _give_fields(memory, changes, writer)
    version = new_version(memory, writer)
    make_current(memory, version)
    version.save(force_insert=True)
    add_confirmation(memory, said, writer, source=memory.source if changes.source else None)
    save(memory, writer)
    return closes_at


def _give_fields(memory: Memory, changes: Changes, writer: Writer) -> None:
    """Given fields replace, the others stay; of another source its place in a conversation is not known, and where an
    agent names none for another text, none is claimed: who wrote it stands on the version.
    """
    is_unsourced = changes.source is None and writer.actor.is_agent and _is_other_text(memory, changes)
    for name in ("text", "reason", "importance", "expires_at", "metadata"):
        value = getattr(changes, name)
        if value is not None:
            setattr(memory, name, value)
    if changes.aliases is not None:
        memory.aliases = list(changes.aliases)
    if changes.source is not None:
        memory.source, memory.source_role = mask_secrets(changes.source), "user"
        memory.session = memory.turn = None
    elif is_unsourced:
        memory.source = memory.session = memory.turn = None
    if changes.text is not None and writer.actor.has_persons_word:
        memory.origin = "corrected"
