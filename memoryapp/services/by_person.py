"""What a person puts in force on their own page: whatever was remembered before, this is theirs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from accounts.models import Scope
from memoryapp.models import Dispute, Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.placement import place
from memoryapp.policy.types import Candidate, Placement, Rules, Said, WriteDecision
from memoryapp.policy.write import decide_write
from memoryapp.services import audit, indexing
from memoryapp.services.disputes import settle
from memoryapp.services.errors import Conflict
from memoryapp.services.listed import Listed
from memoryapp.services.review import settle_pending
from memoryapp.services.slots import TEXTLESS_RULES, has_stood, heads_of, slot_of, tombstones_for
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
)


class SlotTaken(Conflict):
    """Another memory stands where this one would go; `other` is that one."""

    def __init__(self, other: Listed) -> None:
        super().__init__("slot_taken", "Another memory stands in that place already.")
        self.other = other


@dataclass(frozen=True, slots=True)
class EditFields:
    """A memory as the person wants it, whole: what is None or empty is taken away. `reason` is for this change."""

    text: str
    kind: str
    subject: str
    scope: str
    aliases: tuple[str, ...] = ()
    expires_at: datetime | None = None
    reason: str | None = None


def as_it_is(memory: Memory) -> EditFields:
    return EditFields(
        text=memory.text,
        kind=memory.kind,
        subject=memory.subject,
        scope=memory.scope.name,
        aliases=tuple(memory.aliases),
        expires_at=memory.expires_at,
        reason=memory.reason,
    )


@dataclass(frozen=True, slots=True)
class Put:
    """What the write policy said to a person's change, and the slot that it was about."""

    decision: WriteDecision
    scope: Scope | None
    slot: list[Memory]
    """What else is in the slot, without the memory that is changed."""

    @property
    def standing(self) -> Memory | None:
        return next((head for head in self.slot if head.state in LIVING), None)

    @property
    def holder(self) -> Memory | None:
        """The memory that keeps the slot's id: what stands, else what stood there before."""
        closed = (head for head in self.slot if head.state == State.CLOSED and has_stood(head))
        return self.standing or next(closed, None)


def decide_put(memory: Memory, wanted: EditFields, writer: Writer) -> Put:
    """Asks the write policy about the memory as it is wanted. Rules 1, 6, 7, 11 and 13 pass a person on their page."""
    scopes = {scope.name: scope for scope in Scope.objects.filter(person_id=writer.person.id)}
    if (wanted.kind, wanted.subject, wanted.scope) == (memory.kind, memory.subject, memory.scope.name):
        # Where it was placed once it stays, whatever scopes have come since.
        names = frozenset({memory.scope.name})
        placed: Placement | None = placement_of(memory)
    else:
        names = frozenset(scopes)
        named = place(wanted.kind, wanted.subject, wanted.scope, names)
        placed = named if isinstance(named, Placement) else None
    scope = scopes.get(placed.scope) if placed else None
    heads = heads_of(placed, scope) if placed and scope else []
    candidate = Candidate(
        kind=wanted.kind,
        subject=wanted.subject,
        text=wanted.text,
        scope=wanted.scope,
        said=Said(writer.now),
        origin="corrected",
        reason=wanted.reason,
        aliases=wanted.aliases,
        by_person=True,
    )
    decision = decide_write(
        candidate,
        slot_of(placed, heads, writer),
        tombstones_for(candidate, placed, writer.person),
        Rules(now=writer.now, scopes=names),
    )
    return Put(replace(decision, placement=placed), scope, [head for head in heads if head.pk != memory.pk])


def placement_of(memory: Memory) -> Placement:
    return Placement(memory.scope.name, memory.kind, memory.subject, memory.subject_key)


def put(
    memory: Memory, wanted: EditFields, decided: Put, writer: Writer, *, verb: str, source: Memory | None = None
) -> None:
    """The memory says this from now on, at this place, and stands; a paused one stays paused.

    `source` is the memory whose message the text came from, where that is another one. What waited or was closed
    stands again. Accepting a text that waited confirms it; another text is a new value, said now.
    """
    placement, scope = decided.decision.placement, decided.scope
    assert placement is not None
    if scope is None:
        scope = Scope.objects.create(person_id=writer.person.id, name=placement.scope)
    stood = memory.state in LIVING
    # What was taken back once and holds again is said anew.
    is_new_value = memory.state == State.CLOSED or normal_form(wanted.text) != normal_form(memory.text)
    if (scope.pk, placement.kind, placement.subject_key) != (memory.scope_id, memory.kind, memory.subject_key):
        indexing.unindex(memory)
    opens = _opens(memory, writer, source)
    close_version(memory, writer, closes_at=end_of_validity(memory, opens) if stood and is_new_value else None)
    if is_new_value or wanted.text != memory.text or not stood:
        memory.origin = "corrected"
    if is_new_value:
        memory.occurred_at, memory.valid_from, memory.seen = writer.now, opens, 0
    if source or memory.state == State.CLOSED:
        memory.valid_to = source.valid_to if source else None
    memory.text, memory.reason, memory.expires_at = wanted.text, wanted.reason, wanted.expires_at
    memory.scope, memory.kind = scope, placement.kind
    memory.subject, memory.subject_key = placement.subject, placement.subject_key
    memory.aliases = list(wanted.aliases)
    if source:
        memory.source, memory.source_role = source.source, source.source_role
        memory.session, memory.turn, memory.occurred_at = source.session, source.turn, source.occurred_at
    settle(memory, Dispute.Outcome.REPLACED if is_new_value else Dispute.Outcome.KEPT, writer)
    is_said = is_new_value or not stood
    _stand(memory, writer, said_anew=is_said)
    version = new_version(memory, writer, amends=not is_new_value)
    make_current(memory, version)
    version.save(force_insert=True)
    if is_said:
        memory.seen += 1
        add_confirmation(memory, Said(writer.now), writer, source=memory.source if source else None)
    save(memory, writer)
    settle_pending(memory, decided.slot, writer)
    log_decision(
        decided.decision.action if is_said else "superseded",
        decided.decision.rule if is_said else "slot_changed",
        writer,
        verb=verb,
        memory=memory,
        version_id=memory.current_version_id,
        kind=memory.kind,
        scope_name=scope.name,
        subject=memory.subject,
        origin=memory.origin,
    )


def relocate(memory: Memory, decided: Put, writer: Writer, *, verb: str) -> None:
    """The memory belongs to the decided place from now on. What it says and how it stands do not change."""
    placement = decided.decision.placement
    assert placement is not None
    indexing.unindex(memory)
    memory.scope = decided.scope or Scope.objects.create(person_id=writer.person.id, name=placement.scope)
    memory.kind, memory.subject, memory.subject_key = placement.kind, placement.subject, placement.subject_key
    amend(memory, writer)
    if memory.state in LIVING:
        settle_pending(memory, decided.slot, writer)
    audit.record(verb, "memory", memory.pk, actor=writer.actor, at=writer.now)


def accept(pending: Memory, wanted: EditFields, decided: Put, writer: Writer, *, verb: str) -> Memory:
    """What waited is in force in its slot, under the id that the slot has had. Returns the memory that says it now."""
    holder = decided.holder
    if holder is None:
        put(pending, wanted, decided, writer, verb=verb)
        return pending
    slot = [pending, *(head for head in decided.slot if head.pk != holder.pk)]
    wanted = replace(wanted, aliases=united(holder.aliases, wanted.aliases))
    put(holder, wanted, replace(decided, slot=slot), writer, verb=verb, source=pending)
    if pending.state == State.PENDING:
        # It said something else than what the person made of it.
        pending.state = State.CLOSED
        settle(pending, Dispute.Outcome.REPLACED, writer)
        amend(pending, writer)
    return holder


def _opens(memory: Memory, writer: Writer, source: Memory | None) -> datetime:
    """Since when another text holds: now; what held until a day in the past is told anew for the same days."""
    is_past = memory.state != State.CLOSED and source is None and memory.valid_to and memory.valid_to <= writer.now
    return memory.valid_from if is_past else writer.now


def _stand(memory: Memory, writer: Writer, *, said_anew: bool) -> None:
    if memory.state in (State.CLOSED, State.PENDING) or (memory.state == State.STALE and said_anew):
        memory.state, memory.state_by = State.CURRENT, writer.actor.kind
    # The person has seen a paused memory's new text.
    memory.pending_rule = None
    if said_anew:
        memory.confirmed_at = memory.last_said_at = writer.now
        memory.last_said_session = memory.last_said_turn = None


def log_refused(decision: WriteDecision, wanted: EditFields, writer: Writer, *, verb: str) -> None:
    """What the policy refused to put in force, kept as far as that rule lets it be."""
    keeps_text = decision.rule not in TEXTLESS_RULES
    log_decision(
        "rejected",
        decision.rule,
        writer,
        verb=verb,
        kind=wanted.kind,
        scope_name=decision.placement.scope if decision.placement else wanted.scope,
        subject=wanted.subject if keeps_text else None,
        text=wanted.text if keeps_text else None,
        origin="corrected",
    )


def united(aliases: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Both, the first ones first; what is the same but for its letters once."""
    known = {normal_form(alias) for alias in aliases}
    fresh = {normal_form(alias): alias for alias in reversed(others) if normal_form(alias) not in known}
    return (*aliases, *reversed(fresh.values()))
