"""Erasing one forgotten memory at once, before its time in the trash ends."""

from typing import Any, Literal
from uuid import UUID

from accounts.actors import Actor
from memoryapp.database.isolation import erasing
from memoryapp.models import Confirmation, Decision, IdempotencyRecord, Memory, MemoryVersion, StaffProposal, Tombstone
from memoryapp.models.memory import State
from memoryapp.services import audit
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import erase_sources
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.traces import block_of


def erase_now(memory_id: UUID, *, actor: Actor, source: Literal["keep", "erase"] = "keep") -> None:
    """The memory and all that hangs on it are deleted: versions, confirmations, decisions and proposals. Kept
    responses lose what they say of it.

    It cannot be undone. Tombstones stay, without their memory; traces hold its id and show a gap. `source="erase"`
    also erases the stored messages that it came from. NotFound unless it is forgotten.
    """
    with writing_as_person(actor) as writer:
        memory = Memory.objects.writable_by(actor).filter(pk=memory_id, state=State.FORGOTTEN).first()
        if memory is None:
            raise NotFound
        if source == "erase":
            erase_sources(memory, writer)
        Tombstone.objects.filter(memory=memory).update(memory=None)
        with erasing(memory.person_id):
            Decision.objects.filter(memory=memory).delete()
            StaffProposal.objects.filter(memory_id=memory.pk).delete()
            Confirmation.objects.filter(version__memory=memory).delete()
            Memory.objects.filter(pk=memory.pk).delete()
            MemoryVersion.objects.filter(memory=memory.pk).delete()
        _forget_responses(memory.pk)
        audit.record("erase", "memory", memory.pk, actor=actor, at=writer.now, reason=source)


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
