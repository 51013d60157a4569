"""The support desk: finding a trace by an exact name, and looking at it with what a grant has opened, no more."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import connection

from accounts.actors import Actor
from accounts.models import DEFAULT_NAMESPACE, AgentKey, User
from memoryapp.database.isolation import acting_for, under_grant, without_content
from memoryapp.models import AuditEvent, Grant, Report, StaffProposal
from memoryapp.policy.types import PERSONAL
from memoryapp.services import audit
from memoryapp.services.errors import NotFound
from memoryapp.services.grant_view import GrantView, grant_view
from memoryapp.services.grants import trace_owner
from memoryapp.services.locking import writing_for
from memoryapp.services.masked import latest_traces, masked_trace, masked_traces, names_of_answers
from memoryapp.services.reports import normal_reference, owner_of
from memoryapp.services.reveal import Item, revealed_under
from memoryapp.services.revealed import Content, contents_of
from memoryapp.services.staff import Staff
from memoryapp.services.staff_proposals import proposals_under
from memoryapp.services.trace_view import TraceView, trace_view

MOST_FOUND = 20
_SAME_LOOK = timedelta(minutes=10)
_SHOWN_GRANTS = 10


@dataclass(frozen=True, slots=True)
class Found:
    """A retrieval that a name leads to, without a word of it. `answer_id` is the agent's name of what it said."""

    trace_id: UUID
    at: datetime
    agent: str | None
    offered: int
    answer_id: str | None


@dataclass(frozen=True, slots=True)
class Case:
    """A retrieval at the desk. `trace` is masked; `contents` is what the running grant has revealed, nothing without.

    `scopes` leads from the masked names to the real ones, of those that the grant covers. `grants` are this staff
    member's own around the trace, latest first, `proposals` those under the running one.
    """

    trace: TraceView
    grant: GrantView | None
    grants: tuple[GrantView, ...]
    contents: Mapping[Item, Content]
    scopes: Mapping[str, str]
    proposals: tuple[StaffProposal, ...]

    @property
    def session(self) -> str | None:
        """The conversation's name, once a running grant reaches into it."""
        return self.grant.session if self.grant and self.grant.is_running and self.grant.reaches_conversation else None

    def covers_scope(self, masked: str | None) -> bool:
        return masked is not None and masked in self.scopes


def find(name: str, *, staff: Staff) -> tuple[Found, ...]:
    """What bears exactly this name: an answer, a trace, a report, a session, a person. Latest first, nobody browsed.

    What does not exist and what the desk may not see are one answer: nothing.
    """
    name = name.strip()
    if not name or len(name) > 256 or "\0" in name or not staff.is_support:
        return ()
    pairs = [pair for pair in _pairs(name) if pair[0] != staff.id]
    by_person: dict[UUID, list[UUID]] = {}
    # The latest are those of the greatest ids.
    for person_id, trace_id in sorted(pairs, key=lambda pair: pair[1], reverse=True)[:MOST_FOUND]:
        by_person.setdefault(person_id, []).append(trace_id)
    found: list[Found] = []
    for person_id, trace_ids in by_person.items():
        with acting_for(person_id), without_content():
            found += _found(trace_ids)
    return tuple(sorted(found, key=lambda one: (one.at, one.trace_id), reverse=True))


def _pairs(name: str) -> list[tuple[UUID, UUID]]:
    """Person and trace, of everything that the name may be the name of."""
    pairs: list[tuple[UUID, UUID]] = []
    with connection.cursor() as cursor:
        for function in ("traces_of_answer", "traces_of_session"):
            cursor.execute(
                f"select person_id, trace_id from {function}(%s) join accounts_user on id = person_id and is_active",
                [name],
            )
            pairs += cursor.fetchall()
    if (trace_id := _uuid(name)) and (owner := trace_owner(trace_id)):
        pairs.append((owner, trace_id))
    pairs += _of_report(name)
    pairs += _of_person(name)
    return list(dict.fromkeys(pairs))


def _uuid(name: str) -> UUID | None:
    try:
        return UUID(name)
    except ValueError:
        return None


def _of_report(name: str) -> list[tuple[UUID, UUID]]:
    reference = normal_reference(name)
    if reference is None:
        return []
    owner = owner_of(reference)
    if owner is None:
        return []
    with acting_for(owner):
        report = Report.objects.filter(reference=reference, about=Report.About.ANSWER).first()
    return [(owner, report.trace_id)] if report and report.trace_id else []


def _of_person(name: str) -> list[tuple[UUID, UUID]]:
    """The latest retrievals of the persons whom agents call so."""
    namespaces = {DEFAULT_NAMESPACE, *AgentKey.objects.values_list("namespace", flat=True).distinct()}
    pairs = []
    for person_id in User.objects.filter(namespace__in=namespaces, external_id=name).values_list("pk", flat=True):
        with acting_for(person_id), without_content():
            pairs += [(person_id, trace_id) for trace_id in latest_traces(MOST_FOUND)]
    return pairs


def _found(trace_ids: list[UUID]) -> list[Found]:
    answered = names_of_answers(trace_ids)
    return [
        Found(trace.id, trace.created_at, trace.agent_name, trace.counts["offered"], answered.get(trace.id))
        for trace in masked_traces(trace_ids)
    ]


def case(trace_id: UUID, *, staff: Staff, is_look: bool = True) -> Case:
    """The retrieval as it may be seen now, which the person's activity notes once in ten minutes (`is_look`).

    NotFound for what is not there and for one's own.
    """
    owner = trace_owner(trace_id)
    if owner is None or owner == staff.id or not staff.is_support:
        raise NotFound
    if is_look:
        _note_look(trace_id, owner, staff)
    # The service reads for the desk, and what it reads holds no content.
    trace = trace_view(trace_id, actor=Actor("system", person_id=owner), is_masked=True)
    with acting_for(owner), without_content():
        now = datetime.now(UTC)
        rows = Grant.objects.filter(trace_id=trace_id, person_id=owner, staff_id=staff.id)
        grants = list(rows.order_by("-asked_at")[:_SHOWN_GRANTS])
        views = [grant_view(grant, now) for grant in grants]
        running = next((pair for pair in zip(grants, views, strict=True) if pair[1].is_running), None)
        masked = masked_scopes(trace_id)
        contents: Mapping[Item, Content] = {}
        covered: dict[str, str] = {}
        proposals: tuple[StaffProposal, ...] = ()
        if running:
            grant = running[0]
            covered = {mask: name for mask, name in masked.items() if name in grant.scopes}
            revealed, proposals = revealed_under(grant), proposals_under(grant)
            with under_grant(grant.pk):
                actor = staff.about(owner, grant_id=grant.pk, scopes=grant.scopes)
                contents = contents_of(revealed, trace_id, actor=actor)
        return Case(
            trace=trace,
            grant=running[1] if running else next((view for view in views if view.is_waiting), None),
            grants=tuple(views),
            contents=contents,
            scopes=covered,
            proposals=proposals,
        )


def masked_scopes(trace_id: UUID) -> dict[str, str]:
    """The trace's scopes and the personal one, by the names under which a masked view has them; the person is open."""
    others = [name for name in dict.fromkeys(masked_trace(trace_id).scopes) if name != PERSONAL]
    return {f"scope-{number}": name for number, name in enumerate(others, start=1)} | {PERSONAL: PERSONAL}


def scopes_of(trace_id: UUID, *, staff: Staff) -> dict[str, str]:
    """As `masked_scopes`, for the form that asks for a grant."""
    owner = trace_owner(trace_id)
    if owner is None or owner == staff.id:
        raise NotFound
    with acting_for(owner), without_content():
        return masked_scopes(trace_id)


def _note_look(trace_id: UUID, owner: UUID, staff: Staff) -> None:
    with writing_for(owner) as now:
        same = AuditEvent.objects.filter(person_id=owner, actor_kind="staff", actor_id=staff.id, verb="view_record")
        if not same.filter(object_id=trace_id, at__gt=now - _SAME_LOOK).exists():
            audit.record("view_record", "trace", trace_id, actor=staff.about(owner), at=now)
