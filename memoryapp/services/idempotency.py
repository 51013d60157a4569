"""Answering a repeated call with the first response, without doing it again."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from accounts.ids import uuid7
from accounts.models import User
from memoryapp.database.isolation import acting_for, wide_access
from memoryapp.models import IdempotencyRecord, Memory
from memoryapp.models.memory import State
from memoryapp.services.errors import Invalid, NotFound
from memoryapp.services.traces import block_of

KEPT = timedelta(hours=24)

_NOTHING: dict[str, Any] = {
    "text": None,
    "subject": None,
    "key": None,
    "source": None,
    "reason": None,
    "aliases": [],
    "metadata": {},
}
"""What is left of a memory's own words when it is forgotten."""

Act = Callable[[], tuple[int, dict[str, Any], UUID | None]]


def once(*, key_id: UUID, key: str, fingerprint: bytes, act: Act) -> tuple[int, dict[str, Any], bool]:
    """Status, body, and whether they are a replay. `act` gives status, body and the person that the call concerned.

    One transaction: what `act` did and the record of it stand or fall together. A second call with the same key waits
    for the first. Only 2xx are kept, for 24 hours. Invalid when the key was used for another call.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, 1))", [f"{key_id} {key}"])
        now = datetime.now(UTC)
        with wide_access("idempotency"):
            record = IdempotencyRecord.objects.filter(agent_key_id=key_id, key=key).first()
            if record and now - record.created_at >= KEPT:
                record.delete()
                record = None
        if record:
            if bytes(record.fingerprint) != fingerprint:
                raise Invalid("Idempotency-Key", "This key was used for another call.")
            return record.status, _replayed(record), True
        status, body, person_id = act()
        if 200 <= status < 300:
            with acting_for(person_id) if person_id else nullcontext():
                IdempotencyRecord.objects.create(
                    id=uuid7(),
                    agent_key_id=key_id,
                    key=key,
                    fingerprint=fingerprint,
                    person_id=person_id,
                    status=status,
                    body=body,
                    memory_ids=sorted({UUID(shown["id"]) for shown in _memories_in(body)}),
                    created_at=now,
                )
        return status, body, False


def _replayed(record: IdempotencyRecord) -> dict[str, Any]:
    """The body as it was, without the text of what was forgotten since."""
    body: dict[str, Any] = record.body
    if record.person_id is None:
        return body
    with acting_for(record.person_id):
        if not User.objects.filter(pk=record.person_id, is_active=True).exists():
            raise NotFound
        if not record.memory_ids:
            return body
        rows = Memory.objects.filter(pk__in=record.memory_ids).exclude(state=State.FORGOTTEN)
        gone = {str(pk) for pk in set(record.memory_ids) - set(rows.values_list("pk", flat=True))}
        if not gone:
            return body
        for shown in _memories_in(body):
            if shown["id"] in gone:
                shown |= {name: nothing for name, nothing in _NOTHING.items() if name in shown} | {"forgotten": True}
        for decision in (body, *body.get("results", ())):
            if decision.get("previous") and decision["memory"]["id"] in gone:
                decision["previous"] |= {"text": None, "forgotten": True}
        if "context" in body:
            body["context"] = block_of(UUID(body["trace_id"]))
        return body


def _memories_in(value: Any) -> Iterator[dict[str, Any]]:
    """Every memory that a response shows, however deep; but not in what a memory holds, such as its metadata."""
    if isinstance(value, dict):
        if "id" in value and "text" in value:
            yield value
            return
        for inner in value.values():
            yield from _memories_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _memories_in(inner)
