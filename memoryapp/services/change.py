"""Carrying out what the write policy decided."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.ids import uuid7
from accounts.models import Scope
from memoryapp.models import Dispute, Memory
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import Candidate, Said, WriteDecision
from memoryapp.policy.write import PENDING_RETRACTION, said_before
from memoryapp.services import indexing
from memoryapp.services.disputes import dispute_again, settle, settle_as_said
from memoryapp.services.proposal import Outcome, Proposal
from memoryapp.services.review import settle_pending
from memoryapp.services.rows import insert
from memoryapp.services.shown import memory_json, time_json
from memoryapp.services.slots import TEXTLESS_RULES, has_stood, waiting_value
from memoryapp.services.writing import (
    Writer,
    amend,
    closing,
    confirmation_of,
    end_of_validity,
    log_decision,
    make_current,
    masked,
    new_version,
    save,
    save_confirmed,
    stand_again,
)


@dataclass(frozen=True, slots=True)
class Change:
    """One decided proposal, and the verbs that carry it out."""

    proposal: Proposal
    candidate: Candidate
    decision: WriteDecision
    heads: list[Memory]
    writer: Writer

    def refuse(self) -> Outcome:
        self._log()
        return Outcome(self.decision.action, self.decision.rule, self.decision.detail)

    def carry_out(self, scope: Scope) -> Outcome:
        previous = None
        match self.decision.action:
            case "new" | "pending" | "recorded" if self.decision.target == "fresh":
                memory = self._create(scope)
                if self.decision.action == "recorded":
                    self._log(memory, memory.current_version_id)
            case "recorded":
                memory = self._record(self._target())
            case "reconfirmed":
                memory = self._reconfirm(self._target())
            case "retracted":
                memory = self._retract(self._target())
            case "pending":  # It waits already: asked twice, shown once.
                memory = self._target()
            case _ if self.decision.target == "pending":
                memory = self._accept(self._target())
            case _:
                memory = self._target()
                before = (memory.version, memory.text)
                closes_at = self._restate(memory)
                if self.decision.action == "superseded":
                    previous = {"version": before[0], "text": before[1], "valid_to": time_json(closes_at)}
        if self.decision.action in ("new", "reconfirmed", "superseded", "retracted"):
            settle_pending(memory, self.heads, self.writer)
        if self.decision.action in ("new", "superseded") and self.heads and not self.candidate.by_person:
            dispute_again(memory, self.heads, self.writer)
        if self.decision.action != "recorded":
            self._log(memory, memory.current_version_id)
        return Outcome(
            self.decision.action,
            self.decision.rule,
            self.decision.detail,
            memory_json(memory, self.writer.person, self.writer.now),
            previous,
        )

    def _target(self) -> Memory:
        """The memory that the decision names. A missing one is a fault of the policy, not of the caller."""
        value = PENDING_RETRACTION if self.candidate.retract else normal_form(self.candidate.text or "")
        # What stood once comes before what was only ever history.
        for head in sorted(self.heads, key=lambda head: head.last_said_at is None):
            match self.decision.target:
                case "standing" if head.state in LIVING:
                    return head
                case "closed" if head.state == State.CLOSED and has_stood(head):
                    return head
                case "pending" if head.state == State.PENDING and waiting_value(head) == value:
                    return head
        raise LookupError(f"the slot holds no {self.decision.target} memory")

    def _create(self, scope: Scope) -> Memory:
        writer, placement = self.writer, self.decision.placement
        assert placement is not None and self.decision.state is not None
        pending = self.decision.state == "pending"
        memory = Memory(
            id=uuid7(),
            person_id=writer.person.id,
            scope=scope,
            kind=placement.kind,
            subject=placement.subject,
            subject_key=placement.subject_key,
            state=State(self.decision.state),
            state_by=writer.actor.kind,
            pending_rule=self.decision.rule if pending else None,
            versions=0,
            created_at=writer.now,
            changed_at=writer.now,
        )
        self._say(memory)
        if pending and memory.text == "":
            # A retraction that waits shows what it would take back.
            memory.text = next((head.text for head in self.heads if head.state in LIVING), "")
        if self.decision.state in ("pending", "closed"):
            memory.last_said_at = memory.last_said_session = memory.last_said_turn = None
        version = new_version(memory, writer)
        if self.decision.state == "closed":
            version.closed_at = writer.now
        make_current(memory, version)
        confirmation = confirmation_of(memory, self.candidate.said, writer, source=memory.source)
        indexing.insert_indexed(memory, version, confirmation)
        return memory

    def _restate(self, memory: Memory) -> datetime | None:
        """Another value, or the first again, takes the slot. Returns where the old validity closed."""
        closes_at, closed = None, []
        # What was closed keeps the end that it had.
        if memory.state != State.CLOSED:
            closes_at = end_of_validity(memory, self._valid_from)
            closed = [closing(memory, self.writer, closes_at=closes_at)]
        paused = memory.state == State.PAUSED
        memory.state = State.PAUSED if paused else State.CURRENT
        if not paused:
            memory.state_by = self.writer.actor.kind
        # A paused memory with a new text is shown on the review page.
        memory.pending_rule = self.decision.rule if paused else None
        memory.seen = 1
        self._say(memory)
        settle(memory, Dispute.Outcome.REPLACED, self.writer)
        version = new_version(memory, self.writer)
        make_current(memory, version)
        confirmation = confirmation_of(memory, self.candidate.said, self.writer, source=memory.source)
        save(memory, self.writer, version, confirmation, also=closed)
        return closes_at

    def _reconfirm(self, memory: Memory) -> Memory:
        """The same value once more. Other fields that were given replace, in a version that amends."""
        before = self._amendable(memory)
        memory.seen += 1
        stand_again(memory, self.writer)
        if self.candidate.by_person:
            memory.origin = self.candidate.origin
        self._give_fields(memory)
        for name in ("reason", "expires_at", "valid_to"):
            given = getattr(self.proposal, name)
            if given is not None:
                setattr(memory, name, given)
        self._move_forward(memory)
        confirmation = confirmation_of(memory, self.candidate.said, self.writer, source=self._source)
        if self._amendable(memory) != before:
            amend(memory, self.writer, confirmation)
        else:
            save_confirmed(memory, self.writer, confirmation)
        return memory

    def _accept(self, memory: Memory) -> Memory:
        """A pending value that the person has now said, for the first time: a guess confirms nothing."""
        closed = [closing(memory, self.writer)]
        memory.state, memory.state_by, memory.pending_rule = State.CURRENT, self.writer.actor.kind, None
        memory.seen = 1
        self._say(memory)
        settle_as_said(memory, self.writer)
        version = new_version(memory, self.writer)
        make_current(memory, version)
        confirmation = confirmation_of(memory, self.candidate.said, self.writer, source=memory.source)
        save(memory, self.writer, version, confirmation, also=closed)
        return memory

    def _retract(self, memory: Memory) -> Memory:
        closes_at = end_of_validity(memory, self.candidate.said.at)
        memory.state, memory.state_by, memory.pending_rule = State.CLOSED, self.writer.actor.kind, None
        memory.valid_to = closes_at
        settle(memory, Dispute.Outcome.REJECTED, self.writer)
        self._remember_said(memory)
        amend(memory, self.writer, closes_at=closes_at)
        return memory

    def _record(self, memory: Memory) -> Memory:
        """History only: a version that never was current, beside the one that is."""
        past = new_version(memory, self.writer)
        past.text, past.source, past.reason = self.candidate.text or "", self._source, self.proposal.reason
        past.state, past.origin, past.source_role = State.CLOSED, self.candidate.origin, self.candidate.source_role
        past.session, past.turn, past.occurred_at = self.proposal.session, self.proposal.turn, self.candidate.said.at
        past.valid_from, past.valid_to = self._valid_from, self.proposal.valid_to
        past.expires_at, past.closed_at = None, self.writer.now
        insert(past)
        self._log(memory, past.id)
        memory.changed_at = self.writer.now
        memory.save(update_fields=["versions", "changed_at"])
        return memory

    def _say(self, memory: Memory) -> None:
        """The head takes the candidate's value and what belongs to it."""
        proposal, said = self.proposal, self.candidate.said
        memory.text = self.candidate.text or ""
        memory.source, memory.source_role = self._source, self.candidate.source_role
        memory.session, memory.turn, memory.occurred_at = said.session, said.turn, said.at
        memory.origin = self.candidate.origin
        memory.reason, memory.expires_at = proposal.reason, proposal.expires_at
        memory.valid_from, memory.valid_to = self._valid_from, proposal.valid_to
        memory.confirmed_at = said.at
        self._remember_said(memory)
        self._give_fields(memory)

    def _give_fields(self, memory: Memory) -> None:
        """Given fields replace, aliases are united, absent ones stay."""
        proposal = self.proposal
        known = {normal_form(alias) for alias in memory.aliases}
        memory.aliases = [*memory.aliases, *(a for a in proposal.aliases or () if normal_form(a) not in known)]
        if proposal.importance is not None:
            memory.importance = proposal.importance
        if proposal.metadata is not None:
            memory.metadata = proposal.metadata
        if proposal.pinned is not None and proposal.pinned != memory.pinned and not self._is_pin_of_person(memory):
            memory.pinned, memory.pinned_by = proposal.pinned, self.writer.actor.kind

    def _is_pin_of_person(self, memory: Memory) -> bool:
        """An agent does not undo what the person decided about the pin."""
        return self.writer.actor.is_agent and memory.pinned_by == "person"

    def _move_forward(self, memory: Memory) -> None:
        """Time and turn of a confirmed memory move forward only."""
        said = self.candidate.said
        memory.confirmed_at = max(memory.confirmed_at, said.at)
        last = Said(memory.last_said_at or said.at, memory.last_said_session, memory.last_said_turn)
        if not said_before(said, last):
            memory.session, memory.turn, memory.occurred_at = said.session, said.turn, said.at
            self._remember_said(memory)

    def _remember_said(self, memory: Memory) -> None:
        said = self.candidate.said
        memory.last_said_at, memory.last_said_session, memory.last_said_turn = said.at, said.session, said.turn

    @staticmethod
    def _amendable(memory: Memory) -> tuple[object, ...]:
        return (
            memory.state, memory.origin, memory.reason, memory.expires_at, memory.valid_to, tuple(memory.aliases),
            memory.importance, memory.pinned, memory.metadata,
        )  # fmt: skip

    @property
    def _valid_from(self) -> datetime:
        """As given, else since it was said; a clock that runs ahead must not put it in the future."""
        ends = (self.candidate.said.at, self.writer.now, self.proposal.valid_to)
        return self.proposal.valid_from or min(end for end in ends if end is not None)

    @property
    def _source(self) -> str | None:
        return mask_secrets(self.proposal.source) if self.proposal.source else None

    def _log(self, memory: Memory | None = None, version_id: UUID | None = None) -> None:
        proposal, decision, candidate = self.proposal, self.decision, self.candidate
        keeps_text = decision.rule not in TEXTLESS_RULES
        placement = decision.placement
        subject = placement.subject if placement else proposal.subject
        scope = placement.scope if placement else proposal.scope
        text = candidate.text if memory is None else None
        log_decision(
            decision.action,
            decision.rule,
            self.writer,
            memory=memory,
            version_id=version_id,
            kind=masked("kind", proposal.kind),
            scope_name=masked("scope_name", scope),
            subject=masked("subject", subject) if keeps_text else None,
            # Nothing stood, yet it was spoken of: what was said before and comes later is outdated.
            subject_key=placement.subject_key if placement and decision.rule == "nothing_to_retract" else None,
            said_at=candidate.said.at,
            text=masked("text", text) if keeps_text else None,
            source=self._source if keeps_text else None,
            source_role=candidate.source_role,
            origin=candidate.origin,
            session=proposal.session if keeps_text else None,
            turn=proposal.turn if keeps_text else None,
        )
