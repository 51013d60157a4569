"""Erasing a person: asked for once, then worked off store by store, whatever interrupts it.

The state is in the database alone: what is left to delete, and the receipt. So a step may be repeated, done by two
workers at once, or by another process after a restart.
"""

import logging
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection

from accounts.actors import Actor
from accounts.ids import uuid7
from accounts.models import User
from memoryapp.database.isolation import erasing
from memoryapp.models import Memory, Receipt
from memoryapp.services import audit, erase_ledger, erase_stores
from memoryapp.services.erase_ledger import Erased
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.grants import grants_as_staff, leave_grants
from memoryapp.services.locking import writing_for

log = logging.getLogger(__name__)


AS_STAFF = "grants_as_staff"
"""What receipts call the grants that this account had as staff, and that do not name it any more."""


def begin(*, expected_count: int, actor: Actor) -> UUID:
    """The receipt's id. With the caller's commit the person is gone from every read path, and nobody comes in as them.

    `expected_count` is the number of memories of every status that are not yet erased: Conflict `count_changed` when
    it is another. NotFound for whom this actor may not write, or who is being erased already; Conflict `staff` for
    accounts of staff, whose rights an operator takes first. What a former one did as staff stays with the persons whom
    it was about, as done by staff. The rest is up to `work_off`.
    """
    if not actor.can_write or actor.kind == "staff" or actor.scopes is not None:
        raise NotFound
    person_id = actor.opened
    with writing_for(person_id) as now:
        person = User.objects.select_for_update().filter(pk=person_id, is_active=True).first()
        if person is None:
            raise NotFound
        if person.is_staff or person.is_superuser:
            raise Conflict("staff", "This is an account of staff; an operator has to close that first.")
        if Memory.objects.filter(person_id=person_id).count() != expected_count:
            raise Conflict("count_changed", "There are more or fewer memories now than you were shown.")
        receipt = _receipt(uuid7(), person, now)
        audit.record("erase_person", "receipt", receipt.pk, actor=actor, at=now)
        erase_ledger.note(Erased("person", person_id, now, receipt.pk))
        _start(receipt, person)
    return receipt.pk


def begin_again(entry: Erased) -> bool:
    """For a person whom a restored backup brought back: the erasing begins anew, under its old receipt's id.

    False when there is nobody, or the erasing is not done yet.
    """
    with writing_for(entry.id) as now:
        person = User.objects.select_for_update().filter(pk=entry.id).first()
        if person is None or Receipt.objects.filter(person_id=entry.id, done_at=None).exists():
            return False
        receipt_id = entry.receipt or uuid7()
        Receipt.objects.filter(pk=receipt_id).delete()
        receipt = _receipt(receipt_id, person, now)
        actor = Actor("system", person_id=entry.id)
        audit.record("erase_person", "receipt", receipt.pk, actor=actor, at=now, reason="ledger")
        _start(receipt, person)
        return True


def _receipt(receipt_id: UUID, person: User, now: datetime) -> Receipt:
    as_staff = grants_as_staff(person.pk).total()
    return Receipt.objects.create(
        id=receipt_id,
        person_id=person.pk,
        namespace=person.namespace,
        requested_at=now,
        counted=erase_stores.counted(person.pk) | ({AS_STAFF: as_staff} if as_staff else {}),
    )


def _start(receipt: Receipt, person: User) -> None:
    """Who asks for the person finds nobody from now on: the same name given again is somebody new."""
    person.external_id, person.email, person.is_active = None, None, False
    person.save(update_fields=["external_id", "email", "is_active"])
    with erasing(person.pk):
        for store in erase_stores.STORES:
            if store.at_once:
                while counts := +store.delete(person.pk, erase_stores.PIECE):
                    _add(receipt, counts)
    receipt.save(update_fields=["erased"])


def work_off(receipt_id: UUID) -> None:
    """Does what is left of it, in short transactions, and looks whether anything is left. Twice does no more."""
    _leave_grants(receipt_id)
    while _step(receipt_id):
        pass


def _leave_grants(receipt_id: UUID) -> None:
    """In transactions of the persons whom they are about, one after the other: two locks at once could deadlock."""
    person_id, counted = Receipt.objects.values_list("person_id", "counted").get(pk=receipt_id)
    leave_grants(person_id)
    if AS_STAFF in counted:
        with writing_for(person_id):
            receipt = Receipt.objects.select_for_update().get(pk=receipt_id)
            # By what is left: an interrupted run has not said how many it left.
            receipt.erased[AS_STAFF] = counted[AS_STAFF] - grants_as_staff(person_id).total()
            receipt.save(update_fields=["erased"])


def running() -> list[UUID]:
    """Receipts of what is not done yet, oldest first."""
    return list(Receipt.objects.filter(done_at=None).order_by("requested_at").values_list("pk", flat=True))


def _step(receipt_id: UUID) -> bool:
    """One transaction of it. False when it is done."""
    person_id = Receipt.objects.values_list("person_id", flat=True).get(pk=receipt_id)
    with writing_for(person_id) as now:
        receipt = Receipt.objects.select_for_update().get(pk=receipt_id)
        if receipt.done_at is not None:
            return False
        with erasing(person_id):
            if not User.objects.filter(pk=person_id).exists():
                return _finish(receipt, now)
            if counts := _some(person_id):
                _add(receipt, counts)
            else:
                _delete_person(receipt)
        receipt.save(update_fields=["erased"])
        return True


def _some(person_id: UUID) -> dict[str, int]:
    for store in erase_stores.STORES:
        if counts := +store.delete(person_id, erase_stores.PIECE):
            return counts
    return {}


def _delete_person(receipt: Receipt) -> None:
    """With the row locked nobody can add to it: whoever tries waits for us, and is then refused by its foreign key."""
    person_id = receipt.person_id
    with connection.cursor() as cursor:
        cursor.execute("select from accounts_user where id = %s for update", [person_id])
    while counts := _some(person_id):
        _add(receipt, counts)
    _add(receipt, erase_stores.PERSON.delete(person_id, 1))


def _finish(receipt: Receipt, now: datetime) -> bool:
    """Looks in a transaction of its own, after the last deletion was committed. What is found there is not done."""
    receipt.verified_left = erase_stores.left(receipt.person_id)
    if still := sorted(name for name, count in receipt.verified_left.items() if count):
        log.error("An erased person is still named in: %s.", ", ".join(still))
    else:
        receipt.done_at = now
        receipt.backups_until = now + timedelta(days=settings.MEMORY_BACKUP_DAYS)
        actor = Actor("system", person_id=receipt.person_id)
        audit.record("person_erased", "receipt", receipt.pk, actor=actor, at=now)
    receipt.save(update_fields=["verified_left", "done_at", "backups_until"])
    return False


def _add(receipt: Receipt, counts: dict[str, int]) -> None:
    for name, count in counts.items():
        receipt.erased[name] = receipt.erased.get(name, 0) + count
