"""What was proposed about a person and what the write policy said, for the desk: masked, until it is revealed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for, under_grant
from memoryapp.models import Decision, Grant
from memoryapp.services.conversation import HeardTurn, turns_around
from memoryapp.services.errors import NotFound
from memoryapp.services.grant_view import GrantView, grant_view
from memoryapp.services.grants import own_grant, require_running
from memoryapp.services.paging import decode_cursor, decode_id, encode_cursor
from memoryapp.services.reveal import Item, decisions_within, revealed_under
from memoryapp.services.revealed import Content, contents_of
from memoryapp.services.staff import Staff

Answered = Literal["all", "rejected", "pending", "accepted"]

_WITHOUT_WORDS = (
    "id", "person_id", "memory_id", "action", "rule", "kind", "scope_name", "session", "turn", "actor_kind", "origin",
    "recorded_at", "agent_key__name",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Logged:
    """One decision. `content` once it is revealed; `has_turn` where its message may be stored."""

    id: UUID
    at: datetime
    action: str
    rule: str
    kind: str
    scope: str | None
    session: str | None
    turn: int | None
    by: str
    agent: str | None
    content: Content | None

    @property
    def has_turn(self) -> bool:
        return self.session is not None and self.turn is not None


@dataclass(frozen=True, slots=True)
class DecisionLog:
    """A page of it, latest first. `sessions` are those that occur, latest first, where the grant reaches them all."""

    grant: GrantView
    entries: tuple[Logged, ...]
    sessions: tuple[str, ...]
    older: str | None


@dataclass(frozen=True, slots=True)
class LoggedTurns:
    """The conversation around one decision at the desk; the messages that are revealed are in `contents`."""

    grant: GrantView
    decision: Logged
    turns: tuple[HeardTurn, ...]
    contents: Mapping[Item, Content]


def decision_log(
    grant_id: UUID,
    *,
    staff: Staff,
    answered: Answered = "all",
    session: str | None = None,
    cursor: str | None = None,
    limit: int = 50,
) -> DecisionLog:
    """The decisions that the grant reaches. Conflict `grant_over` unless it runs; NotFound for a colleague's."""
    grant, actor = _opened(grant_id, staff)
    with acting_for(grant.person_id):
        shown = revealed_under(grant)
        with under_grant(grant.pk):
            rows = decisions_within(grant, actor)
            sessions = rows.exclude(session=None).values_list("session", flat=True)
            names = tuple(dict.fromkeys(sessions.order_by("-id")[:500]))[:20] if grant.reach == "person" else ()
            match answered:
                case "rejected" | "pending":
                    rows = rows.filter(action=answered)
                case "accepted":
                    rows = rows.exclude(action__in=("rejected", "pending"))
            if session is not None:
                rows = rows.filter(session=session)
            if cursor is not None:
                (last,) = decode_cursor(cursor, 1)
                rows = rows.filter(id__lt=decode_id(last))
            page = list(rows.select_related("agent_key").only(*_WITHOUT_WORDS).order_by("-id")[: limit + 1])
            contents = contents_of({item for item in shown if item.what == "decision"}, grant.trace_id, actor=actor)
    return DecisionLog(
        grant=grant_view(grant, datetime.now(UTC)),
        entries=tuple(_logged(row, contents) for row in page[:limit]),
        sessions=tuple(name for name in names if name),
        older=encode_cursor(str(page[limit - 1].pk)) if len(page) > limit else None,
    )


def logged_turns(grant_id: UUID, decision_id: UUID, *, staff: Staff) -> LoggedTurns:
    """The messages around the one that a decision was about. Raises as `decision_log` does."""
    grant, actor = _opened(grant_id, staff)
    with acting_for(grant.person_id):
        shown = revealed_under(grant)
        with under_grant(grant.pk):
            rows = decisions_within(grant, actor).select_related("agent_key").only(*_WITHOUT_WORDS)
            decision = rows.filter(pk=decision_id).first()
            if decision is None:
                raise NotFound
            wanted = {item for item in shown if item.what in ("message", "decision")}
            contents = contents_of(wanted, grant.trace_id, actor=actor)
            turns = turns_around(decision, actor=actor, with_content=False)
    return LoggedTurns(grant_view(grant, datetime.now(UTC)), _logged(decision, contents), turns, contents)


def _opened(grant_id: UUID, staff: Staff) -> tuple[Grant, Actor]:
    grant, owner = own_grant(grant_id, staff=staff)
    require_running(grant, datetime.now(UTC))
    return grant, staff.about(owner, grant_id=grant.pk, scopes=grant.scopes)


def _logged(row: Decision, contents: Mapping[Item, Content]) -> Logged:
    return Logged(
        id=row.pk,
        at=row.recorded_at,
        action=row.action,
        rule=row.rule,
        kind=row.kind,
        scope=row.scope_name,
        session=row.session,
        turn=row.turn,
        by=row.actor_kind,
        agent=row.agent_key.name if row.agent_key else None,
        content=contents.get(Item("decision", row.pk)),
    )
