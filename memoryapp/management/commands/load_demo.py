"""`load_demo`: three people whose memories grow out of their conversations, through the same policies as everybody's."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from accounts.actors import Actor
from accounts.models import DEFAULT_NAMESPACE, User
from memoryapp.services.agents import actor_of, ensure_person
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.keys import create_key, revoke_key
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.traces import join_answer

FOLDER = Path(__file__).resolve().parents[2] / "demo"
AGENT = "demo-assistant"


class Command(BaseCommand):
    help = "Loads the demo people once; does nothing when they are there."

    @transaction.atomic
    def handle(self, *args: Any, **options: Any) -> None:
        files = [json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))]
        names = [one["user"] for one in files]
        if User.objects.filter(namespace=DEFAULT_NAMESPACE, external_id__in=names).exists():
            return
        key, _ = create_key(AGENT, actor=Actor("system"))
        now = datetime.now(UTC)
        for one in files:
            actor = ensure_person(actor_of(key), one["user"])
            for session in one["sessions"]:
                _hold(session, actor, now)
        # It has done what it was made for, and its secret was never shown.
        revoke_key(key, actor=Actor("system"))


def _hold(session: dict[str, Any], actor: Actor, now: datetime) -> None:
    """Stores a session's turns in order, proposes what came of each, then asks what is asked at its end."""
    began = now - timedelta(days=session["days_ago"], hours=session.get("hours", 0))
    for turn in session["turns"]:
        # Half a minute a turn, whatever the order of arrival.
        at = began + timedelta(seconds=30 * turn["turn"])
        said = Turn(turn["turn"], turn["role"], turn["content"], at)
        store_turns(session=session["session"], scope=session["scope"], turns=[said], actor=actor)
        for proposal in turn.get("proposals", ()):
            propose([_proposal(proposal, session, turn["turn"], at, now)], actor=actor)
    for asked in session.get("retrievals", ()):
        request = ContextRequest(scopes=tuple(filter(None, [asked.get("scope")])), query=asked["query"])
        trace = recall(request, actor=actor)
        join_answer(
            trace["trace_id"], answer_id=asked["answer_id"], model=asked["model"], text=asked["answer"], actor=actor
        )


def _proposal(fields: dict[str, Any], session: dict[str, Any], turn: int, at: datetime, now: datetime) -> Proposal:
    given = dict(fields)
    expires_in = given.pop("expires_at_days", None)
    opened, ended = given.pop("valid_from_days_ago", None), given.pop("valid_to_days_ago", None)
    return Proposal(
        session=session["session"],
        turn=turn,
        occurred_at=at,
        expires_at=now + timedelta(days=expires_in) if expires_in else None,
        valid_from=now - timedelta(days=opened) if opened else None,
        valid_to=now - timedelta(days=ended) if ended else None,
        aliases=tuple(given.pop("aliases", ())) or None,
        text=given.pop("text", None),
        **given,
    )
