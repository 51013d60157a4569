"""A report as it is shown: its reference, what it is about and how far it has come."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memoryapp.models import Report


@dataclass(frozen=True, slots=True)
class ReportView:
    """`about` is answer or access; `wrong` untrue, unwanted, missing or other, of an answer; `state` since `state_at`
    open, taken or closed.
    """

    id: UUID
    reference: str
    about: str
    trace_id: UUID | None
    event_id: UUID | None
    wrong: str | None
    state: str
    opened_at: datetime
    state_at: datetime


def report_view(row: Report) -> ReportView:
    return ReportView(**{name: getattr(row, name) for name in ReportView.__dataclass_fields__})
