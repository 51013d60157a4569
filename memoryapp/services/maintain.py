"""What time does to the store, run once a day: memories go stale, partitions come, what has had its time goes."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID

from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from accounts.actors import Actor
from memoryapp.database.isolation import wide_access
from memoryapp.models import Confirmation, IdempotencyRecord, Memory
from memoryapp.models.memory import State
from memoryapp.services import audit
from memoryapp.services.audit_retention import drop_old_events
from memoryapp.services.erase import erase_trash
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.erase_replay import replay_ledger
from memoryapp.services.errors import NotFound
from memoryapp.services.idempotency import KEPT
from memoryapp.services.leaks import watch_leaks
from memoryapp.services.links import forget_links
from memoryapp.services.retention_rounds import keep_to_limits
from memoryapp.services.trace_retention import drop_old_traces
from memoryapp.services.uploads import let_go_old
from memoryapp.services.writing import amend, writer_for

_TURN_STALE = ("fact", "decision")
"""Preferences and identifiers do not turn stale."""

MONTHS_AHEAD = 12


def maintain(now: datetime | None = None) -> None:
    """All of it. Running it twice, or on two machines at once, does no more than once."""
    now = now or datetime.now(UTC)
    forget_responses(now)
    forget_links(now)
    forget_sessions(now)
    let_go_old(now)
    create_partitions(now)
    replay_ledger()
    work_now()
    drop_old_traces(now)
    drop_old_events(now)
    mark_stale(now)
    keep_to_limits(now)
    erase_trash(now)
    watch_leaks(now)


def create_partitions(now: datetime) -> None:
    """A partition of traces for this month and the twelve after it."""
    with connection.cursor() as cursor:
        cursor.execute(
            "select create_trace_partition((date_trunc('month', %s::timestamptz at time zone 'UTC')"
            " + ahead * interval '1 month')::date) from generate_series(0, %s) ahead",
            [now, MONTHS_AHEAD],
        )


def forget_responses(now: datetime) -> None:
    """Responses kept for retries go after 24 hours."""
    with wide_access("retention"):
        IdempotencyRecord.objects.filter(created_at__lt=now - KEPT).delete()


def forget_sessions(now: datetime) -> None:
    """Sessions past their end, the list entries of sessions that are no more, and counts of past attempts."""
    Session.objects.filter(expire_date__lt=now).delete()
    UserSession.objects.exclude(session_key__in=Session.objects.values("session_key")).delete()
    with connection.cursor() as cursor:
        cursor.execute("delete from accounts_attempts where expires < %s", [now])


def mark_stale(now: datetime) -> None:
    """Facts and decisions that nobody confirmed or used for MEMORY_STALE_AFTER_DAYS are kept, not sent, asked about.

    What counts is when a confirmation was recorded, not when it was said.
    """
    since = now - timedelta(days=settings.MEMORY_STALE_AFTER_DAYS)
    with wide_access("stale"):
        persons = set(_unheard_of(since).values_list("person_id", flat=True))
    for person_id in sorted(persons):
        _mark_stale_of(person_id, since)


def _unheard_of(since: datetime) -> QuerySet[Memory]:
    confirmed = Confirmation.objects.filter(version=OuterRef("statement"), recorded_at__gte=since)
    return Memory.objects.filter(
        ~Exists(confirmed),
        Q(last_used_at__isnull=True) | Q(last_used_at__lt=since),
        state=State.CURRENT,
        kind__in=_TURN_STALE,
    )


def _mark_stale_of(person_id: UUID, since: datetime) -> None:
    with suppress(NotFound), writer_for(Actor("system", person_id=person_id)) as writer:
        for memory in _unheard_of(since).filter(person_id=person_id).select_related("scope"):
            memory.state, memory.state_by = State.STALE, "system"
            amend(memory, writer)
            audit.record("turn_stale", "memory", memory.pk, actor=writer.actor, at=writer.now)
