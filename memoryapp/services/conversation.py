"""The conversation around a turn, and what was decided about each of its turns."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision, Episode, Memory
from memoryapp.models.memory import State
from memoryapp.services.errors import NotFound
from memoryapp.services.retention import MESSAGES, limits

_BEFORE, _AFTER = 4, 3


@dataclass(frozen=True, slots=True)
class Outcome:
    """One decision about a turn. `memory_id` where it made or changed one that is not forgotten; `is_waiting`: that one
    waits for the person's review."""

    id: UUID
    action: str
    rule: str
    kind: str
    memory_id: UUID | None
    is_waiting: bool


@dataclass(frozen=True, slots=True)
class HeardTurn:
    """One stored message and what came of it. `is_source`: the decision that was asked about is about this one."""

    id: UUID
    turn: int
    role: str
    content: str | None
    at: datetime
    is_source: bool
    kept_until: datetime | None
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """Around one decision. `turns` is empty where no message is stored; `source` is what the proposal itself quoted."""

    decision_id: UUID
    session: str | None
    turn: int | None
    turns: tuple[HeardTurn, ...]
    source: str | None


def conversation_of(decision_id: UUID, *, actor: Actor) -> Conversation:
    """The messages around the one that a decision was about. NotFound for another person's. Five reads."""
    with acting_for(actor.opened):
        decision = Decision.objects.visible_to(actor).filter(pk=decision_id).first()
        if decision is None:
            raise NotFound
        return Conversation(
            decision.pk, decision.session, decision.turn, turns_around(decision, actor=actor), decision.source
        )


def turns_around(decision: Decision, *, actor: Actor, with_content: bool = True) -> tuple[HeardTurn, ...]:
    """The stored messages around the decision's, in their order, while the person is open."""
    if decision.session is None or decision.turn is None:
        return ()
    around = (decision.turn - _BEFORE, decision.turn + _AFTER)
    rows = Episode.objects.visible_to(actor).filter(session=decision.session, turn__range=around).order_by("turn", "id")
    if not with_content:
        rows = rows.defer("content")
    outcomes = _outcomes(decision.session, around, actor)
    kept = limits(actor.opened)[MESSAGES]
    return tuple(
        HeardTurn(
            id=row.pk,
            turn=row.turn,
            role=row.role,
            content=row.content if with_content else None,
            at=row.occurred_at,
            is_source=row.turn == decision.turn,
            kept_until=kept.ends(row.recorded_at),
            outcomes=tuple(outcomes.get(row.turn, ())),
        )
        for row in rows
    )


def _outcomes(session: str, around: tuple[int, int], actor: Actor) -> Mapping[int, Iterable[Outcome]]:
    rows = Decision.objects.visible_to(actor).filter(session=session, turn__range=around).order_by("id")
    if actor.scopes is not None:
        rows = rows.filter(scope_name__in=actor.scopes) | rows.filter(scope_name=None)
    decisions = list(rows.only("id", "action", "rule", "kind", "memory_id", "turn"))
    heads = Memory.objects.visible_to(actor).filter(pk__in=[row.memory_id for row in decisions if row.memory_id])
    states = dict(heads.exclude(state=State.FORGOTTEN).values_list("pk", "state"))
    found: dict[int, list[Outcome]] = defaultdict(list)
    for row in decisions:
        state = states.get(row.memory_id) if row.memory_id else None
        memory_id = row.memory_id if state else None
        found[row.turn or 0].append(
            Outcome(row.pk, row.action, row.rule, row.kind, memory_id, is_waiting=state == State.PENDING)
        )
    return found
