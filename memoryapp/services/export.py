"""Everything that is held on a person, part by part, as JSON, and how much that is."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from tempfile import TemporaryFile
from typing import IO, Any

from django.conf import settings
from django.db import transaction

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import (
    Answer,
    AuditEvent,
    Decision,
    Episode,
    Memory,
    MemoryVersion,
    RetrievalTrace,
    Tombstone,
)
from memoryapp.models.memory import State
from memoryapp.services import audit
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.export_parts import PARTS, Rows, row_json
from memoryapp.services.export_signature import SIGNATURE, Signed
from memoryapp.services.locking import writing_for
from memoryapp.services.retention import TRASH, limits
from memoryapp.services.sealed_keys import seal
from memoryapp.services.shown import time_json

FORMAT, FORMAT_VERSION = "memory-export", 1


@dataclass(frozen=True, slots=True)
class Export:
    """All that is held on one person, read as it is asked for: `head` first, then part by part, in constant memory."""

    head: Mapping[str, Any]
    parts: Mapping[str, Rows]


@contextmanager
def exporting(*, actor: Actor | None) -> Iterator[Export]:
    """All that is held, guesses and refused proposals included; what is in the trash is under `trash`.

    For the person, and for a program that acts for them in all scopes: to that, what is forgotten is gone but for its
    id. It is of one instant: while it is read nothing of this person is changed. So take it down where it can be read
    at leisure. Times are RFC 3339 in UTC. It is logged as an export. Credentials are not in it. Of nobody (`actor` is
    None) nothing is held.
    """
    if actor is None:
        now = datetime.now(UTC)
        yield Export(_head(None, now), {name: iter(()) for name in PARTS})
        return
    if actor.kind not in ("person", "agent") or actor.scopes is not None:
        raise Conflict("person_decides", "Only the person, or a key for all of their scopes, takes everything along.")
    with writing_for(actor.opened) as now:
        person = User.objects.filter(pk=actor.opened, is_active=True).first()
        if person is None:
            raise NotFound
        audit.record("export", "person", person.pk, actor=actor, at=now)
        head = _head(person, now)
        if actor.kind == "person":
            head["do_not_learn_keys"] = [seal(bytes(key)) for key in (person.digest_key, *person.brought_keys)]
        yield Export(head, {name: rows(actor, now) for name, rows in PARTS.items()})


def _head(person: User | None, now: datetime) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "exported_at": time_json(now),
        "person": row_json(person) if person else None,
        "kept_for": {
            "trash_days": limits(person.pk)[TRASH].days if person else settings.MEMORY_TRASH_DAYS,
            "trace_months": settings.MEMORY_TRACE_MONTHS,
            "stale_after_days": settings.MEMORY_STALE_AFTER_DAYS,
        },
    }


def export_person(*, actor: Actor) -> dict[str, Any]:
    """The same as one value without its signature, for who holds little."""
    with exporting(actor=actor) as export:
        return {**export.head, **{name: list(rows) for name, rows in export.parts.items()}}


def write_json(export: Export, file: IO[bytes]) -> None:
    """One JSON object in UTF-8, each row of a part on a line of its own, and a signature over all before it."""
    signed = Signed(file)

    def write(text: str) -> None:
        signed.write(text.encode())

    write("{\n" + ",\n".join(f"{_text(name)}: {_text(value)}" for name, value in export.head.items()))
    for name, rows in export.parts.items():
        write(f",\n{_text(name)}: [")
        for number, row in enumerate(rows):
            write((",\n" if number else "\n") + _text(row))
        write("]")
    file.write(f",\n{_text(SIGNATURE)}: {_text(signed.signature())}\n}}\n".encode())


def export_file(*, actor: Actor | None) -> IO[bytes]:
    """The export as a file without a name that goes when it is closed, ready to be read from its beginning."""
    file = TemporaryFile()  # noqa: SIM115 - the caller's
    with transaction.atomic(), exporting(actor=actor) as export:
        write_json(export, file)
    file.seek(0)
    return file


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


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
