"""A grant as it is shown, to the person and at the desk."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

from memoryapp.models import Grant

LAPSES_AFTER = timedelta(hours=24)
"""A grant that nobody has answered by then is asked for again or not at all."""

GrantState = Literal["waiting", "lapsed", "running", "over", "ended"]
"""It has not started; it never did; it runs; its time is over; somebody ended it."""


@dataclass(frozen=True, slots=True)
class GrantView:
    """A grant at one instant. `seconds_left` counts while it runs, else 0. `staff_id` is for the desk alone."""

    id: UUID
    staff_id: UUID | None
    trace_id: UUID
    session: str | None
    reason: str
    ticket: str
    reach: str
    scopes: tuple[str, ...]
    minutes: int
    waits_for: str | None
    asked_at: datetime
    starts_at: datetime | None
    ends_at: datetime | None
    ended_at: datetime | None
    ended_by: str | None
    is_emergency: bool
    is_flagged: bool
    state: GrantState
    seconds_left: int

    @property
    def is_running(self) -> bool:
        return self.state == "running"

    @property
    def is_waiting(self) -> bool:
        return self.state == "waiting"

    @property
    def reaches_conversation(self) -> bool:
        return self.reach != Grant.Reach.ANSWER


_SAME_NAME = [
    name for name in GrantView.__dataclass_fields__ if name not in ("scopes", "state", "seconds_left")
]  # fmt: skip


def state_of(grant: Grant, now: datetime) -> GrantState:
    if grant.ended_at is not None:
        return "ended"
    if grant.ends_at is None:
        return "waiting" if now < grant.asked_at + LAPSES_AFTER else "lapsed"
    return "running" if now < grant.ends_at else "over"


def grant_view(grant: Grant, now: datetime) -> GrantView:
    state = state_of(grant, now)
    left = grant.ends_at - now if grant.ends_at and state == "running" else timedelta()
    return GrantView(
        **{name: getattr(grant, name) for name in _SAME_NAME},
        scopes=tuple(grant.scopes),
        state=state,
        seconds_left=max(0, int(left.total_seconds())),
    )


def purpose(grant: Grant) -> str:
    """What the audit says as the reason: the reason code, and the ticket where there is one."""
    return f"{grant.reason} {grant.ticket}".strip()
