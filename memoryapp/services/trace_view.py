"""One retrieval as people read it: what was asked, what was offered, what was sent, and what became of it since."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import F

from accounts.actors import Actor
from accounts.ids import instant_of
from memoryapp.database.isolation import acting_for, without_content
from memoryapp.models import Answer, Report, RetrievalTrace
from memoryapp.models.memory import State
from memoryapp.policy.types import PERSONAL
from memoryapp.services.disputed_then import as_they_are, disputed_then
from memoryapp.services.errors import NotFound
from memoryapp.services.listed import Listed
from memoryapp.services.masked import masked_answers, masked_fates, masked_trace
from memoryapp.services.paused_by import PausedBy, paused_by
from memoryapp.services.replaying import Sent, replay
from memoryapp.services.report_view import ReportView, report_view
from memoryapp.services.retention import ANSWERS, limits
from memoryapp.services.trace_items import TraceItem, held_items, load_items

Since = Literal["same", "changed", "forgotten", "erased"]
"""What became of an offered memory: it says the same, it says something else, it is in the trash, it is no more."""

_SHOWN_OTHERS = 20
_NOT_SENT = ("below_floor", "over_limit", "over_budget", "replaced", "duplicate")

# One statement, and plain values: two hundred rows of two models would take longer than the whole page otherwise.
_FATES = """
select version.kind, version.scope_name, version.text is distinct from head.text,
    head.state, head.disputed, least(head.valid_to, head.expires_at) <= now(),
    version.subject, version.text, head.text, head.origin, scope.name
from unnest(%s::uuid[], %s::int[]) with ordinality as wanted (memory_id, number, place)
left join memoryapp_memoryversion version using (memory_id, number)
left join memoryapp_memory head on head.id = wanted.memory_id
left join accounts_scope scope on scope.id = head.scope_id
order by wanted.place
"""


class _Fate(NamedTuple):
    """Kind and scope then; whether the text is another one; state, disputed and ended now; the words then and now.

    None where the memory is no more, and the words also where they are masked.
    """

    kind: str | None
    scope_name: str | None
    has_changed: bool
    state: str | None
    is_disputed: bool | None
    has_ended: bool | None
    subject: str | None = None
    text: str | None = None
    text_now: str | None = None
    origin_now: str | None = None
    scope_now: str | None = None


@dataclass(frozen=True, slots=True)
class Now:
    """What a memory says by now, and who says so."""

    text: str
    origin: str
    scope: str


@dataclass(frozen=True, slots=True)
class Weighed:
    """One offered memory, `rank` counting from 1. What it was then: `kind`, `scope`, `subject`, `text`.

    What it is now: `status` (as listed, None where it is gone), `is_disputed`, and `now`, the memory itself. Where it
    was forgotten or erased since, neither text nor subject nor `now` is there. Masked, they never are, and a scope
    other than the personal one is a number. `paused_by` says who held it back, where it was paused then.
    """

    rank: int
    memory_id: UUID
    version: int
    verdict: str
    why: str | None
    relevance: float | None
    parts: Mapping[str, float]
    since: Since
    kind: str | None
    scope: str | None
    status: str | None
    is_disputed: bool
    subject: str | None = None
    text: str | None = None
    now: Now | None = None
    paused_by: PausedBy | None = None

    @property
    def was_sent(self) -> bool:
        return self.verdict == "included"


@dataclass(frozen=True, slots=True)
class AnswerGiven:
    """The answer that the agent joined. `others` are the other retrievals behind it, earliest first."""

    answer_id: str
    model: str | None
    text: str | None
    at: datetime
    others: tuple[UUID, ...]


@dataclass(frozen=True, slots=True)
class TraceView:
    """One retrieval. `budget` is `{"tokens": n}` or `{"chars": n}`; `withheld` counts by verdict; `limit` is in
    memories. `items` are the 200 best in rank order and all that were sent; `offered` counts the others too.

    `held` are those that would have been sent, had they not been paused or stale (their verdict); 50 at most.
    `block` is what was sent, byte for byte, with a marked gap for each of the `gaps` memories that are forgotten or
    erased since. `disputed` counts what was disputed then, and so was not looked at; `disputes` are its memories.
    Masked: `query`, `session`, `block` and the answer's text are None, and `disputes` are empty.
    """

    id: UUID
    at: datetime
    agent: str | None
    scopes: tuple[str, ...]
    query: str | None
    has_query: bool
    session: str | None
    has_session: bool
    agent_request_id: str | None
    as_of: datetime | None
    floor: float
    budget: Mapping[str, int]
    limit: int
    kinds: tuple[str, ...] | None
    policy_version: str
    scorer: str
    notice: str | None
    offered: int
    withheld: Mapping[str, int]
    used: Mapping[str, int]
    items: tuple[Weighed, ...]
    held: tuple[Weighed, ...]
    block: str | None
    gaps: int
    disputed: int
    disputes: tuple[Listed, ...]
    answer: AnswerGiven | None
    reports: tuple[ReportView, ...]
    kept_until: datetime | None
    is_masked: bool

    @property
    def sent(self) -> int:
        return self.offered - sum(self.withheld[verdict] for verdict in _NOT_SENT)


def trace_view(trace_id: UUID, *, actor: Actor, is_masked: bool = False) -> TraceView:
    """The retrieval as this actor may know it. NotFound also for another person's.

    Masked, the database lets no remembered text, subject, request or answer be read. A constant number of reads,
    ten at most.
    """
    with acting_for(actor.opened), without_content() if is_masked else nullcontext():
        trace = masked_trace(trace_id) if is_masked else _trace(trace_id, actor)
        if trace is None or not all(map(actor.may_use_scope, trace.scopes)):
            raise NotFound
        offered = load_items(trace.items)
        items = [*offered, *held_items(trace.counts)]
        fates = _fates(items, is_masked=is_masked)
        names = _masks([*trace.scopes, *(fate.scope_name for fate in fates)]) if is_masked else {}
        weighed = tuple(_weighed(items, fates, names))
        gone = {one.memory_id: "forgotten" for one in weighed if one.since in ("forgotten", "erased")}
        disputed = disputed_then(trace)
        reports = Report.objects.visible_to(actor).filter(trace_id=trace_id).order_by("-opened_at", "-id")
        return TraceView(
            id=trace.id,
            at=trace.created_at,
            agent=trace.agent_name,
            scopes=tuple(names.get(name, name) for name in trace.scopes),
            query=None if is_masked else trace.query,
            has_query=trace.has_query if is_masked else bool((trace.query or "").strip()),
            session=trace.session,
            has_session=trace.has_session if is_masked else trace.session is not None,
            agent_request_id=trace.agent_request_id,
            as_of=trace.as_of,
            floor=trace.floor,
            budget=trace.budget,
            limit=trace.counts["limit"],
            kinds=tuple(trace.counts["kinds"]) if trace.counts.get("kinds") is not None else None,
            policy_version=trace.policy_version,
            scorer=trace.scorer,
            notice=trace.notice,
            offered=trace.counts["offered"],
            withheld=trace.counts["withheld"],
            used=trace.counts["used"],
            items=weighed[: len(offered)],
            held=weighed[len(offered) :],
            block=None if is_masked else replay(trace, offered, _texts(items, fates), gone),
            gaps=sum(one.was_sent and one.memory_id in gone for one in weighed),
            disputed=len(disputed),
            disputes=() if is_masked else as_they_are(disputed, actor=actor),
            answer=_masked_answer(trace_id) if is_masked else _answer(trace_id, actor),
            reports=tuple(map(report_view, reports)),
            kept_until=limits(actor.opened)[ANSWERS].ends(trace.created_at),
            is_masked=is_masked,
        )


def _trace(trace_id: UUID, actor: Actor) -> Any:
    rows = RetrievalTrace.objects.visible_to(actor).filter(id=trace_id, created_at=instant_of(trace_id))
    return rows.annotate(agent_name=F("agent_key__name")).first()


def _fates(items: Sequence[TraceItem], *, is_masked: bool) -> list[_Fate]:
    if is_masked:
        return [_Fate(*row) for row in masked_fates(items)]
    with connection.cursor() as cursor:
        cursor.execute(_FATES, [[item.memory_id for item in items], [item.version for item in items]])
        return [_Fate(*row) for row in cursor.fetchall()]


def _texts(items: Sequence[TraceItem], fates: Sequence[_Fate]) -> dict[tuple[UUID, int], Sent]:
    return {
        (item.memory_id, item.version): Sent(fate.kind, fate.scope_name, fate.text)
        for item, fate in zip(items, fates, strict=True)
        if fate.kind is not None and fate.scope_name is not None and fate.text is not None
    }


def _masks(scopes: Iterable[str | None]) -> dict[str, str]:
    """A number for each scope but the personal one, in the order in which they occur."""
    others = [name for name in dict.fromkeys(scopes) if name and name != PERSONAL]
    return {name: f"scope-{number}" for number, name in enumerate(others, start=1)}


def _weighed(items: Sequence[TraceItem], fates: Sequence[_Fate], names: Mapping[str, str]) -> Iterator[Weighed]:
    pauses = paused_by(items)
    for rank, (item, fate) in enumerate(zip(items, fates, strict=True), start=1):
        is_gone = fate.state in (None, State.FORGOTTEN)
        has_expired = fate.state == State.CURRENT and fate.has_ended
        yield Weighed(
            rank=rank,
            memory_id=item.memory_id,
            version=item.version,
            verdict=item.verdict,
            why=item.why,
            relevance=item.relevance,
            parts=item.parts,
            since=_since(fate.state, has_changed=fate.has_changed),
            kind=fate.kind,
            scope=names.get(fate.scope_name or "", fate.scope_name),
            status=None if is_gone else "expired" if has_expired else fate.state,
            is_disputed=bool(fate.is_disputed),
            subject=None if is_gone else fate.subject,
            text=None if is_gone else fate.text,
            now=None if is_gone else _now(fate),
            paused_by=pauses.get(item.memory_id),
        )


def _now(fate: _Fate) -> Now | None:
    if fate.text_now is None or fate.origin_now is None or fate.scope_now is None:
        return None
    return Now(fate.text_now, fate.origin_now, fate.scope_now)


def _since(state: str | None, *, has_changed: bool) -> Since:
    if state is None:
        return "erased"
    if state == State.FORGOTTEN:
        return "forgotten"
    return "changed" if has_changed else "same"


def _answer(trace_id: UUID, actor: Actor) -> AnswerGiven | None:
    answers = Answer.objects.visible_to(actor)
    row = answers.filter(trace_id=trace_id).first()
    if row is None:
        return None
    same = answers.filter(agent_key_id=row.agent_key_id, answer_id=row.answer_id).exclude(trace_id=trace_id)
    others = tuple(same.order_by("trace_id").values_list("trace_id", flat=True)[:_SHOWN_OTHERS])
    return AnswerGiven(row.answer_id, row.model, row.text, row.recorded_at, others)


def _masked_answer(trace_id: UUID) -> AnswerGiven | None:
    answers = masked_answers(trace_id, 1 + _SHOWN_OTHERS)
    if not answers:
        return None
    one, *others = answers
    return AnswerGiven(one.answer_id, one.model, None, one.recorded_at, tuple(other.trace_id for other in others))
