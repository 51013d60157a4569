"""What happened with the person's memory: changes, uses, views and exports, in one line each."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.actors import Actor
from accounts.models import AgentKey
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Decision, Memory, Report, RetrievalTrace
from memoryapp.models.memory import State
from memoryapp.services.listed import Listed, listed
from memoryapp.services.paging import decode_cursor, decode_id, decode_instant, encode_cursor
from memoryapp.services.report_view import ReportView, report_view

What = Literal["all", "changes", "uses", "views", "exports", "access"]

_VIEWS = Q(verb__startswith="view") | Q(actor_kind="staff")
_EXPORTS = Q(verb="export")
_ACCESS = Q(object_type__in=("access", "sign_in_link"))
_NOT_SENT = ("below_floor", "over_limit", "over_budget", "replaced", "duplicate")


@dataclass(frozen=True, slots=True)
class Entry:
    """One line. `verb` is `retrieve` for a use, else what was done; staff are named by their kind alone.

    `memory` is the one it is about, while that is not forgotten. `action`, `rule`, `kind`, `scope` and `subject` are
    those of a decision. `query`, `scopes`, `sent` and `offered` are those of a use, with its `trace_id`. `report` is
    the latest with which the person questioned it.
    """

    id: UUID
    at: datetime
    verb: str
    actor_kind: str
    agent: str | None = None
    reason: str | None = None
    object_type: str | None = None
    object_id: UUID | None = None
    memory: Listed | None = None
    action: str | None = None
    rule: str | None = None
    kind: str | None = None
    scope: str | None = None
    subject: str | None = None
    trace_id: UUID | None = None
    query: str | None = None
    scopes: tuple[str, ...] = ()
    sent: int | None = None
    offered: int | None = None
    report: ReportView | None = None


@dataclass(frozen=True, slots=True)
class Activity:
    """A page of it, latest first; `older` is a cursor, None at the end."""

    entries: tuple[Entry, ...]
    older: str | None


def activity(*, actor: Actor, what: What = "all", cursor: str | None = None, limit: int = 50) -> Activity:
    """What happened, of one sort or of all. All reads of one retrieval are one line. At most six reads."""
    before: tuple[datetime, UUID] | None = None
    if cursor is not None:
        at, last = decode_cursor(cursor, 2)
        before = decode_instant(at), decode_id(last)
    with acting_for(actor.opened):
        events = list(_events(actor, what, before)[: limit + 1]) if what != "uses" else []
        traces = list(_traces(actor, before)[: limit + 1]) if what in ("all", "uses") else []
        entries = [*_of_events(events, actor), *map(_of_trace, traces)]
        questioned = _questioned(entries, actor)
    entries = [replace(entry, report=questioned.get(entry.id)) for entry in entries]
    entries.sort(key=lambda entry: (entry.at, entry.id), reverse=True)
    more = len(entries) > limit
    shown = entries[:limit]
    return Activity(tuple(shown), encode_cursor(shown[-1].at.isoformat(), str(shown[-1].id)) if more else None)


def _events(actor: Actor, what: What, before: tuple[datetime, UUID] | None) -> QuerySet[AuditEvent]:
    rows: QuerySet[AuditEvent] = AuditEvent.objects.visible_to(actor)
    match what:
        case "views":
            rows = rows.filter(_VIEWS)
        case "exports":
            rows = rows.filter(_EXPORTS)
        case "access":
            rows = rows.filter(_ACCESS)
        case "changes":
            rows = rows.exclude(_VIEWS | _EXPORTS | _ACCESS)
    if before:
        at, last = before
        rows = rows.filter(Q(at__lt=at) | Q(at=at, id__lt=last))
    return rows.order_by("-at", "-id")


def _traces(actor: Actor, before: tuple[datetime, UUID] | None) -> QuerySet[RetrievalTrace]:
    rows: QuerySet[RetrievalTrace] = RetrievalTrace.objects.visible_to(actor)
    if before:
        at, last = before
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, id__lt=last), created_at__lte=at)
    return rows.select_related("agent_key").defer("items").order_by("-created_at", "-id")


def _questioned(entries: Iterable[Entry], actor: Actor) -> Mapping[UUID, ReportView]:
    ids = [entry.id for entry in entries]
    rows = Report.objects.visible_to(actor).filter(Q(event_id__in=ids) | Q(trace_id__in=ids), about="access")
    return {row.event_id or row.trace_id: report_view(row) for row in rows.order_by("opened_at", "id")}  # type: ignore[misc]


def _of_events(events: Iterable[AuditEvent], actor: Actor) -> list[Entry]:
    events = list(events)
    ids = [event.object_id for event in events if event.object_type == "decision" and event.object_id]
    decisions = {row.pk: row for row in Decision.objects.filter(pk__in=ids)}
    about = [event.object_id for event in events if event.object_type == "memory"]
    memories = _memories([*about, *(row.memory_id for row in decisions.values())], actor)
    keys = AgentKey.objects.filter(
        pk__in=[event.actor_id for event in events if event.actor_kind == "agent" and event.actor_id]
    )
    names = dict(keys.values_list("pk", "name"))
    return [_of_event(event, decisions, memories, names) for event in events]


def _memories(ids: Iterable[UUID | None], actor: Actor) -> Mapping[UUID, Listed]:
    now = datetime.now(UTC)
    rows = Memory.objects.visible_to(actor).select_related("scope").filter(pk__in=filter(None, ids))
    return {row.pk: listed(row, now) for row in rows.exclude(state=State.FORGOTTEN)}


def _of_event(
    event: AuditEvent, decisions: Mapping[UUID, Decision], memories: Mapping[UUID, Listed], names: Mapping[UUID, str]
) -> Entry:
    decision = decisions.get(event.object_id) if event.object_id else None
    memory_id = decision.memory_id if decision else event.object_id
    return Entry(
        id=event.pk,
        at=event.at,
        verb=event.verb,
        actor_kind=event.actor_kind,
        agent=names.get(event.actor_id) if event.actor_id else None,
        reason=event.reason,
        object_type=event.object_type,
        object_id=event.object_id,
        memory=memories.get(memory_id) if memory_id else None,
        action=decision.action if decision else None,
        rule=decision.rule if decision else None,
        kind=decision.kind if decision else None,
        scope=decision.scope_name if decision else None,
        subject=decision.subject if decision else None,
    )


def _of_trace(trace: RetrievalTrace) -> Entry:
    counts = trace.counts
    return Entry(
        id=trace.id,
        at=trace.created_at,
        verb="retrieve",
        actor_kind="agent" if trace.agent_key else "system",
        agent=trace.agent_key.name if trace.agent_key else None,
        reason=trace.notice,
        object_type="trace",
        object_id=trace.id,
        trace_id=trace.id,
        query=trace.query,
        scopes=tuple(trace.scopes),
        sent=counts["offered"] - sum(counts["withheld"][verdict] for verdict in _NOT_SENT),
        offered=counts["offered"],
    )
