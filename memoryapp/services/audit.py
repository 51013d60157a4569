"""The audit chain: who did what, in an order that nobody can change unseen."""

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Model

from accounts.actors import Actor
from accounts.ids import uuid7
from memoryapp.database.isolation import SYSTEM, wide_access
from memoryapp.models import AuditCheckpoint, AuditEvent, AuditHead
from memoryapp.services.rows import insert

_START = bytes(32)
_HEAD = f"select seq, digest from {AuditHead._meta.db_table} where person_id = %s"
_MOVE_HEAD = f"""
insert into {AuditHead._meta.db_table} (person_id, seq, digest) values (%s, %s, %s)
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
    along: Sequence[Model] = (),
) -> None:
    """Appends one event to the chain of the person (by default the actor's), in the caller's transaction.

    `along` are new rows that are inserted in the same statement.
    The caller holds the person's lock, so that the chain has one writer.
    """
    person = person_id or actor.person_id or SYSTEM
    with connection.cursor() as cursor:
        cursor.execute(_HEAD, [person])
        seq, before = cursor.fetchone() or (0, _START)
    event = AuditEvent(
        id=uuid7(),
        person_id=person,
        seq=seq + 1,
        at=at,
        actor_kind=actor.kind,
        actor_id={"agent": actor.key_id, "person": actor.person_id, "staff": actor.staff_id}.get(actor.kind),
        verb=verb,
        object_type=object_type,
        object_id=object_id,
        reason=reason,
    )
    event.digest = _digest(event, bytes(before))
    insert(*along, event, also=[(_MOVE_HEAD, (person, event.seq, event.digest))])


def _digest(event: AuditEvent, before: bytes) -> bytes:
    """HMAC-SHA256 over the event and the digest before it, under a key derived from the secret key."""
    who = (event.id, event.person_id, event.seq, event.at.isoformat(), event.actor_kind, event.actor_id)
    what = (event.verb, event.object_type, event.object_id, event.reason)
    return _keyed(b"audit chain", before, who + what)


def _keyed(purpose: bytes, before: bytes, values: tuple[object, ...]) -> bytes:
    key = hashlib.sha256(purpose + settings.SECRET_KEY.encode()).digest()
    return hmac.digest(key, before + "\x1f".join(map(str, values)).encode(), "sha256")


def set_checkpoint(last: AuditEvent, *, at: datetime) -> None:
    """The chain is to continue after this event: it and those before it may be deleted from now on.

    The caller holds the person's lock.
    """
    former = AuditCheckpoint.objects.filter(person_id=last.person_id).order_by("-seq").first()
    checkpoint = AuditCheckpoint(id=uuid7(), person_id=last.person_id, seq=last.seq, digest=bytes(last.digest), at=at)
    checkpoint.seal = _seal(checkpoint, bytes(former.seal) if former else _START)
    checkpoint.save(force_insert=True)


def _seal(checkpoint: AuditCheckpoint, before: bytes) -> bytes:
    values = (checkpoint.id, checkpoint.person_id, checkpoint.seq, bytes(checkpoint.digest).hex())
    return _keyed(b"audit checkpoint", before, (*values, checkpoint.at.isoformat()))


@dataclass(frozen=True, slots=True)
class Break:
    """A place where a chain does not hold: the first event that does not follow, or the end that is missing."""

    person_id: UUID
    seq: int
    problem: str


@dataclass(frozen=True, slots=True)
class _Link:
    """How long a chain is up to some event, and that event's digest."""

    seq: int = 0
    digest: bytes = _START


def verify() -> Iterator[Break]:
    """The first break of every chain: a changed, a missing or an inserted event or checkpoint.

    Reads all of them once, in order. What retention has deleted is vouched for by the checkpoint in its place.
    """
    with _one_snapshot(), wide_access("verify_audit"):
        heads = {head.person_id: head for head in AuditHead.objects.all()}
        starts, forged = _starts(AuditCheckpoint.objects.order_by("person_id", "seq").iterator(chunk_size=1000))
        yield from (Break(one, starts[one].seq, "a checkpoint was changed, inserted or taken out") for one in forged)
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
                person, start = event.person_id, starts.get(event.person_id, _Link())
                seq, before, broken = start.seq, start.digest, event.person_id in forged
            if broken:
                continue
            if event.seq > seq + 1:
                yield Break(event.person_id, seq + 1, "an event is missing")
                broken = True
            elif event.seq <= seq or bytes(event.digest) != _digest(event, before):
                yield Break(event.person_id, event.seq, "an event was changed or inserted")
                broken = True
            seq, before = event.seq, bytes(event.digest)
        yield from end()
        seen = set(AuditEvent.objects.values_list("person_id", flat=True).distinct())
        for person_id in (heads.keys() | starts.keys()) - seen - forged:
            start, head = starts.get(person_id, _Link()), heads.get(person_id)
            if head is None or (start.seq, start.digest) != (head.seq, bytes(head.digest)):
                yield Break(person_id, start.seq + 1, "all events are missing")


def holds_until(last: AuditEvent) -> bool:
    """Whether this person's chain holds from its beginning, or its checkpoint, to this event. While it is open."""
    person_id = last.person_id
    starts, forged = _starts(AuditCheckpoint.objects.filter(person_id=person_id).order_by("seq"))
    start = starts.get(person_id, _Link())
    seq, before = start.seq, start.digest
    for event in AuditEvent.objects.filter(person_id=person_id, seq__lte=last.seq).order_by("seq").iterator():
        if event.seq != seq + 1 or bytes(event.digest) != _digest(event, before):
            return False
        seq, before = event.seq, bytes(event.digest)
    return not forged and seq == last.seq


def _starts(checkpoints: Iterable[AuditCheckpoint]) -> tuple[dict[UUID, _Link], set[UUID]]:
    """Where each chain with checkpoints continues, and those of which a checkpoint does not hold."""
    starts: dict[UUID, _Link] = {}
    seals: dict[UUID, bytes] = {}
    forged = set()
    for one in checkpoints:
        if bytes(one.seal) != _seal(one, seals.get(one.person_id, _START)):
            forged.add(one.person_id)
        seals[one.person_id] = bytes(one.seal)
        starts[one.person_id] = _Link(one.seq, bytes(one.digest))
    return starts, forged


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
