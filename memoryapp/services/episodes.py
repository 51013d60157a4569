"""Storing the raw turns of a conversation."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from accounts.actors import Actor
from accounts.ids import uuid7
from accounts.models import Scope
from memoryapp.models import Episode
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import PERSONAL
from memoryapp.services import audit
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.writing import Writer, writer_for


@dataclass(frozen=True, slots=True)
class Turn:
    """One message. `role` is user, assistant, tool or system."""

    turn: int
    role: str
    content: str
    occurred_at: datetime | None = None


def store_turns(*, session: str, scope: str | None, turns: Sequence[Turn], actor: Actor) -> dict[str, Any]:
    """Stores the turns, all or none; the same turn with the same content again is known.

    Secrets are masked before anything is stored. While the person has turned learning off nothing is stored.
    Conflict `other_content` when a turn is known with other content.
    """
    name = scope or PERSONAL
    if not actor.may_use_scope(name):
        raise NotFound
    with writer_for(actor) as writer:
        place = Scope.objects.filter(person_id=writer.person.id, name=name).first()
        fresh: dict[int, Episode] = {}
        known = 0
        if writer.person.learning and (place is None or place.learning):
            place = place or Scope.objects.create(person_id=writer.person.id, name=name)
            fresh, known = _sort_out(session, turns, place, writer)
            Episode.objects.bulk_create(fresh.values())
            if fresh:
                audit.record("store_turns", "episode", None, actor=actor, at=writer.now)
        return {"stored": len(fresh), "known": known, "decisions": None, "job": None}


def _sort_out(session: str, turns: Sequence[Turn], scope: Scope, writer: Writer) -> tuple[dict[int, Episode], int]:
    """The turns that are new, by number, and how many are known."""
    rows = Episode.objects.writable_by(writer.actor).filter(scope=scope, session=session)
    stored = {row.turn: row for row in rows.filter(turn__in=[turn.turn for turn in turns])}
    fresh: dict[int, Episode] = {}
    known = 0
    for turn in turns:
        content = mask_secrets(turn.content)
        same = stored.get(turn.turn) or fresh.get(turn.turn)
        if same is None:
            fresh[turn.turn] = Episode(
                id=uuid7(),
                person_id=writer.person.id,
                scope=scope,
                session=session,
                turn=turn.turn,
                role=turn.role,
                content=content,
                occurred_at=turn.occurred_at or writer.now,
            )
        elif (same.content, same.role) == (content, turn.role):
            known += 1
        else:
            raise Conflict("other_content", f"Turn {turn.turn} of this session is stored with other content.")
    return fresh, known
