"""Grants: a staff member asks, the person or a colleague answers where it is theirs to, and each of them may end it."""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Q

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for, erasing, wide_access, without_content
from memoryapp.models import Grant
from memoryapp.models.access import LONGEST_GRANT_MINUTES
from memoryapp.policy.types import PERSONAL
from memoryapp.services import audit
from memoryapp.services.errors import Conflict, Invalid, NotFound
from memoryapp.services.grant_view import GrantView, grant_view, purpose, state_of
from memoryapp.services.locking import writing_for
from memoryapp.services.masked import masked_trace, session_of
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.staff import Staff

TICKET = re.compile(r"[A-Za-z0-9][A-Za-z0-9#._/-]{0,39}", re.ASCII)
"""The name of a ticket, and no words about anybody."""

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a staff member asks for. `is_alone`: an emergency that does not wait for a colleague."""

    reason: str
    ticket: str
    reach: str
    scopes: tuple[str, ...]
    minutes: int
    is_alone: bool = False

    @property
    def is_emergency(self) -> bool:
        return self.reason == Grant.Reason.EMERGENCY

    @property
    def waits_for(self) -> Grant.WaitsFor | None:
        """Whose word it needs before it starts."""
        if self.is_emergency:
            return None if self.is_alone else Grant.WaitsFor.SECOND
        return Grant.WaitsFor.PERSON if settings.MEMORY_SUPPORT_APPROVAL else None


def ask_grant(grant_id: UUID, trace_id: UUID, wanted: Wanted, *, staff: Staff) -> GrantView:
    """Opens a grant around a trace, or asks for it where it needs a word. The same id again is the same grant.

    NotFound for an unknown trace; Invalid, by field; Conflict `own_memory` for one's own.
    """
    owner = trace_owner(trace_id)
    if owner is None or not staff.is_support:
        raise NotFound
    if owner == staff.id:
        raise Conflict("own_memory", "This is your own memory: look at it on your own page.")
    with writing_for(owner) as now:
        known = Grant.objects.filter(pk=grant_id).first()
        if known is not None:
            return grant_view(_of(known, staff), now)
        with without_content():
            trace = masked_trace(trace_id)
        _check(wanted, {*trace.scopes, PERSONAL})
        grant = Grant(
            id=grant_id,
            person_id=owner,
            staff_id=staff.id,
            trace_id=trace_id,
            session=session_of(trace),
            reason=wanted.reason,
            ticket=wanted.ticket,
            reach=wanted.reach,
            scopes=list(wanted.scopes),
            minutes=wanted.minutes,
            waits_for=wanted.waits_for,
            asked_at=now,
        )
        verb = "ask_grant"
        if grant.waits_for is None:
            verb = "break_glass" if grant.is_emergency else "open_grant"
            _start(grant, now)
        grant.save(force_insert=True)
        audit.record(verb, "grant", grant.pk, actor=staff.about(owner), at=now, reason=purpose(grant))
        return grant_view(grant, now)


def _check(wanted: Wanted, scopes: set[str]) -> None:
    if wanted.reason not in Grant.Reason:
        raise Invalid("reason", "Choose why.")
    if not TICKET.fullmatch(wanted.ticket) and (wanted.ticket or not wanted.is_emergency):
        raise Invalid("ticket", "Name the ticket: letters, digits and # . _ / -, 40 at most.")
    if wanted.reach not in Grant.Reach:
        raise Invalid("reach", "Choose how much.")
    if not wanted.scopes or not scopes.issuperset(wanted.scopes):
        raise Invalid("scopes", "Choose at least one scope.")
    if not 1 <= wanted.minutes <= LONGEST_GRANT_MINUTES:
        raise Invalid("minutes", "From 1 to 60 minutes.")


def _start(grant: Grant, now: datetime) -> None:
    grant.waits_for = None
    grant.starts_at, grant.ends_at = now, now + timedelta(minutes=grant.minutes)


def second_grant(grant_id: UUID, *, staff: Staff) -> GrantView:
    """A second staff member confirms an emergency, which starts. Conflict `not_waiting` when it does not wait."""
    with _writing(grant_id) as (grant, now):
        if grant.staff_id == staff.id:
            raise NotFound
        _require_waiting(grant, Grant.WaitsFor.SECOND, now)
        grant.second_id = staff.id
        _start(grant, now)
        grant.save(update_fields=["second", "waits_for", "starts_at", "ends_at"])
        actor = staff.about(grant.person_id)
        audit.record("second_grant", "grant", grant.pk, actor=actor, at=now, reason=purpose(grant))
        return grant_view(grant, now)


def answer_grant(grant_id: UUID, *, allow: bool, actor: Actor) -> GrantView:
    """The person lets support look, or does not. NotFound for another's; Conflict `not_waiting`."""
    with writing_as_person(actor) as writer:
        grant = _visible(grant_id, actor)
        _require_waiting(grant, Grant.WaitsFor.PERSON, writer.now)
        if allow:
            _start(grant, writer.now)
        else:
            grant.ended_at, grant.ended_by = writer.now, Grant.EndedBy.PERSON
        grant.save(update_fields=["waits_for", "starts_at", "ends_at", "ended_at", "ended_by"])
        verb = "allow_grant" if allow else "refuse_grant"
        audit.record(verb, "grant", grant.pk, actor=actor, at=writer.now, reason=purpose(grant))
        return grant_view(grant, writer.now)


def end_grant(grant_id: UUID, *, by: Actor | Staff) -> GrantView:
    """Ends it at once, by the person or by the staff member who has it. Over or ended already, it stays so."""
    if isinstance(by, Staff):
        with _writing(grant_id) as (grant, now):
            return _end(_of(grant, by), Grant.EndedBy.STAFF, by.about(grant.person_id), now)
    with writing_as_person(by) as writer:
        return _end(_visible(grant_id, by), Grant.EndedBy.PERSON, by, writer.now)


def _end(grant: Grant, by: Grant.EndedBy, actor: Actor, now: datetime) -> GrantView:
    if state_of(grant, now) in ("running", "waiting"):
        grant.ended_at, grant.ended_by = now, by
        grant.save(update_fields=["ended_at", "ended_by"])
        audit.record("end_grant", "grant", grant.pk, actor=actor, at=now, reason=purpose(grant))
    return grant_view(grant, now)


def open_to_person(*, actor: Actor) -> tuple[GrantView, ...]:
    """What runs, and what waits for the person's word or a colleague's, earliest first."""
    now = datetime.now(UTC)
    with acting_for(actor.opened):
        rows = Grant.objects.visible_to(actor).filter(ended_at=None).order_by("-asked_at")[:_SHOWN]
        views = [grant_view(row, now) for row in rows]
    return tuple(view for view in reversed(views) if view.state in ("running", "waiting"))


def grants_at_desk(*, staff: Staff) -> tuple[tuple[GrantView, ...], tuple[GrantView, ...]]:
    """The staff member's own latest grants, and those of colleagues that wait for a second one."""
    now = datetime.now(UTC)
    with wide_access("staff_grants"):
        own = list(Grant.objects.filter(staff_id=staff.id).order_by("-asked_at")[:_SHOWN])
        waiting = Grant.objects.filter(waits_for=Grant.WaitsFor.SECOND, ended_at=None).exclude(staff_id=staff.id)
        others = [grant_view(row, now) for row in waiting.order_by("asked_at")]
    return (
        tuple(grant_view(row, now) for row in own),
        tuple(view for view in others if view.is_waiting)[:_SHOWN],
    )


def own_grant(grant_id: UUID, *, staff: Staff) -> tuple[Grant, UUID]:
    """The staff member's grant and whose memory it is about, whatever its state. NotFound for a colleague's."""
    owner = _grant_owner(grant_id)
    if owner is None:
        raise NotFound
    with acting_for(owner):
        return _of(Grant.objects.get(pk=grant_id), staff), owner


def grants_as_staff(user_id: UUID) -> Counter[UUID]:
    """How many grants this account had, or seconded, as staff, by the persons whom they are about and shown to."""
    with wide_access("staff_past"):
        rows = Grant.objects.filter(Q(staff_id=user_id) | Q(second_id=user_id))
        return Counter(rows.values_list("person_id", flat=True))


def leave_grants(user_id: UUID) -> None:
    """Takes an account that is erased off the grants that it had as staff; they stay, as those of staff."""
    for person_id in sorted(grants_as_staff(user_id)):
        with writing_for(person_id) as now, erasing(user_id):
            for grant in Grant.objects.filter(Q(staff_id=user_id) | Q(second_id=user_id)):
                if grant.staff_id == user_id and state_of(grant, now) in ("running", "waiting"):
                    grant.ended_at, grant.ended_by = now, Grant.EndedBy.STAFF
                grant.staff_id = None if grant.staff_id == user_id else grant.staff_id
                grant.second_id = None if grant.second_id == user_id else grant.second_id
                grant.save(update_fields=["staff", "second", "ended_at", "ended_by"])


def require_running(grant: Grant, now: datetime) -> None:
    """Conflict `grant_over` unless it runs."""
    if state_of(grant, now) != "running":
        raise Conflict("grant_over", "The grant does not run any more.")


def trace_owner(trace_id: UUID) -> UUID | None:
    return _owner("trace_owner", trace_id)


def _grant_owner(grant_id: UUID) -> UUID | None:
    return _owner("grant_owner", grant_id)


def _owner(function: str, object_id: UUID) -> UUID | None:
    """None too for whoever is being erased."""
    with connection.cursor() as cursor:
        cursor.execute(f"select id from accounts_user where id = (select {function}(%s)) and is_active", [object_id])
        row = cursor.fetchone()
    return row[0] if row else None


@contextmanager
def _writing(grant_id: UUID) -> Iterator[tuple[Grant, datetime]]:
    """The grant in a write transaction of its person. NotFound when there is none."""
    owner = _grant_owner(grant_id)
    if owner is None:
        raise NotFound
    with writing_for(owner) as now:
        yield Grant.objects.get(pk=grant_id), now


def _visible(grant_id: UUID, actor: Actor) -> Grant:
    grant: Grant | None = Grant.objects.visible_to(actor).filter(pk=grant_id).first()
    if grant is None:
        raise NotFound
    return grant


def _of(grant: Grant, staff: Staff) -> Grant:
    if grant.staff_id != staff.id:
        raise NotFound
    return grant


def _require_waiting(grant: Grant, whom: Grant.WaitsFor, now: datetime) -> None:
    if grant.waits_for != whom or state_of(grant, now) != "waiting":
        raise Conflict("not_waiting", "This does not wait for an answer any more.")
