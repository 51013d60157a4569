"""How long retrievals are kept: whole months, dropped as partitions, with the answers that were given with them."""

import logging
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime
from uuid import UUID

from django.conf import settings
from django.db import OperationalError, connection, transaction

from accounts.actors import Actor
from memoryapp.database.isolation import SYSTEM, erasing, wide_access
from memoryapp.models import Answer, RetrievalTrace
from memoryapp.services import audit
from memoryapp.services.locking import writing_for

log = logging.getLogger(__name__)

_PARTITION = re.compile(r"memoryapp_retrievaltrace_(\d{4})_(\d{2})")
_PATIENCE = "5s"
"""Dropping a partition waits for the retrievals under way, and those that come wait for it: not for long."""


def kept_until(asked_at: datetime) -> datetime:
    """The instant from which a retrieval of that time is dropped: its month's end and the months of the setting."""
    month = asked_at.astimezone(UTC).date()
    return start_of(months_later(month, settings.MEMORY_TRACE_MONTHS + 1))


def drop_old_traces(now: datetime) -> list[str]:
    """Drops the partitions whose time has come and deletes the answers joined to them. Returns their months.

    A partition that is busy stays until the next day. Each month that goes is an event in the audit.
    """
    oldest = months_later(now.astimezone(UTC).date(), -settings.MEMORY_TRACE_MONTHS)
    dropped = []
    for month, name in _partitions():
        if month < oldest and _drop(name):
            dropped.append(f"{month:%Y-%m}")
    _forget_before(start_of(oldest))
    for label in dropped:
        with writing_for(SYSTEM) as at:
            audit.record("drop_traces", "trace", None, actor=Actor("system"), at=at, reason=label)
    return dropped


def _partitions() -> Iterator[tuple[date, str]]:
    """The monthly ones, earliest first."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select child.relname from pg_inherits join pg_class child on child.oid = inhrelid"
            " where inhparent = 'memoryapp_retrievaltrace'::regclass order by child.relname"
        )
        names = [name for (name,) in cursor.fetchall()]
    for name in names:
        if match := _PARTITION.fullmatch(name):
            yield date(int(match[1]), int(match[2]), 1), name


def _drop(name: str) -> bool:
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("select set_config('lock_timeout', %s, true)", [_PATIENCE])
            # The name is one that `_PARTITION` allows.
            cursor.execute(f"drop table {name}")
    except OperationalError:
        log.warning("the partition %s is busy; it goes the next time", name)
        return False
    return True


def _forget_before(start: datetime) -> None:
    """Answers to what has gone, and retrievals of months that never had a partition: row by row, for each person."""
    before = UUID(int=int(start.timestamp() * 1000) << 80)
    with wide_access("trace_retention"):
        persons = set(Answer.objects.filter(trace_id__lt=before).values_list("person_id", flat=True).distinct())
        persons |= set(
            RetrievalTrace.objects.filter(created_at__lt=start).values_list("person_id", flat=True).distinct()
        )
    for person_id in sorted(persons):
        with writing_for(person_id), erasing(person_id):
            Answer.objects.filter(person_id=person_id, trace_id__lt=before).delete()
            RetrievalTrace.objects.filter(person_id=person_id, created_at__lt=start).delete()


def months_later(day: date, months: int) -> date:
    """The first day of the month that many months on."""
    years, month = divmod(day.month - 1 + months, 12)
    return date(day.year + years, month + 1, 1)


def start_of(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
