"""How long the audit is kept: whole months; a checkpoint stands for what is gone, so that the chain can be checked."""

import logging
from datetime import UTC, datetime
from uuid import UUID

from django.conf import settings

from memoryapp.database.isolation import erasing, wide_access
from memoryapp.models import AuditEvent
from memoryapp.services import audit
from memoryapp.services.locking import writing_for
from memoryapp.services.trace_retention import months_later, start_of

log = logging.getLogger(__name__)


def drop_old_events(now: datetime) -> int:
    """Deletes the events of past months whose time is over, of everybody and of nobody. Returns how many.

    A chain that does not hold keeps its events: they are what shows it. An erased person's go in the same way.
    """
    before = start_of(months_later(now.astimezone(UTC).date(), -settings.MEMORY_AUDIT_MONTHS))
    # Ids begin with their time, and have an index.
    first_kept = UUID(int=int(before.timestamp() * 1000) << 80)
    with wide_access("audit_retention"):
        persons = set(AuditEvent.objects.filter(id__lt=first_kept).values_list("person_id", flat=True).distinct())
    return sum(_drop(person_id, before) for person_id in sorted(persons))


def _drop(person_id: UUID, before: datetime) -> int:
    with writing_for(person_id) as now, erasing(person_id):
        events = AuditEvent.objects.filter(person_id=person_id).order_by("seq")
        # A clock that was set back may have put a later event before an earlier one: what goes is one stretch.
        first_kept = events.filter(at__gte=before).first()
        old = events.filter(seq__lt=first_kept.seq) if first_kept else events
        last = old.last()
        if last is None:
            return 0
        if not audit.holds_until(last):
            log.error("An audit chain does not hold, and is kept as it is: see verify_audit.")
            return 0
        audit.set_checkpoint(last, at=now)
        return old.filter(seq__lte=last.seq).order_by().delete()[0]
