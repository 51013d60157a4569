"""What a person's filters match among their memories."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Literal

from django.db.models import BooleanField, Case, CharField, F, Func, Q, QuerySet, Value, When
from django.db.models.expressions import Combinable

from accounts.actors import Actor
from memoryapp.models import Memory
from memoryapp.models.memory import State

Sort = Literal["said", "written", "used", "most"]
Use = Literal["used", "never"]
USED_LATELY = timedelta(days=30)
_MOST_WORDS = 20

ORIGINS = ("stated", "inferred", "corrected", "imported")
LISTED_STATUSES = ("current", "pending", "paused", "stale", "expired", "disputed")
"""What is listed unless a status is named: everything but what holds no longer, which is `closed`."""
STATUSES = (*LISTED_STATUSES, "closed")
"""A disputed one is that first of all, however it is stored: it is sent to nobody and waits for the person."""


@dataclass(frozen=True, slots=True)
class PageFilters:
    """What the list is narrowed to; None means not at all.

    `q`: every word of it occurs in the text, the subject, an alias or the source, in any letters. `use`: `used`
    in the last 30 days or `never`. `since`: written at that instant or later. `new`: since the last visit.
    """

    q: str = ""
    scope: str | None = None
    kind: str | None = None
    origin: str | None = None
    status: str | None = None
    use: Use | None = None
    since: datetime | None = None
    new: bool = False
    sort: Sort = "said"

    @property
    def is_narrowed(self) -> bool:
        return replace(self, sort="said", q=self.q.strip()) != PageFilters()


def remembered(actor: Actor, now: datetime) -> QuerySet[Memory]:
    """All of the person's memories, with `status_now`. What was forgotten is in no list."""
    rows: QuerySet[Memory] = Memory.objects.visible_to(actor).exclude(state=State.FORGOTTEN)
    ended = Q(state=State.CURRENT) & (Q(valid_to__lte=now) | Q(expires_at__lte=now))
    is_disputed = Q(disputed=True) & ~Q(state=State.CLOSED)
    status = Case(
        When(is_disputed, then=Value("disputed")),
        When(ended, then=Value("expired")),
        default=F("state"),
        output_field=CharField(),
    )
    return rows.annotate(status_now=status)


def matching(filters: PageFilters, *, actor: Actor, now: datetime, last_visit_at: datetime | None) -> QuerySet[Memory]:
    """The person's memories that the filters let through, with `status_now`."""
    rows = remembered(actor, now).filter(*hits(filters))
    return rows.filter(*(one for one in conditions(filters, now, last_visit_at).values() if one is not None))


def hits(filters: PageFilters) -> list[Combinable]:
    """One condition for each word that is searched for."""
    words = filters.q.replace("\0", "").split()[:_MOST_WORDS]
    return [_Occurs(Value(word)) for word in dict.fromkeys(words)]


def conditions(filters: PageFilters, now: datetime, last_visit_at: datetime | None) -> dict[str, Q | None]:
    """One condition per filter other than the search, None where it is not set."""
    use = {"used": used_lately(now), "never": Q(use_count=0)}
    return {
        "scope": Q(scope__name=filters.scope) if filters.scope is not None else None,
        "kind": Q(kind=filters.kind) if filters.kind is not None else None,
        "origin": Q(origin=filters.origin) if filters.origin is not None else None,
        "status": Q(status_now=filters.status) if filters.status is not None else Q(status_now__in=LISTED_STATUSES),
        "use": use[filters.use] if filters.use is not None else None,
        "since": Q(created_at__gte=filters.since) if filters.since is not None else None,
        "new": is_new(last_visit_at) if filters.new else None,
    }


def used_lately(now: datetime) -> Q:
    return Q(last_used_at__gte=now - USED_LATELY)


def is_new(last_visit_at: datetime | None) -> Q:
    """On the first visit nothing is new: everything would be."""
    return Q(created_at__gt=last_visit_at) if last_visit_at else Q(pk__in=[])


class _Occurs(Func):
    """Whether a word occurs in what `find_text` holds; both are folded by the database's one function.

    As a query of its own the word is folded once; a prepared statement would do it for every row.
    """

    template = "(position((select findable(array[%(expressions)s]::text[])) in memoryapp_memory.find_text) > 0)"
    output_field = BooleanField()
    conditional = True
