"""The person's answers on the review page: keep, keep it corrected, reject, and take a rejection back."""

from dataclasses import replace
from datetime import datetime
from uuid import UUID

from accounts.actors import Actor
from memoryapp.models import Dispute, Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.services import audit
from memoryapp.services.by_person import EditFields, Put, accept, as_it_is, decide_put, log_refused, placement_of, put
from memoryapp.services.disputes import settle
from memoryapp.services.errors import Conflict, Invalid, Refused, StaleVersion
from memoryapp.services.listed import Listed, listed
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.review import settle_pending
from memoryapp.services.shown import memory_json
from memoryapp.services.slots import heads_of, was_rejected
from memoryapp.services.states import confirm
from memoryapp.services.waiting import text_before
from memoryapp.services.writing import Writer, amend, end_of_validity, log_decision, save, writable_memory


def keep(memory_id: UUID, *, actor: Actor, expected_version: int | None = None) -> Listed:
    """What waited is right: it stands, and replaces what stood; a retraction takes back what stood; a stale one is
    still true. Returns the memory that says so now, which is the one that stood when there was one.

    Raises NotFound; StaleVersion when it says something else by now; Conflict `not_waiting`; Refused by a write rule.
    """
    with writing_as_person(actor) as writer:
        memory = _waiting(memory_id, expected_version, writer)
        if memory.state == State.STALE or (memory.disputed and memory.state in LIVING):
            confirm(memory_id, actor=actor)
            memory.refresh_from_db(from_queryset=Memory.objects.select_related("scope"))
            return listed(memory, writer.now)
        if memory.state == State.PAUSED:
            memory.pending_rule = None
            save(memory, writer)
            audit.record("keep", "memory", memory.pk, actor=actor, at=writer.now)
            return listed(memory, writer.now)
        if memory.pending_rule == "retracted":
            return listed(_take_back(memory, writer), writer.now)
        wanted = as_it_is(memory)
        decided = decide_put(memory, wanted, writer)
        if decided.decision.action != "rejected":
            return _accepted(memory, wanted, decided, writer)
        log_refused(decided.decision, wanted, writer, verb="keep")
    raise Refused(decided.decision.rule, decided.decision.detail)


def keep_corrected(memory_id: UUID, text: str, *, actor: Actor, expected_version: int | None = None) -> Listed:
    """It is right with these words. Raises as `keep` does; Invalid for an empty text, Conflict for a retraction."""
    if not normal_form(text):
        raise Invalid("text", "Write what is to be remembered.")
    with writing_as_person(actor) as writer:
        memory = _waiting(memory_id, expected_version, writer)
        if memory.state == State.PENDING and memory.pending_rule == "retracted":
            raise Conflict("not_waiting", "It asks to take something back: keep or reject it.")
        wanted = replace(as_it_is(memory), text=text)
        decided = decide_put(memory, wanted, writer)
        if decided.decision.action != "rejected":
            return _accepted(memory, wanted, decided, writer)
        log_refused(decided.decision, wanted, writer, verb="keep")
    raise Refused(decided.decision.rule, decided.decision.detail)


def reject(memory_id: UUID, *, actor: Actor, expected_version: int | None = None) -> Listed:
    """What waited is wrong: it is closed, and an equal guess is not proposed again. A paused memory says again what
    it said before. A disputed one that stood is taken back. A stale one cannot be rejected: it is forgotten or kept.
    """
    with writing_as_person(actor) as writer:
        memory = _waiting(memory_id, expected_version, writer)
        if memory.disputed:
            settle(memory, Dispute.Outcome.REJECTED, writer)
            save(memory, writer)
            if memory.state in LIVING:
                return listed(_take_back(memory, writer), writer.now)
        if memory.state == State.STALE:
            raise Conflict("not_waiting", "Forget it, or say that it is still true.")
        before = text_before(memory) if memory.state == State.PAUSED else None
        if before is not None:
            wanted = replace(as_it_is(memory), text=before)
            put(memory, wanted, decide_put(memory, wanted, writer), writer, verb="reject")
            return listed(memory, writer.now)
        memory.state, memory.state_by = State.CLOSED, actor.kind
        amend(memory, writer)
        audit.record("reject", "memory", memory.pk, actor=actor, at=writer.now)
        return listed(memory, writer.now)


def unreject(memory_id: UUID, *, actor: Actor) -> Listed:
    """Takes a rejection back: it waits again. Conflict `not_rejected` when the person did not reject it."""
    with writing_as_person(actor) as writer:
        memory = writable_memory(memory_id, writer)
        if not was_rejected(memory):
            raise Conflict("not_rejected", "This was not rejected.")
        memory.state = State.PENDING
        amend(memory, writer)
        audit.record("unreject", "memory", memory.pk, actor=actor, at=writer.now)
        return listed(memory, writer.now)


def _waiting(memory_id: UUID, expected_version: int | None, writer: Writer) -> Memory:
    memory = writable_memory(memory_id, writer)
    if expected_version is not None and memory.version != expected_version:
        raise StaleVersion(memory_json(memory, writer.person, writer.now))
    is_new_text = memory.state == State.PAUSED and memory.pending_rule is not None
    is_disputed = memory.disputed and memory.state in LIVING
    if memory.state not in (State.PENDING, State.STALE) and not is_new_text and not is_disputed:
        raise Conflict("not_waiting", "This does not wait for an answer any more.")
    return memory


def _accepted(memory: Memory, wanted: EditFields, decided: Put, writer: Writer) -> Listed:
    if memory.state == State.PENDING:
        memory = accept(memory, wanted, decided, writer, verb="keep")
    else:
        put(memory, wanted, decided, writer, verb="keep")
    return listed(memory, writer.now)


def _take_back(asking: Memory, writer: Writer) -> Memory:
    """What stands in the slot is closed, and nothing replaces it. Returns it, or what asked when nothing stands."""
    slot = heads_of(placement_of(asking), asking.scope)
    memory = next((head for head in slot if head.state in LIVING), None)
    if memory is None:
        asking.state = State.CLOSED
        amend(asking, writer)
        audit.record("keep", "memory", asking.pk, actor=writer.actor, at=writer.now)
        return asking
    closes_at: datetime = end_of_validity(memory, writer.now)
    memory.state, memory.state_by, memory.pending_rule = State.CLOSED, writer.actor.kind, None
    memory.valid_to, memory.last_said_at = closes_at, writer.now
    memory.last_said_session = memory.last_said_turn = None
    amend(memory, writer, closes_at=closes_at)
    settle_pending(memory, slot, writer)
    log_decision(
        "retracted",
        "retracted",
        writer,
        verb="keep",
        memory=memory,
        version_id=memory.current_version_id,
        kind=memory.kind,
        scope_name=memory.scope.name,
        subject=memory.subject,
        origin="corrected",
    )
    return memory
