"""What has had its time goes: memories to the trash, messages, refused proposals and retrievals for good, and the trash
is emptied.
"""

from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from django.db.models import QuerySet

from accounts.actors import Actor
from memoryapp.database.isolation import erasing, wide_access
from memoryapp.models import Answer, Memory, Retention, RetrievalTrace
from memoryapp.services import audit
from memoryapp.services.erase import erase_trash
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import take_out
from memoryapp.services.retention import ANSWERS, KINDS, MESSAGES, REFUSED, Limit, limits, past, service_limit
from memoryapp.services.writing import Writer, writer_for

_AT_ONCE = 200
"""So many rows of a person go in one transaction."""


def keep_to_limits(now: datetime) -> None:
    """Of everybody. A pin does not keep a memory longer: agents may pin, and a limit that a pin lifts is none."""
    with wide_access("kept_for"):
        persons = set(Retention.objects.values_list("person_id", flat=True).distinct())
        for limit in (Limit(what, service_limit(what)) for what in (*KINDS, MESSAGES, REFUSED)):
            if limit.days is not None:
                persons |= set(past(limit, now).values_list("person_id", flat=True).distinct())
    for person_id in sorted(persons):
        keep_to_limits_of(person_id, now)


def keep_to_limits_of(person_id: UUID, now: datetime) -> None:
    """Of one person, in pieces, so that nobody waits for long."""
    # Whoever is being erased has nothing left to go.
    with suppress(NotFound):
        while _some_go(person_id, now):
            pass
    erase_trash(now, person_id=person_id)


def _some_go(person_id: UUID, now: datetime) -> bool:
    with writer_for(Actor("system", person_id=person_id)) as writer:
        writer = replace(writer, now=max(writer.now, now))
        in_force = limits(person_id)
        return any(
            [
                *(_forget(in_force[kind], writer, now) for kind in KINDS),
                _delete(in_force[MESSAGES], writer, now),
                _delete(in_force[REFUSED], writer, now),
                # By months the partitions go; row by row only what the person wants kept shorter.
                in_force[ANSWERS].chosen is not None and _delete(in_force[ANSWERS], writer, now),
            ]
        )


def _forget(limit: Limit, writer: Writer, now: datetime) -> bool:
    if limit.days is None:
        return False
    old = past(limit, now).filter(person_id=writer.person.pk).order_by("pk")
    rows: QuerySet[Memory] = Memory.objects.filter(pk__in=old[:_AT_ONCE])
    memories = list(rows.select_related("scope"))
    for memory in memories:
        take_out(memory, writer)
        audit.record("forget", "memory", memory.pk, actor=writer.actor, at=writer.now, reason="allow retention")
    return bool(memories)


def _delete(limit: Limit, writer: Writer, now: datetime) -> bool:
    """Messages, or refused proposals; or retrievals, with the answers given with them."""
    if limit.days is None:
        return False
    person_id = writer.person.pk
    old = past(limit, now).filter(person_id=person_id)
    with erasing(person_id):
        if limit.what != ANSWERS:
            ids = list(old.values_list("pk", flat=True)[:_AT_ONCE])
            return bool(old.filter(pk__in=ids).delete()[0])
        oldest = old.order_by("created_at").values_list("created_at", flat=True)
        if not (some := list(oldest[:_AT_ONCE])):
            return False
        # Ids begin with their time, to the millisecond.
        first_kept = UUID(int=round(some[-1].timestamp() * 1000) + 1 << 80)
        Answer.objects.filter(person_id=person_id, trace_id__lt=first_kept).delete()
        RetrievalTrace.objects.filter(person_id=person_id, created_at__lte=some[-1]).delete()
        return True
