"""The parts of an export, each read row by row: which tables they are, and which columns are left out."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from itertools import batched
from typing import Any
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from accounts.actors import Actor
from accounts.models import AgentKey, Scope, User
from memoryapp.models import (
    Answer,
    AuditEvent,
    Confirmation,
    Decision,
    Dispute,
    Episode,
    Grant,
    Memory,
    MemoryVersion,
    Report,
    Retention,
    RetrievalTrace,
    Reveal,
    StaffProposal,
    Tombstone,
)
from memoryapp.models.memory import State
from memoryapp.services.do_not_learn import WHOLE_SUBJECT
from memoryapp.services.shown import slot_key, status_at, time_json
from memoryapp.services.trace_items import load_items

CHUNK = 500
"""So many rows are in memory at once."""
MOST_IDS = 10_000
"""So many are named in one statement, which may have 65,535 parameters: a memory has any number of versions."""

NOT_EXPORTED: Mapping[type[Model], Mapping[str, str]] = {
    User: {
        "password": "a credential",
        "digest_key": "the key of the tombstones, which goes along sealed",
        "brought_keys": "the same",
        "last_login": "in the activity",
        "is_superuser": "of the account, not of the person",
        "is_staff": "of the account, not of the person",
        "is_active": "of the account, not of the person",
    },
    AgentKey: {"digest": "a credential", "person": "the person of the export", "namespace": "the operator's"},
    AuditEvent: {"person_id": "the person of the export", "digest": "of the chain"},
    Grant: {"staff": "staff are shown by their role", "second": "staff are shown by their role"},
}
"""Columns that the export leaves out, each with its reason. The person and the row's own links go without saying."""

Rows = Iterator[dict[str, Any]]


def _living(actor: Actor, now: datetime) -> Rows:
    return _memories(~Q(state=State.FORGOTTEN), actor, now)


def _trash(actor: Actor, now: datetime) -> Rows:
    """To agents what is forgotten is gone; that there was something stays."""
    rows = _memories(Q(state=State.FORGOTTEN), actor, now)
    if not actor.is_agent:
        return rows
    return ({"id": row["id"], "status": row["status"], "text": None, "forgotten": True} for row in rows)


def _memories(wanted: Q, actor: Actor, now: datetime) -> Rows:
    heads = Memory.objects.visible_to(actor).filter(wanted).select_related("scope").order_by("id")
    for some in batched(heads.iterator(chunk_size=CHUNK), CHUNK):
        versions = _versions([memory.pk for memory in some], actor)
        disputes = _disputes([memory.pk for memory in some], actor)
        for memory in some:
            yield {
                **row_json(memory),
                "scope": memory.scope.name,
                "key": slot_key(memory.kind, memory.scope.name, memory.subject),
                "status": status_at(memory, now),
                "versions": versions[memory.pk],
                "disputes": disputes[memory.pk],
            }


def _versions(memory_ids: list[UUID], actor: Actor) -> Mapping[UUID, list[dict[str, Any]]]:
    found = MemoryVersion.objects.visible_to(actor).filter(memory__in=memory_ids).order_by("memory", "number")
    rows = list(found)
    said: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    # By their ids: joined, the database reads all that the person ever said for every batch.
    for some in batched((row.pk for row in rows), MOST_IDS):
        confirmations = Confirmation.objects.visible_to(actor).filter(version__in=some)
        for one in confirmations.order_by("recorded_at", "id"):
            said[one.version_id].append(row_json(one))
    versions: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    for version in rows:
        versions[version.memory_id].append({**row_json(version), "said": said[version.pk]})
    return versions


def _disputes(memory_ids: list[UUID], actor: Actor) -> Mapping[UUID, list[dict[str, Any]]]:
    disputes: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    for one in Dispute.objects.visible_to(actor).filter(memory_id__in=memory_ids).order_by("opened_at", "id"):
        disputes[one.memory_id].append(row_json(one))
    return disputes


def _decisions(actor: Actor, now: datetime) -> Rows:
    rows = Decision.objects.visible_to(actor).annotate(is_of_forgotten=Q(memory__state=State.FORGOTTEN)).order_by("id")
    for one in rows.iterator(chunk_size=CHUNK):
        row = row_json(one)
        if actor.is_agent and one.is_of_forgotten:
            row |= {"subject": None, "subject_key": None, "text": None, "source": None, "forgotten": True}
        yield row


def _do_not_learn(actor: Actor, now: datetime) -> Rows:
    for one in Tombstone.objects.visible_to(actor).order_by("id").iterator(chunk_size=CHUNK):
        # One that was closed again after a restore has a digest too.
        is_whole_subject = one.kind == WHOLE_SUBJECT
        if is_whole_subject or not actor.is_agent:
            row = row_json(one) | {"is_whole_subject": is_whole_subject}
            # Their key goes along in the person's own export alone.
            yield row | {"digest": None} if actor.is_agent else row


def _staff_proposals(actor: Actor, now: datetime) -> Rows:
    """What support puts to the person is between the two."""
    for one in StaffProposal.objects.visible_to(actor).order_by("id").iterator(chunk_size=CHUNK):
        yield row_json(one) | ({"text": None} if actor.is_agent else {})


def _retrievals(actor: Actor, now: datetime) -> Rows:
    """Which memories each retrieval sent; of those that it left out, how many for which reason."""
    for trace in RetrievalTrace.objects.visible_to(actor).order_by("created_at", "id").iterator(chunk_size=CHUNK):
        sent = [item for item in load_items(trace.items) if item.was_sent]
        row = row_json(trace)
        row["items"] = [{"memory": str(item.memory_id), "version": item.version, "why": item.why} for item in sent]
        yield row


def _events(actor: Actor, now: datetime) -> Rows:
    """Staff are shown by their role."""
    for row in AuditEvent.objects.visible_to(actor).order_by("seq").iterator(chunk_size=CHUNK):
        yield row_json(row) | ({"actor_id": None} if row.actor_kind == "staff" else {})


def _all(model: Any, *order: str) -> Callable[[Actor, datetime], Rows]:
    def rows(actor: Actor, now: datetime) -> Rows:
        return _rows(model.objects.visible_to(actor).order_by(*order))

    return rows


def _accounts(model: Any, *order: str) -> Callable[[Actor, datetime], Rows]:
    def rows(actor: Actor, now: datetime) -> Rows:
        return _rows(model.objects.filter(person_id=actor.opened).order_by(*order))

    return rows


def _rows(rows: QuerySet[Any]) -> Rows:
    return (row_json(row) for row in rows.iterator(chunk_size=CHUNK))


def row_json(row: Model) -> dict[str, Any]:
    """The row's columns by name, but for those that are left out."""
    left_out = {"person", *NOT_EXPORTED.get(type(row), ())}
    return {
        field.name: _json(getattr(row, field.attname))
        for field in row._meta.concrete_fields
        if field.name not in left_out and field.name != "pk"
    }


def _json(value: Any) -> Any:
    if isinstance(value, datetime):
        return time_json(value)
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, list | tuple):
        return [_json(one) for one in value]
    return value


PARTS: Mapping[str, Callable[[Actor, datetime], Rows]] = {
    "scopes": _accounts(Scope, "name"),
    "memories": _living,
    "trash": _trash,
    "decisions": _decisions,
    "messages": _all(Episode, "session", "turn"),
    "retrievals": _retrievals,
    "answers": _all(Answer, "id"),
    "reports": _all(Report, "id"),
    "do_not_learn": _do_not_learn,
    "retention_choices": _all(Retention, "id"),
    "agent_keys": _accounts(AgentKey, "id"),
    "activity": _events,
    "support_grants": _all(Grant, "id"),
    "support_views": _all(Reveal, "id"),
    "support_proposals": _staff_proposals,
}
"""By name, in the order of the file."""
