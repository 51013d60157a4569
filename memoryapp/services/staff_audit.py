"""What staff did, for supervisors: every access with its purpose, to filter and to export, and whether chains hold."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.models import User
from memoryapp.database.isolation import SYSTEM, wide_access
from memoryapp.models import AuditEvent
from memoryapp.services import audit
from memoryapp.services.locking import writing_for
from memoryapp.services.paging import decode_cursor, decode_id, encode_cursor
from memoryapp.services.staff import Staff

Sort = Literal["all", "grants", "views", "proposals", "emergencies", "reports"]

MOST_EXPORTED = 10_000
_SORTS = {
    "grants": Q(object_type="grant"),
    "views": Q(verb__startswith="view") | Q(verb="export_case"),
    "proposals": Q(verb__in=("propose_correction", "propose_forgetting", "act_by_consent", "withdraw_proposal")),
    "emergencies": Q(reason__contains="emergency"),
    "reports": Q(object_type="report"),
}


@dataclass(frozen=True, slots=True)
class Filters:
    """Which accesses: of one sort, by one staff member, in one ticket, about one person (both by random id), within
    [since, until)."""

    sort: Sort = "all"
    staff_id: UUID | None = None
    person_id: UUID | None = None
    ticket: str | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Access:
    """One thing that a staff member did. `staff` is the address, for supervisors. `is_flagged`: an emergency that did
    not wait for a colleague."""

    id: UUID
    at: datetime
    staff: str
    staff_id: UUID | None
    verb: str
    object_type: str
    object_id: UUID | None
    reason: str | None
    person_id: UUID
    seq: int

    @property
    def is_flagged(self) -> bool:
        return self.verb == "break_glass"


@dataclass(frozen=True, slots=True)
class Accesses:
    """A page of them, latest first."""

    items: tuple[Access, ...]
    older: str | None


@dataclass(frozen=True, slots=True)
class ChainState:
    """What reading every chain found."""

    chains: int
    events: int
    breaks: tuple[audit.Break, ...]


def accesses(filters: Filters, *, staff: Staff, cursor: str | None = None, limit: int = 50) -> Accesses:
    """A supervisor sees everybody's, others their own. Invalid for a cursor of something else. Two reads."""
    before = decode_id(decode_cursor(cursor, 1)[0]) if cursor else None
    rows = _read(filters, staff, before, limit + 1)
    older = encode_cursor(str(rows[limit - 1].id)) if len(rows) > limit else None
    return Accesses(tuple(rows[:limit]), older)


def export_accesses(filters: Filters, *, staff: Staff) -> tuple[Access, ...]:
    """At most 10,000, latest first. That it was exported is an event of its own."""
    rows = _read(filters, staff, None, MOST_EXPORTED)
    with writing_for(SYSTEM) as now:
        audit.record("export_accesses", "audit", None, actor=staff.about(None), at=now, person_id=SYSTEM)
    return tuple(rows)


def chain_state() -> ChainState:
    """Reads every chain of everybody, which takes a second for some hundred thousand events."""
    return ChainState(*audit.size(), breaks=tuple(audit.verify()))


def _read(filters: Filters, staff: Staff, before: UUID | None, limit: int) -> list[Access]:
    with wide_access("staff_audit"):
        rows = list(_matching(filters, staff, before)[:limit])
    return list(access_of(rows).values())


def access_of(events: Iterable[AuditEvent]) -> dict[UUID, Access]:
    """By the event's id, in the same order. One read."""
    rows = list(events)
    names = _names(row.actor_id for row in rows)
    return {
        row.pk: Access(
            id=row.pk,
            at=row.at,
            staff=names.get(row.actor_id, "") if row.actor_id else "",
            staff_id=row.actor_id,
            verb=row.verb,
            object_type=row.object_type,
            object_id=row.object_id,
            reason=row.reason,
            person_id=row.person_id,
            seq=row.seq,
        )
        for row in rows
    }


def _matching(filters: Filters, staff: Staff, before: UUID | None) -> QuerySet[AuditEvent]:
    rows = AuditEvent.objects.filter(actor_kind="staff").order_by("-id")
    if not staff.is_supervisor:
        rows = rows.filter(actor_id=staff.id)
    if filters.sort in _SORTS:
        rows = rows.filter(_SORTS[filters.sort])
    if filters.staff_id:
        rows = rows.filter(actor_id=filters.staff_id)
    if filters.person_id:
        rows = rows.filter(person_id=filters.person_id)
    if filters.ticket:
        rows = rows.filter(reason__endswith=f" {filters.ticket}")
    if filters.since:
        rows = rows.filter(at__gte=filters.since)
    if filters.until:
        rows = rows.filter(at__lt=filters.until)
    if before:
        rows = rows.filter(id__lt=before)
    return rows


def _names(ids: Iterable[UUID | None]) -> dict[UUID, str]:
    rows = User.objects.filter(pk__in={one for one in ids if one}).values_list("pk", "email", "external_id")
    return {pk: email or external_id or "" for pk, email, external_id in rows}
