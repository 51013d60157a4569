"""The list of answers: what was asked on behalf of the person, latest first, and what was sent for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db import connection
from django.db.models import OuterRef, Q, QuerySet, Subquery

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Answer, Report, RetrievalTrace
from memoryapp.services.paging import decode_cursor, decode_id, decode_instant, encode_cursor

Outcome = Literal["used", "nothing", "reported"]

LOOKED_THROUGH = 1_000
"""The filters offer what the latest so many retrievals hold."""

_NOT_SENT = ("below_floor", "over_limit", "over_budget", "replaced", "duplicate")
_NOTHING = Q(counts__used__chars=0)
_LATEST = """
with latest as materialized (
    select agent_key_id, scopes from memoryapp_retrievaltrace where person_id = %s order by created_at desc limit %s
)
select key.id, key.name, count(*) from latest join accounts_agentkey key on key.id = agent_key_id group by key.id
union all
select null, scope, count(*) from latest, unnest(scopes) scope group by scope
order by 2
"""


@dataclass(frozen=True, slots=True)
class AnswerFilters:
    """What the list is narrowed to. `q` occurs in the request, or is the agent's own name of the answer."""

    q: str = ""
    agent: UUID | None = None
    scope: str | None = None
    outcome: Outcome | None = None
    since: datetime | None = None


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One retrieval. `answer_id` is None where the agent did not say which answer it gave; `report` a reference."""

    trace_id: UUID
    at: datetime
    agent: str | None
    scopes: tuple[str, ...]
    query: str | None
    as_of: datetime | None
    notice: str | None
    offered: int
    sent: int
    answer_id: str | None
    report: str | None


@dataclass(frozen=True, slots=True)
class Answers:
    """A page of them. `count` is of all that match; `agents` (by id) and `scopes` occur among the latest."""

    rows: tuple[AnswerRow, ...]
    count: int
    agents: Sequence[tuple[UUID, str, int]]
    scopes: Sequence[tuple[str, int]]
    older: str | None


def answers(filters: AnswerFilters, *, actor: Actor, cursor: str | None = None, limit: int = 50) -> Answers:
    """Latest first. Three reads. Invalid for a cursor that is none of this list."""
    before: tuple[datetime, UUID] | None = None
    if cursor is not None:
        at, last = decode_cursor(cursor, 2)
        before = decode_instant(at), decode_id(last)
    with acting_for(actor.opened):
        matching = _matching(filters, actor)
        page = list(_page(matching, before)[: limit + 1])
        agents, scopes = _among_the_latest(actor)
        rows = tuple(map(_row, page[:limit]))
        return Answers(
            rows=rows,
            count=matching.count(),
            agents=agents,
            scopes=scopes,
            older=encode_cursor(rows[-1].at.isoformat(), str(rows[-1].trace_id)) if len(page) > limit else None,
        )


def _matching(filters: AnswerFilters, actor: Actor) -> QuerySet[RetrievalTrace]:
    rows: QuerySet[RetrievalTrace] = RetrievalTrace.objects.visible_to(actor)
    if filters.q:
        named = Answer.objects.visible_to(actor).filter(answer_id=filters.q).values("trace_id")
        rows = rows.filter(Q(query__icontains=filters.q) | Q(id__in=named))
    if filters.agent is not None:
        rows = rows.filter(agent_key_id=filters.agent)
    if filters.scope is not None:
        rows = rows.filter(scopes__contains=[filters.scope])
    if filters.since is not None:
        rows = rows.filter(created_at__gte=filters.since)
    match filters.outcome:
        case "used":
            return rows.exclude(_NOTHING)
        case "nothing":
            return rows.filter(_NOTHING)
        case "reported":
            reported = Report.objects.visible_to(actor).filter(trace_id__isnull=False)
            return rows.filter(id__in=reported.values("trace_id"))
    return rows


def _page(rows: QuerySet[RetrievalTrace], before: tuple[datetime, UUID] | None) -> QuerySet[RetrievalTrace]:
    if before:
        at, last = before
        rows = rows.filter(Q(created_at__lt=at) | Q(created_at=at, id__lt=last), created_at__lte=at)
    report = Report.objects.filter(trace_id=OuterRef("id")).order_by("-opened_at")
    return (
        rows.select_related("agent_key")
        .defer("items")
        .annotate(
            joined=Subquery(Answer.objects.filter(trace_id=OuterRef("id")).values("answer_id")),
            report=Subquery(report.values("reference")[:1]),
        )
        .order_by("-created_at", "-id")
    )


def _among_the_latest(actor: Actor) -> tuple[list[tuple[UUID, str, int]], list[tuple[str, int]]]:
    with connection.cursor() as cursor:
        cursor.execute(_LATEST, [actor.opened, LOOKED_THROUGH])
        rows = cursor.fetchall()
    agents = [(key_id, name, number) for key_id, name, number in rows if key_id]
    return agents, [(name, number) for key_id, name, number in rows if not key_id]


def _row(trace: Any) -> AnswerRow:
    counts = trace.counts
    return AnswerRow(
        trace_id=trace.id,
        at=trace.created_at,
        agent=trace.agent_key.name if trace.agent_key else None,
        scopes=tuple(trace.scopes),
        query=trace.query,
        as_of=trace.as_of,
        notice=trace.notice,
        offered=counts["offered"],
        sent=counts["offered"] - sum(counts["withheld"][verdict] for verdict in _NOT_SENT),
        answer_id=trace.joined,
        report=trace.report,
    )
