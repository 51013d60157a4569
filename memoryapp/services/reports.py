"""Reports: a person puts an answer to support, or an access to the supervisors; others say how far it has come."""

import re
import secrets
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import connection

from accounts.actors import Actor
from accounts.ids import instant_of
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Report, RetrievalTrace
from memoryapp.services import audit
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.locking import writing_for
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.report_view import ReportView, report_view

Wrong = Literal["untrue", "unwanted", "missing", "other"]

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no letter that is read as another."""
_BETWEEN = re.compile(r"[\s\-–—]")
_PREFIX = re.compile(r"R[\s\-–—]")
_AS_READ = str.maketrans({"O": "0", "I": "1", "L": "1", "U": "V"})


def new_reference() -> str:
    """`R-7K4M-2QXD`: 40 random bits, to be read out on the telephone."""
    letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
    return f"R-{letters[:4]}-{letters[4:]}"


def normal_reference(typed: str) -> str | None:
    """The reference as it is stored, however it was typed; None for what is none."""
    typed = typed.strip().upper()
    letters = _BETWEEN.sub("", typed)
    if _PREFIX.match(typed) or len(letters) == 9:
        letters = letters.removeprefix("R")
    letters = letters.translate(_AS_READ)
    if len(letters) != 8 or not set(letters) <= set(_LETTERS):
        return None
    return f"R-{letters[:4]}-{letters[4:]}"


def owner_of(reference: str) -> UUID | None:
    """Whose report it is; None for an unknown one and for whoever is being erased."""
    with connection.cursor() as cursor:
        cursor.execute("select id from accounts_user where id = (select report_owner(%s)) and is_active", [reference])
        row = cursor.fetchone()
    return row[0] if row else None


def report_answer(trace_id: UUID, *, wrong: Wrong, actor: Actor) -> ReportView:
    """The person says that something is wrong with an answer. The one not closed yet is returned again."""
    with writing_as_person(actor) as writer:
        _known_trace(trace_id, actor)
        return _open(Report.About.ANSWER, trace_id, None, wrong, actor, writer.now)


def question_access(entry_id: UUID, *, actor: Actor) -> ReportView:
    """The person asks the supervisors about an entry of their activity: an audit event, or a retrieval by its trace.

    NotFound for what is neither; Conflict `own_deed` for what the person did.
    """
    with writing_as_person(actor) as writer:
        event = AuditEvent.objects.visible_to(actor).filter(pk=entry_id).first()
        if event is None:
            _known_trace(entry_id, actor)
            return _open(Report.About.ACCESS, entry_id, None, None, actor, writer.now)
        if event.actor_kind == "person":
            raise Conflict("own_deed", "The person did this themselves.")
        return _open(Report.About.ACCESS, None, event.pk, None, actor, writer.now)


def _known_trace(trace_id: UUID, actor: Actor) -> None:
    rows = RetrievalTrace.objects.visible_to(actor).filter(id=trace_id, created_at=instant_of(trace_id))
    if not rows.exists():
        raise NotFound


def _open(
    about: Report.About, trace_id: UUID | None, event_id: UUID | None, wrong: Wrong | None, actor: Actor, now: datetime
) -> ReportView:
    same = Report.objects.visible_to(actor).filter(about=about, trace_id=trace_id, event_id=event_id)
    report = same.exclude(state=Report.State.CLOSED).first()
    if report is None:
        report = Report(
            person_id=actor.opened,
            reference=new_reference(),
            about=about,
            trace_id=trace_id,
            event_id=event_id,
            wrong=wrong,
            opened_at=now,
            state_at=now,
        )
        report.save(force_insert=True)
        audit.record(f"report_{about.value}", "report", report.pk, actor=actor, at=now, reason=wrong)
    return report_view(report)


def move_report(report_id: UUID, to: Literal["taken", "closed"], *, actor: Actor) -> ReportView:
    """Somebody looks into it, or it is settled. Moved there already, it stays; a closed one is never taken again."""
    with writing_for(actor.opened) as now:
        report = Report.objects.writable_by(actor).filter(pk=report_id).first()
        if report is None:
            raise NotFound
        if report.state == to:
            return report_view(report)
        if report.state == Report.State.CLOSED:
            raise Conflict("report_closed", "The report is closed.")
        report.state, report.state_at = to, now
        report.save(update_fields=["state", "state_at"])
        verb = {"taken": "take_report", "closed": "close_report"}[to]
        audit.record(verb, "report", report.pk, actor=actor, at=now)
        return report_view(report)


def reports(*, actor: Actor, limit: int = 100) -> tuple[ReportView, ...]:
    """The person's reports, latest first."""
    with acting_for(actor.opened):
        rows = Report.objects.visible_to(actor).order_by("-opened_at", "-id")[:limit]
        return tuple(map(report_view, rows))
