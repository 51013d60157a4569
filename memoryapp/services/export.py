"""Everything that is held on a person, part by part, as JSON, and how much that is."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import batched
from typing import IO, Any
from uuid import UUID

from django.conf import settings
from django.db.models import Model, Q, QuerySet

from accounts.actors import Actor
from accounts.models import AgentKey, Scope, User
from memoryapp.database.isolation import acting_for
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
from memoryapp.services import audit
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.retention import TRASH, limits
from memoryapp.services.shown import slot_key, status_at, time_json
from memoryapp.services.trace_items import load_items

FORMAT, FORMAT_VERSION = "memory-export", 1
CHUNK = 500
"""So many rows are in memory at once."""

NOT_EXPORTED: Mapping[type[Model], Mapping[str, str]] = {
    User: {
        "password": "a credential",
        "digest_key": "the key of the tombstones",
        "last_login": "in the activity",
        "is_superuser": "of the account, not of the person",
        "is_staff": "of the account, not of the person",
        "is_active": "of the account, not of the person",
    },
    AgentKey: {"digest": "a credential", "person": "the person of the export", "namespace": "the operator's"},
    AuditEvent: {"person_id": "the person of the export", "digest": "of the chain"},
    Grant: {"staff": "staff are shown by their role", "second": "staff are shown by their role"},
    Tombstone: {"digest": "tells nothing without its key"},
}
"""Columns that the export leaves out, each with its reason. The person and the row's own links go without saying."""


Rows = Iterator[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Export:
    """All that is held on one person, read as it is asked for: `head` first, then part by part, in constant memory."""

    head: Mapping[str, Any]
    parts: Mapping[str, Rows]


@contextmanager
def exporting(*, actor: Actor) -> Iterator[Export]:
    """All that is held, guesses and refused proposals included; what is in the trash is under `trash`.

    It is of one instant: while it is read nothing of this person is changed. So take it down where it can be read at
    leisure. Times are RFC 3339 in UTC. It is logged as an export. Credentials are not in it.
    """
    with writing_as_person(actor) as writer:
        audit.record("export", "person", writer.person.pk, actor=actor, at=writer.now)
        head = {
            "format": FORMAT,
            "version": FORMAT_VERSION,
            "exported_at": time_json(writer.now),
            "person": _row(writer.person),
            "kept_for": {
                "trash_days": limits(writer.person.pk)[TRASH].days,
                "trace_months": settings.MEMORY_TRACE_MONTHS,
                "stale_after_days": settings.MEMORY_STALE_AFTER_DAYS,
            },
        }
        forgotten = Q(state=State.FORGOTTEN)
        parts = {
            "scopes": _rows(Scope.objects.filter(person=writer.person).order_by("name")),
            "memories": _memories(~forgotten, actor, writer.now),
            "trash": _memories(forgotten, actor, writer.now),
            "decisions": _rows(Decision.objects.visible_to(actor).order_by("id")),
            "messages": _rows(Episode.objects.visible_to(actor).order_by("session", "turn")),
            "retrievals": _retrievals(actor),
            "answers": _rows(Answer.objects.visible_to(actor).order_by("id")),
            "reports": _rows(Report.objects.visible_to(actor).order_by("id")),
            "do_not_learn": _rows(Tombstone.objects.visible_to(actor).order_by("id")),
            "disputes": _rows(Dispute.objects.visible_to(actor).order_by("id")),
            "retention_choices": _rows(Retention.objects.visible_to(actor).order_by("id")),
            "agent_keys": _rows(AgentKey.objects.filter(person=writer.person).order_by("id")),
            "activity": _events(actor),
            "support_grants": _rows(Grant.objects.visible_to(actor).order_by("id")),
            "support_views": _rows(Reveal.objects.visible_to(actor).order_by("id")),
            "support_proposals": _rows(StaffProposal.objects.visible_to(actor).order_by("id")),
        }
        yield Export(head, parts)


def export_person(*, actor: Actor) -> dict[str, Any]:
    """The same as one value, for who holds little."""
    with exporting(actor=actor) as export:
        return {**export.head, **{name: list(rows) for name, rows in export.parts.items()}}


def write_json(export: Export, file: IO[bytes]) -> None:
    """One JSON object in UTF-8, each row of a part on a line of its own."""

    def write(text: str) -> None:
        file.write(text.encode())

    write("{\n" + ",\n".join(f"{_text(name)}: {_text(value)}" for name, value in export.head.items()))
    for name, rows in export.parts.items():
        write(f",\n{_text(name)}: [")
        for number, row in enumerate(rows):
            write((",\n" if number else "\n") + _text(row))
        write("]")
    write("\n}\n")


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _memories(wanted: Q, actor: Actor, now: datetime) -> Rows:
    heads = Memory.objects.visible_to(actor).filter(wanted).select_related("scope").order_by("id")
    for some in batched(heads.iterator(chunk_size=CHUNK), CHUNK):
        versions = _versions([memory.pk for memory in some], actor)
        for memory in some:
            yield {
                **_row(memory),
                "scope": memory.scope.name,
                "key": slot_key(memory.kind, memory.scope.name, memory.subject),
                "status": status_at(memory, now),
                "versions": versions[memory.pk],
            }


def _versions(memory_ids: list[UUID], actor: Actor) -> Mapping[UUID, list[dict[str, Any]]]:
    said: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    confirmations = Confirmation.objects.visible_to(actor).filter(version__memory__in=memory_ids)
    for one in confirmations.order_by("recorded_at", "id"):
        said[one.version_id].append(_row(one))
    versions: dict[UUID, list[dict[str, Any]]] = defaultdict(list)
    for version in MemoryVersion.objects.visible_to(actor).filter(memory__in=memory_ids).order_by("memory", "number"):
        versions[version.memory_id].append({**_row(version), "said": said[version.pk]})
    return versions


def _retrievals(actor: Actor) -> Rows:
    """Which memories each retrieval sent; of those that it left out, how many for which reason."""
    for trace in RetrievalTrace.objects.visible_to(actor).order_by("created_at", "id").iterator(chunk_size=CHUNK):
        sent = [item for item in load_items(trace.items) if item.was_sent]
        row = _row(trace)
        row["items"] = [{"memory": str(item.memory_id), "version": item.version, "why": item.why} for item in sent]
        yield row


def _events(actor: Actor) -> Rows:
    """Staff are shown by their role."""
    for row in AuditEvent.objects.visible_to(actor).order_by("seq").iterator(chunk_size=CHUNK):
        yield _row(row) | ({"actor_id": None} if row.actor_kind == "staff" else {})


def _rows(rows: QuerySet[Any]) -> Rows:
    return (_row(row) for row in rows.iterator(chunk_size=CHUNK))


def _row(row: Model) -> dict[str, Any]:
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
    if isinstance(value, list | tuple):
        return [_json(one) for one in value]
    return value


@dataclass(frozen=True, slots=True)
class Held:
    """How much is held on the person, by what it is. `since` is the first of it."""

    memories: int
    trash: int
    versions: int
    refused: int
    messages: int
    retrievals: int
    answers: int
    do_not_learn: int
    events: int
    since: datetime


def held(*, actor: Actor) -> Held:
    """The counts for the privacy page."""
    with acting_for(actor.opened):
        memories = Memory.objects.visible_to(actor)
        in_trash = memories.filter(state=State.FORGOTTEN).count()
        return Held(
            memories=memories.count() - in_trash,
            trash=in_trash,
            versions=MemoryVersion.objects.visible_to(actor).count(),
            refused=Decision.objects.visible_to(actor).filter(action="rejected").count(),
            messages=Episode.objects.visible_to(actor).count(),
            retrievals=RetrievalTrace.objects.visible_to(actor).count(),
            answers=Answer.objects.visible_to(actor).count(),
            do_not_learn=Tombstone.objects.visible_to(actor).count(),
            events=AuditEvent.objects.visible_to(actor).count(),
            since=User.objects.values_list("created_at", flat=True).get(pk=actor.opened),
        )
