"""What a slot holds, as the write policy wants to know it."""

import hashlib
import hmac
from collections.abc import Callable, Container
from datetime import datetime
from typing import cast

from django.db import connection

from accounts.models import Scope, User
from memoryapp.models import Decision, Memory, Tombstone
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.types import Candidate, Placement, Said, Slot, Standing, Stands, Tombstones
from memoryapp.policy.write import PENDING_RETRACTION
from memoryapp.services.disputes import disputed_at
from memoryapp.services.rows import select
from memoryapp.services.shown import status_at
from memoryapp.services.writing import Writer

TEXTLESS_RULES = ("secret", "forgotten", "paused")
"""Refused by one of these, nothing of what was proposed is kept but its kind and place."""

# The rule stands in the statement, so that the index of these few decisions serves every plan of it.
_TOOK_NOTHING_BACK = f"""
select said_at, session, turn from {Decision._meta.db_table}
where rule = 'nothing_to_retract' and person_id = %s and scope_name = %s and kind = %s and subject_key = %s
    and said_at is not null
order by said_at desc limit 1
"""
_TOMBSTONES = f"""
select digest from {Tombstone._meta.db_table}
where person_id = %s and (digest = any(%s::bytea[]) or (digest is null and scope_name = %s and subject_key = %s))
"""


def heads_of(placement: Placement, scope: Scope) -> list[Memory]:
    """What the slot holds, latest first; the scope is set so that nobody has to fetch it again."""
    slot = "where scope_id = %s and kind = %s and subject_key = %s order by id desc"
    heads = select(Memory, slot, [scope.pk, placement.kind, placement.subject_key])
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
    with connection.cursor() as cursor:
        cursor.execute(_TOOK_NOTHING_BACK, [writer.person.pk, placement.scope, placement.kind, placement.subject_key])
        return [Said(*row) for row in cursor.fetchall()]


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
    """The tombstone of a value in normal form, under a person's key."""
    return hmac.digest(person_key, value.encode(), hashlib.sha256)


def digests(person: User, value: str) -> list[bytes]:
    """Every tombstone that could bar this value in normal form: under the person's own key, which is the first, and
    under those of lists that they brought along.
    """
    return [person_digest(bytes(key), value) for key in (person.digest_key, *person.brought_keys)]


def closing(scope: str, subject_key: str) -> str:
    """Stands for a closed subject where its name is not known. No value in normal form has this sign."""
    return f"\x1f{scope}\x1f{subject_key}"


def digest_among(barred: Container[bytes], person: User) -> Callable[[str], bytes]:
    """The digest of a value as the write policy asks for it: the one that is barred, where one is."""

    def digest(value: str) -> bytes:
        found = digests(person, value)
        return next((one for one in found if one in barred), found[0])

    return digest


def tombstones_for(candidate: Candidate, placement: Placement | None, person: User) -> Tombstones:
    """The tombstones that could hold this candidate."""
    wanted = digests(person, normal_form(candidate.text)) if candidate.text is not None else []
    closed = digests(person, closing(placement.scope, placement.subject_key)) if placement else []
    subject = (placement.scope, placement.subject_key) if placement else (None, None)
    with connection.cursor() as cursor:
        cursor.execute(_TOMBSTONES, [person.pk, [*wanted, *closed], *subject])
        found = [None if value is None else bytes(value) for (value,) in cursor.fetchall()]
    values = frozenset(value for value in found if value is not None)
    is_closed = placement and (None in found or not values.isdisjoint(closed))
    return Tombstones(
        digest=digest_among(values, person),
        values=values,
        closed_subjects=frozenset([(placement.scope, placement.subject_key)] if placement and is_closed else ()),
    )


def all_tombstones(person: User) -> Tombstones:
    """All that the person has, for many candidates."""
    rows = list(Tombstone.objects.filter(person=person))
    values = frozenset(bytes(row.digest) for row in rows if row.digest is not None)
    return Tombstones(
        digest=digest_among(values, person),
        values=values,
        closed_subjects=frozenset((row.scope_name, row.subject_key) for row in rows if row.digest is None),
    )


def took_nothing_back(writer: Writer) -> dict[tuple[str, str, str], Said]:
    """By scope, kind and subject: the latest retraction that found nothing there; it was spoken of all the same."""
    rows = Decision.objects.visible_to(writer.actor).filter(
        rule="nothing_to_retract", said_at__isnull=False, subject_key__isnull=False
    )
    return {
        (row.scope_name or "", row.kind, row.subject_key or ""): Said(row.said_at, row.session, row.turn)
        for row in rows.order_by("said_at")
        if row.said_at
    }
