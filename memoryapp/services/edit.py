"""Correcting on the page: the text, and on purpose also where the memory belongs."""

from dataclasses import dataclass, replace
from uuid import UUID

from accounts.actors import Actor
from memoryapp.models import Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.services.by_person import (
    EditFields,
    Put,
    SlotTaken,
    accept,
    as_it_is,
    decide_put,
    log_refused,
    put,
    relocate,
)
from memoryapp.services.do_not_learn import lift_value
from memoryapp.services.errors import Conflict, Invalid, Refused, StaleVersion
from memoryapp.services.listed import Listed, listed
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.shown import memory_json
from memoryapp.services.writing import Writer, writable_memory


@dataclass(frozen=True, slots=True)
class Edited:
    """The memory that is in force now, and what it said and where it was before."""

    memory: Listed
    before: Listed

    @property
    def has_moved(self) -> bool:
        return self.memory.key != self.before.key


def edit(
    memory_id: UUID, wanted: EditFields, *, expected_version: int, actor: Actor, learn_again: bool = False
) -> Edited:
    """Puts the memory in force as the person wants it, in another slot too; what waited or was closed stands again.

    `learn_again` lifts the tombstones of the new text. Raises NotFound; StaleVersion when the memory is not at
    `expected_version`; SlotTaken when another one stands where it would go; Invalid for an empty text or an end in the
    past; Refused by a write rule, which is logged.
    """
    with writing_as_person(actor) as writer:
        memory = _editable(memory_id, writer)
        if memory.version != expected_version:
            raise StaleVersion(memory_json(memory, writer.person, writer.now))
        _check(memory, wanted, writer)
        before = listed(memory, writer.now)
        decided = decide_put(memory, wanted, writer)
        if decided.decision.action != "rejected":
            memory = _in_force(memory, wanted, decided, writer)
            if learn_again:
                lift_value(wanted.text, writer)
            return Edited(listed(memory, writer.now), before)
        log_refused(decided.decision, wanted, writer, verb="edit")
    raise Refused(decided.decision.rule, decided.decision.detail)


def move(memory_id: UUID, scope: str, *, actor: Actor) -> Edited:
    """Takes the memory to another scope, which is made when there is none; how it stands does not change.

    Raises NotFound; SlotTaken when another one stands where it would go; Refused by a write rule.
    """
    with writing_as_person(actor) as writer:
        memory = writable_memory(memory_id, writer)
        before = listed(memory, writer.now)
        wanted = replace(as_it_is(memory), scope=scope)
        decided = decide_put(memory, wanted, writer)
        if decided.decision.action != "rejected":
            if memory.state in LIVING and decided.standing:
                raise SlotTaken(listed(decided.standing, writer.now))
            relocate(memory, decided, writer, verb="move")
            return Edited(listed(memory, writer.now), before)
        log_refused(decided.decision, wanted, writer, verb="move")
    raise Refused(decided.decision.rule, decided.decision.detail)


def _editable(memory_id: UUID, writer: Writer) -> Memory:
    memory = writable_memory(memory_id, writer)
    if memory.state == State.PENDING and memory.pending_rule == "retracted":
        raise Conflict("not_current", "It asks to take something back: keep or reject it.")
    return memory


def _check(memory: Memory, wanted: EditFields, writer: Writer) -> None:
    if not normal_form(wanted.text):
        raise Invalid("text", "Write what is to be remembered.")
    if not normal_form(wanted.subject):
        raise Invalid("subject", "Name what it is about.")
    if wanted.expires_at not in (None, memory.expires_at) and wanted.expires_at <= writer.now:
        raise Invalid("expires_at", "Choose a time that is still to come.")


def _in_force(memory: Memory, wanted: EditFields, decided: Put, writer: Writer) -> Memory:
    """The memory that is in force now. One that waited takes its own slot; elsewhere what stands is in its way."""
    placement = decided.decision.placement
    assert placement is not None
    stays = (placement.scope, placement.kind, placement.subject_key) == (
        memory.scope.name, memory.kind, memory.subject_key,
    )  # fmt: skip
    if memory.state == State.PENDING and stays:
        return accept(memory, wanted, decided, writer, verb="edit")
    if decided.standing:
        raise SlotTaken(listed(decided.standing, writer.now))
    put(memory, wanted, decided, writer, verb="edit")
    return memory
