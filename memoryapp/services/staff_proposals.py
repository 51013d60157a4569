"""What staff propose to change. It is the person who changes it: on their review page, or by what they agreed to."""

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Grant, Memory, Reveal, StaffProposal
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.secrets import mask_secrets
from memoryapp.services import audit
from memoryapp.services.by_person import as_it_is
from memoryapp.services.correct import Changes, correct
from memoryapp.services.edit import edit
from memoryapp.services.errors import Conflict, Invalid, NotFound, Refused, StaleVersion
from memoryapp.services.forget import forget
from memoryapp.services.grant_view import purpose
from memoryapp.services.grants import own_grant, require_running
from memoryapp.services.listed import Listed, listed
from memoryapp.services.locking import writing_for
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.shown import memory_json
from memoryapp.services.staff import Staff

_PROPOSED = {"correct": "propose_correction", "forget": "propose_forgetting"}


@dataclass(frozen=True, slots=True)
class Change:
    """What is to become of a memory: another text, or None to forget it. `version` is the one that was looked at."""

    memory_id: UUID
    version: int
    text: str | None

    @property
    def verb(self) -> StaffProposal.Verb:
        return StaffProposal.Verb.FORGET if self.text is None else StaffProposal.Verb.CORRECT


@dataclass(frozen=True, slots=True)
class Proposed:
    """A proposal that waits, beside the memory as it is. `is_outdated`: that was changed since it was looked at."""

    id: UUID
    verb: str
    text: str | None
    memory: Listed
    reason: str
    ticket: str
    at: datetime
    is_outdated: bool


def propose_change(proposal_id: UUID, grant_id: UUID, change: Change, *, staff: Staff) -> None:
    """Puts the change to the person, on their review page. The same id again is the same proposal.

    The memory was revealed under this running grant, else NotFound or Conflict `grant_over`. Conflict
    `proposed_already` while another one waits; Invalid for an empty text or the same one; Refused for a secret.
    """
    _, owner = own_grant(grant_id, staff=staff)
    with writing_for(owner) as now:
        if StaffProposal.objects.filter(pk=proposal_id).exists():
            return
        grant = _checked(grant_id, change, now)
        if StaffProposal.objects.filter(memory_id=change.memory_id, state=StaffProposal.State.WAITING).exists():
            raise Conflict("proposed_already", "A proposal on this memory waits for the person already.")
        _row(proposal_id, grant, change, now).save(force_insert=True)
        verb = _PROPOSED[change.verb]
        audit.record(verb, "memory", change.memory_id, actor=staff.about(owner), at=now, reason=purpose(grant))


def change_by_consent(
    proposal_id: UUID, grant_id: UUID, change: Change, consent: StaffProposal.Consent, *, staff: Staff
) -> None:
    """Does what the person has agreed to, as the grant's ticket tells. The same id again changes nothing more.

    Raises as `propose_change` does, and as correcting and forgetting do; Invalid for a grant without a ticket.
    """
    _, owner = own_grant(grant_id, staff=staff)
    with writing_for(owner) as now:
        if StaffProposal.objects.filter(pk=proposal_id).exists():
            return
        grant = _checked(grant_id, change, now)
        if not grant.ticket:
            raise Invalid("consent", "Without a ticket there is nothing that the consent is recorded in.")
        row = _row(proposal_id, grant, replace(change, text=None) if change.text else change, now)
        row.verb, row.state = change.verb, StaffProposal.State.ACCEPTED
        row.consent, row.decided_at = consent, now
        row.save(force_insert=True)
        reason = f"{consent.value} {purpose(grant)}"
        audit.record("act_by_consent", "memory", change.memory_id, actor=staff.about(owner), at=now, reason=reason)
        actor = replace(staff.about(owner), consent_id=proposal_id)
        if change.text is None:
            forget(change.memory_id, relearn="allow", source="keep", actor=actor)
        else:
            correct(change.memory_id, Changes(text=change.text), expected_version=change.version, actor=actor)


def withdraw(proposal_id: UUID, *, staff: Staff, grant_id: UUID) -> None:
    """Takes a proposal back that waits. NotFound for another's; decided already, it stays as it is."""
    _, owner = own_grant(grant_id, staff=staff)
    with writing_for(owner) as now:
        row = StaffProposal.objects.select_related("grant").filter(pk=proposal_id, grant=grant_id).first()
        if row is None:
            raise NotFound
        if row.state == StaffProposal.State.WAITING:
            _decide(row, StaffProposal.State.WITHDRAWN, staff.about(owner), now, verb="withdraw_proposal")


def trace_of(grant_id: UUID, *, staff: Staff) -> UUID:
    """The trace that a grant of this staff member is about. NotFound."""
    return own_grant(grant_id, staff=staff)[0].trace_id


def waiting_proposals(*, actor: Actor) -> tuple[Proposed, ...]:
    """What waits for the person's word, earliest first; nothing of what is forgotten by now. Two reads."""
    with acting_for(actor.opened):
        rows = list(_waiting(actor).select_related("grant").order_by("proposed_at"))
        heads = Memory.objects.visible_to(actor).select_related("scope").exclude(state=State.FORGOTTEN)
        memories = {head.pk: head for head in heads.filter(pk__in=[row.memory_id for row in rows])}
        return tuple(
            Proposed(
                id=row.pk,
                verb=row.verb,
                text=row.text,
                memory=listed(memories[row.memory_id], row.proposed_at),
                reason=row.grant.reason,
                ticket=row.grant.ticket,
                at=row.proposed_at,
                is_outdated=memories[row.memory_id].version != row.version,
            )
            for row in rows
            if row.memory_id in memories
        )


def count_of_proposals(*, actor: Actor) -> int:
    """For the badge on every page, while the person is open."""
    gone = Memory.objects.filter(person_id=actor.opened, state=State.FORGOTTEN).values("pk")
    return _waiting(actor).exclude(memory_id__in=gone).count()


def accept_proposal(proposal_id: UUID, *, actor: Actor, expected_version: int | None = None) -> Listed | None:
    """The person does what was proposed. Returns the memory as it is then, None when it is forgotten.

    `expected_version` is the memory's that they were shown beside it. Raises NotFound, StaleVersion, Conflict
    `not_waiting`, and what correcting and forgetting raise; then it still waits.
    """
    with writing_as_person(actor) as writer:
        row = _answerable(proposal_id, actor)
        text = row.text
        memory = Memory.objects.visible_to(actor).select_related("scope").filter(pk=row.memory_id).first()
        if memory is None:
            raise NotFound
        if expected_version not in (None, memory.version):
            raise StaleVersion(memory_json(memory, writer.person, writer.now))
        _decide(row, StaffProposal.State.ACCEPTED, actor, writer.now, verb="accept_proposal")
        if row.verb == StaffProposal.Verb.FORGET or text is None:
            forget(row.memory_id, relearn="allow", source="keep", actor=actor)
            return None
        wanted = replace(as_it_is(memory), text=text)
        return edit(memory.pk, wanted, expected_version=memory.version, actor=actor).memory


def decline_proposal(proposal_id: UUID, *, actor: Actor) -> None:
    """The person does not want it; nothing changes. NotFound; Conflict `not_waiting`."""
    with writing_as_person(actor) as writer:
        row = _answerable(proposal_id, actor)
        _decide(row, StaffProposal.State.DECLINED, actor, writer.now, verb="decline_proposal")


def proposals_under(grant: Grant) -> tuple[StaffProposal, ...]:
    """All that was proposed under a grant, latest first, while its person is open."""
    return tuple(StaffProposal.objects.filter(grant=grant).order_by("-proposed_at"))


def _checked(grant_id: UUID, change: Change, now: datetime) -> Grant:
    grant = Grant.objects.get(pk=grant_id)
    require_running(grant, now)
    seen = Reveal.objects.filter(grant=grant, what=Reveal.What.MEMORY, object_id=change.memory_id)
    memory = Memory.objects.filter(pk=change.memory_id).first()
    if memory is None or memory.state == State.FORGOTTEN or not seen.exists():
        raise NotFound
    if memory.version != change.version:
        raise Conflict("stale_version", "The memory was changed in the meantime.")
    if change.text is not None:
        if memory.state not in (*LIVING, State.PENDING):
            raise Conflict("not_current", "Only a memory that stands or waits for review can be corrected.")
        if not normal_form(change.text):
            raise Invalid("text", "Write what is to be remembered.")
        if change.text.strip() == (memory.text or "").strip():
            raise Invalid("same_text", "It says that already.")
        if mask_secrets(change.text) != change.text:
            raise Refused("secret", "It looks like a password, a key or a card number.")
    return grant


def _row(proposal_id: UUID, grant: Grant, change: Change, now: datetime) -> StaffProposal:
    return StaffProposal(
        id=proposal_id,
        person_id=grant.person_id,
        grant=grant,
        memory_id=change.memory_id,
        version=change.version,
        verb=change.verb,
        text=change.text,
        proposed_at=now,
    )


def _waiting(actor: Actor) -> QuerySet[StaffProposal]:
    rows: QuerySet[StaffProposal] = StaffProposal.objects.visible_to(actor)
    return rows.filter(state=StaffProposal.State.WAITING)


def _answerable(proposal_id: UUID, actor: Actor) -> StaffProposal:
    row = StaffProposal.objects.visible_to(actor).filter(pk=proposal_id).first()
    if row is None:
        raise NotFound
    if row.state != StaffProposal.State.WAITING:
        raise Conflict("not_waiting", "This does not wait for an answer any more.")
    return row


def _decide(row: StaffProposal, state: StaffProposal.State, actor: Actor, now: datetime, *, verb: str) -> None:
    row.state, row.decided_at, row.text = state, now, None
    row.save(update_fields=["state", "decided_at", "text"])
    audit.record(verb, "memory", row.memory_id, actor=actor, at=now)
