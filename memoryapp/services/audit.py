"""The audit chain: who did what, in an order that nobody can change unseen."""

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from accounts.actors import Actor
from accounts.ids import uuid7
from memoryapp.database.isolation import SYSTEM, wide_access
from memoryapp.models import AuditEvent, AuditHead

_START = bytes(32)
_COLUMNS = [field.attname for field in AuditEvent._meta.concrete_fields]
_APPEND = f"""
with appended as (
    insert into {AuditEvent._meta.db_table} ({", ".join(_COLUMNS)})
    values ({", ".join(f"%({name})s" for name in _COLUMNS)})
)
insert into {AuditHead._meta.db_table} (person_id, seq, digest) values (%(person_id)s, %(seq)s, %(digest)s)
on conflict (person_id) do update set seq = excluded.seq, digest = excluded.digest
"""


def record(
    verb: str,
    object_type: str,
    object_id: UUID | None,
    *,
    actor: Actor,
    at: datetime,
    reason: str | None = None,
    person_id: UUID | None = None,
) -> None:
    """Appends one event to the chain of the person (by default the actor's), in the caller's transaction.

    The caller holds the person's lock, so that the chain has one writer.
    """
    person = person_id or actor.person_id or SYSTEM
    head = AuditHead.objects.filter(person_id=person).first()
    event = AuditEvent(
        id=uuid7(),
        person_id=person,
        seq=head.seq + 1 if head else 1,
        at=at,
        actor_kind=actor.kind,
        actor_id={"agent": actor.key_id, "person": actor.person_id, "staff": actor.staff_id}.get(actor.kind),
        verb=verb,
        object_type=object_type,
        object_id=object_id,
        reason=reason,
    )
    event.digest = _digest(event, bytes(head.digest) if head else _START)
    with connection.cursor() as cursor:
        cursor.execute(_APPEND, {name: getattr(event, name) for name in _COLUMNS})


def _digest(event: AuditEvent, before: bytes) -> bytes:
    """HMAC-SHA256 over the event and the digest before it, under a key derived from the secret key."""
    who = (event.id, event.person_id, event.seq, event.at.isoformat(), event.actor_kind, event.actor_id)
    what = (event.verb, event.object_type, event.object_id, event.reason)
    key = hashlib.sha256(b"audit chain" + settings.SECRET_KEY.encode()).digest()
    return hmac.digest(key, before + "\x1f".join(map(str, who + what)).encode(), "sha256")


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a chain does not hold: the first event that does not follow, or the end that is missing."""

    person_id: UUID
    seq: int
    problem: str


def verify() -> Iterator[Break]:
    """The first break of every chain: a changed, a missing or an inserted event. Reads all events once, in order."""
    with _one_snapshot(), wide_access("verify_audit"):
        heads = {head.person_id: head for head in AuditHead.objects.all()}
        person: UUID | None = None
        seq, before, broken = 0, _START, False

        def end() -> Iterator[Break]:
            if person is None or broken:
                return
            head = heads.get(person)
            if head is None or head.seq != seq or bytes(head.digest) != before:
                yield Break(person, seq + 1, "the chain does not end where its head says")

        for event in AuditEvent.objects.order_by("person_id", "seq").iterator(chunk_size=1000):
            if event.person_id != person:
                yield from end()
                person, seq, before, broken = event.person_id, 0, _START, False
            if broken:
                continue
            if event.seq != seq + 1:
                yield Break(event.person_id, seq + 1, "an event is missing")
                broken = True
            elif bytes(event.digest) != _digest(event, before):
                yield Break(event.person_id, event.seq, "an event was changed or inserted")
                broken = True
            seq, before = event.seq, bytes(event.digest)
        yield from end()
        seen = set(AuditEvent.objects.values_list("person_id", flat=True).distinct())
        for missing in heads.keys() - seen:
            yield Break(missing, 1, "all events are missing")


def size() -> tuple[int, int]:
    """How many chains there are, and how many events in all."""
    with wide_access("audit_size"):
        return AuditHead.objects.count(), AuditEvent.objects.count()


@contextmanager
def _one_snapshot() -> Iterator[None]:
    """Heads and events as they were at one instant, beside writers; inside a transaction, as that one sees them."""
    outermost = not connection.in_atomic_block
    with transaction.atomic():
        if outermost:
            with connection.cursor() as cursor:
                cursor.execute("set transaction isolation level repeatable read")
        yield
