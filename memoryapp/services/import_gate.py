"""The write gate for memories of a file: the write policy decides on each, beside what the person has here."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal
from uuid import UUID

from accounts.models import Scope
from memoryapp.models import Dispute, Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.placement import place
from memoryapp.policy.secrets import find_secret
from memoryapp.policy.types import Candidate, Placement, Rules, Said, Slot, WriteDecision
from memoryapp.policy.write import PENDING_RETRACTION, decide_write
from memoryapp.services.carried import Carried
from memoryapp.services.disputes import disputed_values
from memoryapp.services.import_file import Bundle
from memoryapp.services.import_foreign import is_too_long
from memoryapp.services.slots import all_tombstones, closing, digests, slot_of, took_nothing_back, waiting_value
from memoryapp.services.writing import Writer

_WHATEVER_STANDS = ("paused", "not_durable", "no_scope", "wrong_scope", "secret", "forgotten")
"""Rules that refuse before it matters what the slot holds."""

Key = tuple[str, str, str]
"""A slot: scope, kind, and the subject's normal form."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What becomes of one memory. `rule` is the write policy's, or one of a file's own: `other_person`, `too_long`,
    `not_in_force`; then there is no decision. `as_exported`: with its state and history.
    """

    outcome: Literal["new", "pending", "same", "refused"]
    rule: str
    decision: WriteDecision | None = None
    said: Said | None = None
    as_exported: bool = False


class Gate:
    """Holds what the decisions on one file need, so that a memory costs no query of its own.

    Memories of our own export are decided beside what was here before the import: among each other they were decided
    where they come from, beside its own do-not-learn list. Foreign ones are decided in their order.
    """

    def __init__(self, bundle: Bundle, writer: Writer, scopes: Mapping[str, Scope]) -> None:
        self.bundle, self.writer, self._scopes = bundle, writer, scopes
        self._tombstones = all_tombstones(writer.person)
        self._rules = Rules(
            now=writer.now,
            learning=writer.person.learning,
            scope_learning={name: scope.learning for name, scope in scopes.items()},
            scopes=frozenset(scopes),
        )
        self._took_back = took_nothing_back(writer)
        self._made: set[UUID] = set()
        self._taken: set[Key] = set()
        self._heads: dict[Key, list[Memory]] = {}
        self._texts: set[str] = set()
        self._disputed: set[UUID] = set()
        person = bundle.person
        self.is_of_person = person.get("id") == str(writer.person.pk) or (
            writer.person.external_id is not None
            and (person.get("namespace"), person.get("external_id"))
            == (writer.person.namespace, writer.person.external_id)
        )

    def load(self, some: Sequence[Carried]) -> None:
        """Reads what the slots of these memories hold."""
        placed = [place(one.kind, _subject(one), one.scope, self._rules.scopes) for one in some]
        slots = [one for one in placed if isinstance(one, Placement)]
        self._close_subjects(slots)
        mine = Memory.objects.filter(person_id=self.writer.person.pk)
        self._heads = defaultdict(list)
        # By the three columns of the slots' index; what lies in other slots of these is not looked at.
        near = mine.filter(
            scope__in=[self._scopes[name] for name in {one.scope for one in slots} & self._scopes.keys()],
            kind__in={one.kind for one in slots},
            subject_key__in={one.subject_key for one in slots},
        )
        for head in near.select_related("scope").order_by("-id"):
            if not (self.bundle.is_own and head.pk in self._made):
                self._heads[head.scope.name, head.kind, head.subject_key].append(head)
        ids = [head.pk for heads in self._heads.values() for head in heads]
        disputes = Dispute.objects.filter(memory_id__in=ids).exclude(actor_kind="agent")
        self._disputed = set(disputes.values_list("memory_id", flat=True))
        if not self.bundle.is_own:
            known = mine.filter(text__in=[one.text for one in some]).exclude(state=State.FORGOTTEN)
            self._texts = {normal_form(text) for text in known.values_list("text", flat=True)}

    def _close_subjects(self, slots: Sequence[Placement]) -> None:
        """Of a subject that was closed again after a restored backup nothing is known but its digest."""
        places = {(one.scope, one.subject_key) for one in slots}
        barred = self._tombstones.values
        closed = {place for place in places if not barred.isdisjoint(digests(self.writer.person, closing(*place)))}
        if closed:
            all_closed = self._tombstones.closed_subjects | closed
            self._tombstones = replace(self._tombstones, closed_subjects=all_closed)

    def note(self, memory: Memory) -> None:
        """This one was brought by the file."""
        key = (memory.scope.name, memory.kind, memory.subject_key)
        self._made.add(memory.pk)
        if memory.state in LIVING:
            self._taken.add(key)
        if not self.bundle.is_own:
            self._heads[key].insert(0, memory)

    def disputed_before(self, memory: Memory) -> tuple[str | None] | None:
        """What the person says instead, where they disputed here what this memory of the file says."""
        heads = self._heads.get((memory.scope.name, memory.kind, memory.subject_key), ())
        if self._disputed.isdisjoint(head.pk for head in heads):
            return None
        found = disputed_values(head.pk for head in heads)
        value = normal_form(memory.text)
        return (found[value],) if value in found else None

    def is_learned_in(self, scope: str) -> bool:
        return self._rules.learning and self._rules.scope_learning.get(scope, True)

    def is_barred(self, text: str) -> bool:
        """Whether the person does not want these words learned again."""
        return self._tombstones.digest(normal_form(text)) in self._tombstones.values

    def may_keep(self, text: str) -> bool:
        """Whether a value of the past may be kept as history."""
        return not self.is_barred(text) and not find_secret(text)

    def rule(self, one: Carried) -> Ruling:
        if one.is_over or is_too_long(one):
            return Ruling("refused", "not_in_force" if one.is_over else "too_long")
        candidate = self._candidate(one)
        key, slot, heads = self._slot(candidate)
        decision = decide_write(candidate, slot, self._tombstones, self._rules)
        refused = Ruling("refused", decision.rule, decision, candidate.said)
        is_here = self._is_here(one, heads)
        # What stands in spite of the do-not-learn list, which came with it, is here all the same.
        if (
            decision.action == "rejected"
            and decision.rule in _WHATEVER_STANDS
            and not (is_here and decision.rule == "forgotten")
        ):
            return refused
        if is_here:
            return Ruling("same", "same_value")
        if decision.action == "rejected" or (self._is_in_force(one) and key in self._taken):
            return refused
        if self._is_in_force(one) and self._is_own_order(one, decision):
            decision = decide_write(replace(candidate, by_person=True), slot, self._tombstones, self._rules)
        if self._is_in_force(one) and (decision.action, decision.target) != ("new", "fresh"):
            return self._put_to_review(candidate, slot, decision)
        outcome: Literal["new", "pending"] = "pending" if decision.action == "pending" else "new"
        return Ruling(outcome, decision.rule, decision, candidate.said, as_exported=self.bundle.is_own)

    def _put_to_review(self, candidate: Candidate, slot: Slot, decision: WriteDecision) -> Ruling:
        """Something is in its place here: a file does not replace that, the person decides."""
        if decision.action != "pending":
            decision = decide_write(replace(candidate, origin="inferred"), slot, self._tombstones, self._rules)
        outcome: Literal["pending", "refused"] = "pending" if decision.action == "pending" else "refused"
        return Ruling(outcome, decision.rule, decision, candidate.said)

    def _is_own_order(self, one: Carried, decision: WriteDecision) -> bool:
        """What the person wrote themselves they may also bring back themselves; what another wrote is looked at."""
        was = one.head.get("original_origin") or one.head["origin"]
        return decision.rule == "instruction" and was == "corrected" and self.is_of_person

    def _is_in_force(self, one: Carried) -> bool:
        return self.bundle.is_own and one.head["state"] in LIVING

    def _candidate(self, one: Carried) -> Candidate:
        head, now = one.head, self.writer.now
        is_claimed = self.bundle.is_own and head["state"] != State.PENDING
        return Candidate(
            kind=one.kind,
            subject=_subject(one),
            text=one.text,
            scope=one.scope,
            said=Said(min(one.said_at or now, now), head.get("last_said_session"), head.get("last_said_turn")),
            source=head.get("source"),
            origin="imported" if is_claimed else "inferred",
            valid_to=now if is_claimed and head["state"] == State.CLOSED else None,
            reason=head.get("reason"),
            aliases=tuple(head.get("aliases", ())),
        )

    def _slot(self, candidate: Candidate) -> tuple[Key | None, Slot, list[Memory]]:
        placed = place(candidate.kind, candidate.subject, candidate.scope, self._rules.scopes)
        if not isinstance(placed, Placement):
            return None, Slot(), []
        key = (placed.scope, placed.kind, placed.subject_key)
        heads = self._heads.get(key, [])
        slot = slot_of(None, heads, self.writer)
        if slot.stands is None and key in self._took_back:
            said = [one for one in (slot.last_said, self._took_back[key]) if one]
            slot = replace(slot, last_said=max(said, key=lambda one: one.at))
        return key, slot, heads

    def _is_here(self, one: Carried, heads: Sequence[Memory]) -> bool:
        """Whether the same words are here already, so that there is nothing to bring."""
        if not self.bundle.is_own and normal_form(one.text) in self._texts:
            return True
        value = PENDING_RETRACTION if one.head.get("pending_rule") == "retracted" else normal_form(one.text)
        states = {State.PENDING, *LIVING, *(() if self._is_in_force(one) else (State.CLOSED,))}
        return any(head.state in states and waiting_value(head) == value for head in heads)


def _subject(one: Carried) -> str:
    """What our own export says of a place is exact: the scope before the subject keeps it there."""
    return f"{one.scope}.{one.subject}" if one.versions else one.subject
