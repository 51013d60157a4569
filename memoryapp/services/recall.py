"""Fetching context: what is sent, and the trace of what was offered."""

import json
from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from accounts.actors import Actor
from accounts.ids import instant_of
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import PERSONAL, POLICY_VERSION, Verdict
from memoryapp.services.errors import NotFound
from memoryapp.services.offer import Offer
from memoryapp.services.retrieving import ContextRequest, Retrieved, Understood, retrieving, understanding_of
from memoryapp.services.search import SHOWN
from memoryapp.services.shown import slot_key, time_json
from memoryapp.services.trace_items import Failing, dump_items
from memoryapp.services.uses import count_later

__all__ = ["ContextRequest", "recall", "understanding_of"]

HELD_SHOWN = 50
"""So many of what was held back are named in a trace; the others are counted."""

_INSERT_TRACE = """
insert into memoryapp_retrievaltrace (
    id, created_at, person_id, agent_key_id, scopes, query, session, agent_request_id, as_of, floor, budget,
    policy_version, scorer, notice, items, counts
) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s, %s, %s, %s::jsonb)
"""


def recall(
    request: ContextRequest, *, actor: Actor | None, understood: Callable[[], Understood] | None = None
) -> dict[str, Any]:
    """The block for the prompt, what is in it, what was withheld, and the id of its trace.

    `understood` comes from `understanding_of`, where reading the request was begun before its person was known. `actor`
    None, an unknown person, has nothing and leaves no trace; so does one who is erased meanwhile.
    NotFound for a scope that the key may not use.
    The trace is readable once the caller's transaction has ended; a crash may lose the last second of traces.
    """
    if actor is None:
        return _response(request, Retrieved([], Offer(), ""), None)
    if not all(map(actor.may_use_scope, request.scopes or (PERSONAL,))):
        raise NotFound
    try:
        with retrieving(request, actor, understood) as (trace_id, retrieved):
            return _send(request, retrieved, trace_id, actor)
    except NotFound:
        return _response(request, Retrieved([], Offer(), ""), None)


def _send(request: ContextRequest, retrieved: Retrieved, trace_id: UUID, actor: Actor) -> dict[str, Any]:
    response = _response(request, retrieved, trace_id)
    _record(request, retrieved, response, trace_id, actor)
    if request.as_of is None:
        used = [one.offered.memory_id for one in retrieved.sent if one.why not in ("pinned", "always_on")]
        if used:
            transaction.on_commit(lambda: count_later(actor.opened, used, instant_of(trace_id)))
    return response


def _response(request: ContextRequest, retrieved: Retrieved, trace_id: UUID | None) -> dict[str, Any]:
    response = {
        "trace_id": trace_id and str(trace_id),
        "context": retrieved.context,
        "memories": [_memory_json(one) for one in retrieved.sent],
        "withheld": retrieved.withheld(request),
        "used": {"tokens": request.count(retrieved.context), "chars": len(retrieved.context)},
        "budget": request.budget_json,
        "floor": request.effective_floor,
        "notice": retrieved.notice,
    }
    if request.explain:
        response["considered"] = [_considered_json(one) for one in retrieved.listed]
    return response


def _memory_json(one: Verdict) -> dict[str, Any]:
    offered = one.offered
    return {
        "id": str(offered.memory_id),
        "version": offered.version,
        "kind": offered.kind,
        "subject": offered.subject,
        "key": slot_key(offered.kind, offered.scope, offered.subject),
        "text": offered.text,
        "scope": offered.scope,
        "relevance": offered.score.relevance if offered.score else None,
        "why": one.why,
        "confirmed_at": time_json(offered.confirmed_at),
    }


def _considered_json(one: Verdict) -> dict[str, Any]:
    offered = one.offered
    return {
        "id": str(offered.memory_id),
        "version": offered.version,
        "key": slot_key(offered.kind, offered.scope, offered.subject),
        "text": offered.text,
        "relevance": offered.score.relevance if offered.score else None,
        "parts": offered.score.parts if offered.score else {},
        "verdict": one.verdict,
    }


def _record(
    request: ContextRequest, retrieved: Retrieved, response: dict[str, Any], trace_id: UUID, actor: Actor
) -> None:
    listed, offer = retrieved.listed, retrieved.offer
    query = request.query and mask_secrets(request.query)
    counts = {
        "offered": retrieved.offered,
        "limit": request.limit,
        "withheld": response["withheld"],
        "used": response["used"],
        "kinds": request.kinds,
        "held": [(held.hex, version, state) for held, version, state in offer.held[:HELD_SHOWN]],
    }
    with connection.cursor() as cursor:
        cursor.execute(
            _INSERT_TRACE,
            [
                trace_id,
                instant_of(trace_id),
                actor.opened,
                actor.key_id,
                list(request.scopes) or [PERSONAL],
                query,
                request.session,
                request.agent_request_id,
                request.as_of,
                request.effective_floor,
                json.dumps(request.budget_json),
                POLICY_VERSION,
                retrieved.scorer,
                retrieved.notice,
                dump_items(listed, _shown(offer, SHOWN - len(listed))),
                json.dumps(counts),
            ],
        )


def _shown(offer: Offer, most: int) -> tuple[Failing, Failing]:
    """So many of what was not relevant enough, the best first."""
    failing = offer.failing.first(max(0, most))
    return failing, offer.unmet.first(max(0, most - len(failing)))
