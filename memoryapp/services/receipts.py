"""Reading a receipt."""

from typing import Any
from uuid import UUID

from accounts.actors import Actor
from memoryapp.models import Receipt
from memoryapp.services.errors import NotFound
from memoryapp.services.shown import time_json


def read_receipt(receipt_id: UUID, *, actor: Actor | None) -> Receipt:
    """NotFound for a key of another namespace, or of one person.

    `actor` None is whoever has the link that the person was given: the id is not to be guessed, and a receipt holds
    nothing of theirs.
    """
    rows = Receipt.objects.filter(pk=receipt_id)
    if actor is not None:
        rows = rows.none() if actor.person_id is not None else rows.filter(namespace=actor.namespace)
    receipt = rows.first()
    if receipt is None:
        raise NotFound
    return receipt


def receipt_json(receipt: Receipt) -> dict[str, Any]:
    """Counts are of what was found, by store; `verified_left` is null until it was looked for."""
    return {
        "id": str(receipt.pk),
        "status": "done" if receipt.done_at else "running",
        "requested_at": time_json(receipt.requested_at),
        "done_at": time_json(receipt.done_at),
        "counted": receipt.counted,
        "erased": receipt.erased,
        "verified_left": receipt.verified_left,
        "backups_until": time_json(receipt.backups_until),
    }
