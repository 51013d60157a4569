"""What a slot holds, as the write policy wants to know it."""

import hashlib
import hmac
from datetime import datetime
from typing import cast

from django.db.models import Q

from accounts.models import Scope, User
from memoryapp.models import Decision, Memory, Tombstone
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.types import Candidate, Placement, Said, Slot, Standing, Stands, Tombstones
from memoryapp.policy.write import PENDING_RETRACTION
from memoryapp.services.disputes import disputed_at
from memoryapp.services.shown import status_at
from memoryapp.services.writing import Writer

TEXTLESS_RULES = ("secret", "forgotten", "paused")
"""Refused by one of these, nothing of what was proposed is kept but its kind and place."""


def heads_of(placement: Placement, scope: Scope) -> list[Memory]:
    """What the slot holds, latest first; the scope is set so that nobody has to fetch it again."""
    rows = Memory.objects.filter(scope=scope, kind=placement.kind, subject_key=placement.subject_key)
    heads = list(rows.order_by("-id"))
    for head in heads:
        head.scope = scope
    return heads


def slot_of(placement: Placement | None, heads: list[Memory], writer: Writer) -> Slot:
    """The slot as the policy sees it; where no slot can be named, an empty one."""
    now = writer.now
    standing = next((head for head in heads if head.state in LIVING), None)
    said = [Said(head.last_said_at, head.last_said_session, head.last_said_turn) for head in heads if head.last_said_at]
    if standing and (at := disputed_at(standing)):
        # To dispute it is to speak of it: what was said before does not settle that.
        said.append(Said(at))
    if placement and not standing:
        said += _took_nothing_back(placement, writer)
    return Slot(
        stands=_stands(standing, now) if standing else None,
        last_said=max(said, key=lambda one: one.at, default=None),
        pending=tuple(waiting_value(head) for head in heads if head.state == State.PENDING),
        has_closed=any(has_stood(head) and head.state == State.CLOSED for head in heads),
        rejected=tuple(waiting_value(head) for head in heads if was_rejected(head) and _still_concerns(head, standing)),
    )


def _still_concerns(rejected: Memory, standing: Memory | None) -> bool:
    """A rejected retraction concerns the text that it would have taken back, and no later one."""
    if rejected.pending_rule != "retracted":
        return True
    return standing is not None and normal_form(standing.text) == normal_form(rejected.text)


def _took_nothing_back(placement: Placement, writer: Writer) -> list[Said]:
    """The latest retraction that found nothing in the slot: it was spoken of all the same."""
    rows = Decision.objects.visible_to(writer.actor).filter(
        rule="nothing_to_retract",
        scope_name=placement.scope,
        kind=placement.kind,
        subject_key=placement.subject_key,
        said_at__isnull=False,
    )
    latest = rows.order_by("-said_at").first()
    return [Said(latest.said_at, latest.session, latest.turn)] if latest and latest.said_at else []


def _stands(head: Memory, now: datetime) -> Stands:
    state = cast(Standing, status_at(head, now))
    return Stands(normal_form(head.text), state, head.valid_from)


def waiting_value(head: Memory) -> str:
    """What a pending memory would set, in normal form; a retraction that waits has a value of its own."""
    return PENDING_RETRACTION if head.pending_rule == "retracted" else normal_form(head.text)


def has_stood(head: Memory) -> bool:
    """False for what was only ever pending, also after its review."""
    return head.pending_rule is None


def was_rejected(head: Memory) -> bool:
    """Whether the person said no to what waited. What was answered otherwise is closed by nobody in particular."""
    return head.state == State.CLOSED and head.pending_rule is not None and head.state_by == "person"


def person_digest(person_key: bytes, value: str) -> bytes:
    """The tombstone of a value in normal form, under the person's own key."""
    return hmac.digest(person_key, value.encode(), hashlib.sha256)


def subject_digest(person_key: bytes, scope: str, subject_key: str) -> bytes:
    """Stands for a closed subject where its name is not known. No value has a digest like it: none has this sign."""
    return person_digest(person_key, f"\x1f{scope}\x1f{subject_key}")


def tombstones_for(candidate: Candidate, placement: Placement | None, person: User) -> Tombstones:
    """The tombstones that could hold this candidate."""

    def digest(value: str) -> bytes:
        return person_digest(bytes(person.digest_key), value)

    wanted = digest(normal_form(candidate.text)) if candidate.text is not None else None
    subject, closed = Q(pk=None), None
    if placement:
        subject = Q(scope_name=placement.scope, subject_key=placement.subject_key)
        closed = subject_digest(bytes(person.digest_key), placement.scope, placement.subject_key)
    digests = [one for one in (wanted, closed) if one is not None]
    found = list(Tombstone.objects.filter(Q(digest__in=digests) | Q(subject, digest=None), person=person))
    is_closed = placement and any(row.digest is None or bytes(row.digest) == closed for row in found)
    return Tombstones(
        digest=digest,
        values=frozenset(bytes(row.digest) for row in found if row.digest is not None),
        closed_subjects=frozenset([(placement.scope, placement.subject_key)] if placement and is_closed else ()),
    )
