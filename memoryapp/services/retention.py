"""How long things are kept: the service's limits, and the shorter ones that a person chose for theirs."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db.models import QuerySet

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision, Episode, Memory, Retention, RetrievalTrace
from memoryapp.models.memory import State
from memoryapp.services import audit
from memoryapp.services.errors import Conflict, Invalid
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.trace_retention import kept_until as trace_kept_until

KINDS = ("preference", "fact", "decision", "identifier")
MESSAGES, REFUSED, ANSWERS, TRASH = "messages", "refused", "answers", "trash"
WHATS = (*KINDS, MESSAGES, REFUSED, ANSWERS, TRASH)
CHOICES = (1, 7, 14, 30, 90, 180, 365, 730, 1_825)
"""Days that a person may choose from."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What holds for one thing. `most` days the service keeps it, `chosen` days the person wants it; None: no end.

    `answers` the service keeps by whole months; its `most` is the longest that comes of it.
    """

    what: str
    most: int | None
    chosen: int | None = None

    @property
    def days(self) -> int | None:
        """A choice never makes it longer."""
        return min((days for days in (self.most, self.chosen) if days is not None), default=None)

    @property
    def choices(self) -> tuple[int, ...]:
        from_a_month = self.what in KINDS or self.what == MESSAGES
        return tuple(
            days for days in CHOICES if (self.most is None or days < self.most) and (days >= 30 or not from_a_month)
        )

    def ends(self, since: datetime) -> datetime | None:
        """The instant from which what began then is not kept any more."""
        if self.what == ANSWERS:
            end = trace_kept_until(since)
            return min(end, since + timedelta(days=self.chosen)) if self.chosen is not None else end
        return since + timedelta(days=self.days) if self.days is not None else None


def service_limit(what: str) -> int | None:
    """Days at most, whatever anybody chooses; None: no end."""
    if what == TRASH:
        return settings.MEMORY_TRASH_DAYS
    if what == ANSWERS:
        return (settings.MEMORY_TRACE_MONTHS + 1) * 31
    return settings.MEMORY_KEPT_DAYS[what] or None


def limits(person_id: UUID) -> Mapping[str, Limit]:
    """What holds for this person, in the order of `WHATS`, while they are open. One read."""
    chosen = dict(Retention.objects.filter(person_id=person_id).values_list("what", "days"))
    return {what: Limit(what, service_limit(what), chosen.get(what)) for what in WHATS}


def read_limits(*, actor: Actor) -> tuple[Limit, ...]:
    with acting_for(actor.opened):
        return tuple(limits(actor.opened).values())


def trash_time(person_id: UUID) -> timedelta:
    """How long what this person forgets can be restored, while they are open."""
    return timedelta(days=limits(person_id)[TRASH].days or 0)


def began(memory: Memory) -> datetime:
    """From when a memory's time counts: when it was last said or confirmed, or written where that was later."""
    return max(memory.confirmed_at, memory.created_at)


def count_past(what: str, days: int | None, *, actor: Actor, now: datetime) -> int:
    """How much of it would have had its time, if it were kept for so many days; None: as the service does."""
    with acting_for(actor.opened):
        limit = _limit(what, days)
        return past(limit, now).filter(person_id=actor.opened).count() if limit.days is not None else 0


def past(limit: Limit, now: datetime) -> QuerySet[Any]:
    """The rows of whoever is open that have had their time: memories of a kind, messages, refused proposals,
    retrievals, or the trash.
    """
    before = now - timedelta(days=limit.days or 0)
    if limit.what in KINDS:
        memories = Memory.objects.filter(kind=limit.what, confirmed_at__lte=before, created_at__lte=before)
        return memories.exclude(state=State.FORGOTTEN)
    if limit.what == MESSAGES:
        return Episode.objects.filter(recorded_at__lte=before)
    if limit.what == REFUSED:
        return Decision.objects.filter(action="rejected", recorded_at__lte=before)
    if limit.what == ANSWERS:
        return RetrievalTrace.objects.filter(created_at__lte=before)
    return Memory.objects.filter(state=State.FORGOTTEN, forgotten_at__lte=before)


def choose(what: str, days: int | None, *, expected_count: int, actor: Actor) -> Limit:
    """The person wants it kept for so many days, or as long as the service does. It counts for what is there already.

    `expected_count` is how much has had its time then: Conflict `count_changed` when it is another number, and nothing
    is changed. Invalid for what cannot be chosen. What has had its time goes with `keep_to_limits`.
    """
    limit = _limit(what, None)
    if days is not None and days not in limit.choices:
        raise Invalid("days", "Choose one of the times that are offered.")
    with writing_as_person(actor) as writer:
        if count_past(what, days, actor=actor, now=writer.now) != expected_count:
            raise Conflict("count_changed", "There is more or less of it now than you were shown.")
        rows = Retention.objects.filter(person_id=actor.opened, what=what)
        if days is None:
            changed = rows.delete()[0]
        else:
            changed = 0 if rows.filter(days=days).exists() else 1
            Retention.objects.update_or_create(person_id=actor.opened, what=what, defaults={"days": days})
        if changed:
            reason = f"{what} {days if days is not None else 'service'}"
            audit.record("set_retention", "person", actor.opened, actor=actor, at=writer.now, reason=reason)
    return _limit(what, days)


def _limit(what: str, days: int | None) -> Limit:
    if what not in WHATS:
        raise Invalid("what", "There is no such choice.")
    return Limit(what, service_limit(what), days)
