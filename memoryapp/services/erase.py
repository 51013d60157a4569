"""Erasing what was forgotten: one at once, when the person says so, and all whose time in the trash has ended."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import batched, groupby
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import Q

from accounts.actors import Actor
from memoryapp.database.isolation import erasing, wide_access
from memoryapp.models import (
    Confirmation,
    Decision,
    Dispute,
    IdempotencyRecord,
    Memory,
    MemoryVersion,
    Retention,
    StaffProposal,
    TextVector,
    Tombstone,
    Upload,
)
from memoryapp.models.memory import State
from memoryapp.services import audit, erase_ledger, indexing
from memoryapp.services.erase_ledger import Erased
from memoryapp.services.errors import NotFound
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.retention import TRASH
from memoryapp.services.traces import block_of
from memoryapp.services.writing import Writer, writer_for

_AT_ONCE = 100
"""So many are erased in one transaction."""


def erase_now(memory_id: UUID, *, actor: Actor) -> None:
    """The memory and all that hangs on it are deleted: versions, confirmations, decisions and proposals. Kept
    responses lose what they say of it.

    It cannot be undone. Tombstones stay, without their memory; traces hold its id and show a gap. The messages that it
    came from are as they were left when it was forgotten. NotFound unless it is forgotten.
    """
    with writing_as_person(actor) as writer:
        memory = Memory.objects.writable_by(actor).filter(pk=memory_id, state=State.FORGOTTEN).first()
        if memory is None:
            raise NotFound
        _erase([memory], writer)
        audit.record("erase", "memory", memory.pk, actor=actor, at=writer.now)


def erase_trash(now: datetime, *, person_id: UUID | None = None) -> None:
    """What is past its time in the trash, of everybody or of one; a person at a time, so that nobody waits for long.

    Of the sources only what was asked for when it was forgotten is gone already; the others stay.
    """
    longest = now - timedelta(days=settings.MEMORY_TRASH_DAYS)
    with wide_access("trash"):
        chosen = Retention.objects.filter(what=TRASH, days__lt=settings.MEMORY_TRASH_DAYS)
        since = {one: now - timedelta(days=days) for one, days in chosen.values_list("person_id", "days")}
        rows = Memory.objects.filter(state=State.FORGOTTEN).order_by("person_id", "pk")
        if person_id is not None:
            rows = rows.filter(person_id=person_id)
        found = rows.filter(Q(forgotten_at__lte=longest) | Q(person_id__in=since))
        old = [
            (owner, memory_id)
            for owner, memory_id, at in found.values_list("person_id", "pk", "forgotten_at")
            if at is not None and at <= since.get(owner, longest)
        ]
    for owner, theirs in groupby(old, key=lambda one: one[0]):
        for some in batched((memory_id for _, memory_id in theirs), _AT_ONCE):
            _erase_old(owner, some, since.get(owner, longest))


def _erase_old(person_id: UUID, memory_ids: Sequence[UUID], since: datetime) -> None:
    actor = Actor("system", person_id=person_id)
    # Whose person was erased meanwhile has nothing in the trash any more.
    with suppress(NotFound), writer_for(actor) as writer:
        # What was restored meanwhile is not erased.
        old = Memory.objects.filter(pk__in=memory_ids, state=State.FORGOTTEN, forgotten_at__lte=since)
        _erase(old, writer)
        for memory in old:
            audit.record("erase", "memory", memory.pk, actor=actor, at=writer.now, reason="trash_time")


def erase_again(person_id: UUID, memory_ids: Sequence[UUID]) -> None:
    """For memories that were erased once and that a restored backup brought back, whatever state they are in."""
    actor = Actor("system", person_id=person_id)
    with suppress(NotFound), writer_for(actor) as writer:
        memories = list(Memory.objects.filter(pk__in=memory_ids))
        # They may be in use, and so in what is searched.
        for memory in memories:
            indexing.unindex(memory)
        TextVector.objects.filter(memory__in=memories).delete()
        _erase(memories, writer)
        for memory in memories:
            audit.record("erase", "memory", memory.pk, actor=actor, at=writer.now, reason="ledger")


def _erase(memories: Iterable[Memory], writer: Writer) -> None:
    erase_ledger.note(*(Erased("memory", memory.pk, writer.now) for memory in memories))
    # A file that waits to be imported may hold the words too.
    Upload.objects.filter(person=writer.person).delete()
    for memory in memories:
        Tombstone.objects.filter(memory=memory).update(memory=None)
        with erasing(writer.person.pk):
            Decision.objects.filter(memory=memory).delete()
            StaffProposal.objects.filter(memory_id=memory.pk).delete()
            Dispute.objects.filter(memory_id=memory.pk).delete()
            Confirmation.objects.filter(version__memory=memory).delete()
            Memory.objects.filter(pk=memory.pk).delete()
            MemoryVersion.objects.filter(memory=memory.pk).delete()
        _forget_responses(memory.pk)


def _forget_responses(memory_id: UUID) -> None:
    """A retry is still answered, with nothing of the memory in the answer."""
    for record in IdempotencyRecord.objects.filter(memory_ids__contains=[memory_id]):
        _blank(record.body, str(memory_id))
        if "context" in record.body:
            record.body["context"] = block_of(UUID(record.body["trace_id"]))
        record.save(update_fields=["body"])


def _blank(shown: Any, memory_id: str) -> None:
    if isinstance(shown, list):
        for one in shown:
            _blank(one, memory_id)
    elif isinstance(shown, dict):
        if shown.get("id") == memory_id:
            shown |= {name: None for name in ("text", "source", "reason", "subject", "key") if name in shown}
            shown |= {name: type(shown[name])() for name in ("aliases", "metadata") if name in shown}
            return
        is_about_it = isinstance(shown.get("memory"), dict) and shown["memory"].get("id") == memory_id
        if is_about_it and shown.get("previous"):
            shown["previous"]["text"] = None
        for one in shown.values():
            _blank(one, memory_id)
