"""A file that a person brings on their page: counted first, then brought as it was counted, or let go."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from io import BytesIO
from uuid import UUID

from accounts.actors import Actor
from accounts.ids import uuid7
from memoryapp.database.isolation import acting_for, wide_access
from memoryapp.models import Upload
from memoryapp.services.errors import NotFound
from memoryapp.services.importing import Counted, import_memories
from memoryapp.services.person_only import writing_as_person

LARGEST = 8 * 1024 * 1024
"""Bytes of a file that comes over HTTP. An operator's command takes larger ones."""
MOST = 5_000
"""Memories of such a file: the person's other writers wait as long as it takes."""
KEPT = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A file that waits for the person's word, and what it would bring. Nothing of it is in force."""

    id: UUID
    counted: Counted


def keep_upload(content: bytes, *, actor: Actor) -> Waiting:
    """Counts what the file would bring and keeps it for a day; the one that waited before goes.

    Malformed, Invalid and TooMany as `import_memories`.
    """
    with writing_as_person(actor) as writer:
        counted = import_memories(BytesIO(content), actor=actor, dry_run=True, most=MOST)
        Upload.objects.writable_by(actor).delete()
        upload = Upload(id=uuid7(), person=writer.person, content=content, created_at=writer.now)
        _show(upload, counted)
        upload.save(force_insert=True)
        return Waiting(upload.pk, counted)


def waiting_upload(upload_id: UUID, *, actor: Actor) -> Waiting:
    """NotFound when it does not wait any more."""
    with acting_for(actor.opened):
        upload = _upload(upload_id, actor)
        return Waiting(upload.pk, Counted.from_json(upload.counted, upload.decided))


def bring(upload_id: UUID, *, actor: Actor) -> tuple[Counted, bool]:
    """What the file brought, and True. When it would come out otherwise than the person was shown, False: then nothing
    was done, and it waits with the new count.
    """
    with writing_as_person(actor):
        upload = _upload(upload_id, actor)
        counted = import_memories(BytesIO(bytes(upload.content)), actor=actor, expected=upload.decided)
        if counted.decided == upload.decided:
            upload.delete()
            return counted, True
        _show(upload, counted)
        upload.save(update_fields=["counted", "decided"])
        return counted, False


def let_go(upload_id: UUID, *, actor: Actor) -> None:
    """The file is not kept. Twice does no more."""
    with writing_as_person(actor):
        Upload.objects.writable_by(actor).filter(pk=upload_id).delete()


def let_go_old(now: datetime) -> None:
    """Everybody's that have waited for a day."""
    with wide_access("uploads"):
        Upload.objects.filter(created_at__lt=now - KEPT).delete()


def _upload(upload_id: UUID, actor: Actor) -> Upload:
    upload: Upload | None = Upload.objects.visible_to(actor).filter(pk=upload_id).first()
    if upload is None:
        raise NotFound
    return upload


def _show(upload: Upload, counted: Counted) -> None:
    upload.counted, upload.decided = counted.as_json(), counted.decided
