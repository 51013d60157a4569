"""`load_demo`: three people whose memories grow out of conversations, through the same policies as everybody's."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts.actors import Actor
from accounts.ids import as_if_at
from accounts.models import DEFAULT_NAMESPACE, User
from memoryapp.management.command import OwnCommand
from memoryapp.services.agents import actor_of, ensure_person
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.keys import create_key, revoke_key
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.staff import Role, hire
from memoryapp.services.traces import join_answer
from memoryapp.services.uses import count_waiting

FOLDER = Path(__file__).resolve().parents[2] / "demo"
AGENT = "demo-assistant"
DESK: dict[str, Role] = {"sol@example.org": "support", "kim@example.org": "support", "vis@example.org": "supervisor"}
"""Who works at the support desk; the demo's mails go to the service's own output."""


class Command(OwnCommand):
    help = "Loads the demo people and the demo's support staff once; does nothing when they are there."

    def handle(self, *args: Any, **options: Any) -> None:
        with transaction.atomic():
            _load()
        count_waiting()


def _load() -> None:
    files = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
    names = [one["user"] for one in files]
    if User.objects.filter(namespace=DEFAULT_NAMESPACE, external_id__in=names).exists():
        return
    key, _ = create_key(AGENT, actor=Actor("system"))
    now = datetime.now(UTC)
    for one in files:
        with as_if_at(min(_began(session, now) for session in one["sessions"])):
            actor = ensure_person(actor_of(key), one["user"])
        for session in one["sessions"]:
            _hold(session, actor, now)
    for email, role in DESK.items():
        hire(email, role, actor=Actor("system"))
    # It has done what it was made for, and its secret was never shown.
    revoke_key(key, actor=Actor("system"))


def _hold(session: dict[str, Any], actor: Actor, now: datetime) -> None:
    """Stores a session's turns, proposes in order what came of them, then asks what is asked at its end.

    All of it as if it happened then, so that answers, changes and activity are spread over the days that they tell of.
    """
    began = _began(session, now)
    at = began
    turns: list[Turn] = []
    proposals: list[Proposal] = []
    for turn in session["turns"]:
        # Half a minute a turn, whatever the order of arrival.
        at = began + timedelta(seconds=30 * turn["turn"])
        turns.append(Turn(turn["turn"], turn["role"], turn["content"], at))
        proposals += [_proposal(one, session["session"], turn["turn"], at, now) for one in turn.get("proposals", ())]
    with as_if_at(at):
        store_turns(session=session["session"], scope=session["scope"], turns=turns, actor=actor)
        propose(proposals, actor=actor)
    for asked in session.get("retrievals", ()):
        at += timedelta(minutes=2)
        with as_if_at(at):
            _ask(asked, session["session"], actor)


def _began(session: dict[str, Any], now: datetime) -> datetime:
    return now - timedelta(days=session["days_ago"], hours=session.get("hours", 0))


def _ask(asked: dict[str, Any], session: str, actor: Actor) -> None:
    scopes = tuple(filter(None, [asked.get("scope")]))
    trace = recall(ContextRequest(scopes=scopes, query=asked["query"], session=session), actor=actor)
    join_answer(
        UUID(trace["trace_id"]), answer_id=asked["answer_id"], model=asked["model"], text=asked["answer"], actor=actor
    )


def _proposal(fields: dict[str, Any], session: str, turn: int, at: datetime, now: datetime) -> Proposal:
    given = dict(fields)
    expires_in = given.pop("expires_at_days", None)
    opened, ended = given.pop("valid_from_days_ago", None), given.pop("valid_to_days_ago", None)
    return Proposal(
        session=session,
        turn=turn,
        occurred_at=at,
        expires_at=now + timedelta(days=expires_in) if expires_in else None,
        valid_from=now - timedelta(days=opened) if opened else None,
        valid_to=now - timedelta(days=ended) if ended else None,
        aliases=tuple(given.pop("aliases", ())) or None,
        text=given.pop("text", None),
        **given,
    )
