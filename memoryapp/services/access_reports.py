"""What persons have put to the supervisors: an access that they question, beside what the audit says of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memoryapp.database.isolation import wide_access
from memoryapp.models import AuditEvent, Report
from memoryapp.services.errors import NotFound
from memoryapp.services.report_view import ReportView, report_view
from memoryapp.services.reports import move_report, owner_of
from memoryapp.services.staff import Staff
from memoryapp.services.staff_audit import Access, access_of

_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Questioned:
    """A report about an access, and that access; None where an agent's retrieval is what is questioned."""

    report: ReportView
    access: Access | None
    by: str
    at: datetime


def questioned(*, staff: Staff) -> tuple[Questioned, ...]:
    """The reports that are not closed, earliest first, then the latest closed ones. NotFound but for supervisors."""
    if not staff.is_supervisor:
        raise NotFound
    with wide_access("staff_reports"):
        rows = Report.objects.filter(about=Report.About.ACCESS)
        unsettled = list(rows.exclude(state=Report.State.CLOSED).order_by("opened_at", "id")[:_SHOWN])
        settled = list(rows.filter(state=Report.State.CLOSED).order_by("-opened_at", "-id")[:20])
        ids = [row.event_id for row in (*unsettled, *settled) if row.event_id]
        events = {event.pk: event for event in AuditEvent.objects.filter(pk__in=ids)}
    accesses = access_of(events.values())
    return tuple(
        Questioned(
            report=report_view(row),
            access=accesses.get(row.event_id) if row.event_id else None,
            by=events[row.event_id].actor_kind if row.event_id in events else "agent",
            at=row.opened_at,
        )
        for row in (*unsettled, *settled)
    )


def settle(reference: str, to: Literal["taken", "closed"], *, staff: Staff) -> None:
    """A supervisor looks into it, or has. NotFound for others and for what is no report about an access."""
    owner = owner_of(reference)
    found = next((one for one in questioned(staff=staff) if one.report.reference == reference), None)
    if owner is None or found is None:
        raise NotFound
    move_report(found.report.id, to, actor=staff.about(owner))
