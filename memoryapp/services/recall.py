"""Fetching context: what is offered, what is sent, and the trace of both."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from accounts.actors import Actor
from accounts.ids import instant_of, uuid7
from accounts.models import Scope
from memoryapp.database.isolation import acting_for
from memoryapp.policy.block import build_block
from memoryapp.policy.relevance.lexical import Lexical
from memoryapp.policy.relevance.scorer import Scorer
from memoryapp.policy.relevance.terms_overlap import TermsOverlap
from memoryapp.policy.retrieval import select, session_start
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import PERSONAL, POLICY_VERSION, BlockEntry, Budget, Verdict
from memoryapp.services.errors import NotFound
from memoryapp.services.offer import Ask, Offer, offer_now, remembered_now
from memoryapp.services.offer_then import offer_then, remembered_then
from memoryapp.services.search import SHOWN
from memoryapp.services.shown import slot_key, time_json
from memoryapp.services.trace_items import TraceItem, dump_items
from memoryapp.services.uses import count_later
from memoryapp.tokens import count_tokens

_INSERT_TRACE = """
insert into memoryapp_retrievaltrace (
    id, created_at, person_id, agent_key_id, scopes, query, session, agent_request_id, as_of, floor, budget,
    policy_version, scorer, notice, items, counts
) values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::jsonb, %s, %s, %s, %s, %s::jsonb)
"""
DEFAULT_BUDGET_TOKENS = 800
_SCORERS: dict[str, Scorer] = {"lexical": Lexical(), "terms_overlap": TermsOverlap()}
_VERDICTS = ("below_floor", "over_limit", "over_budget", "replaced", "duplicate")


@dataclass(frozen=True, slots=True)
class ContextRequest:
    """A call for context. No scope means the personal one; no budget means 800 tokens; no floor, the setting's."""

    scopes: tuple[str, ...] = ()
    query: str | None = None
    budget_tokens: int | None = None
    budget_chars: int | None = None
    floor: float | None = None
    limit: int = 20
    kinds: tuple[str, ...] | None = None
    as_of: datetime | None = None
    session: str | None = None
    agent_request_id: str | None = None
    explain: bool = False
    counted: dict[str, int] = field(default_factory=dict, compare=False, repr=False)

    @property
    def budget(self) -> Budget:
        """In characters when those are given, else in tokens."""
        if self.budget_chars is not None:
            return Budget(self.budget_chars, len)
        return Budget(DEFAULT_BUDGET_TOKENS if self.budget_tokens is None else self.budget_tokens, self.count)

    @property
    def budget_json(self) -> dict[str, int]:
        return {"tokens" if self.budget_chars is None else "chars": self.budget.size}

    def count(self, text: str) -> int:
        """Tokens. The block is measured when it is packed and told when it is sent: it is counted once."""
        if text not in self.counted:
            self.counted[text] = count_tokens(text)
        return self.counted[text]

    @property
    def effective_floor(self) -> float:
        return float(settings.MEMORY_FLOOR) if self.floor is None else self.floor


@dataclass(frozen=True, slots=True)
class _Retrieved:
    """What one retrieval came to."""

    verdicts: Sequence[Verdict]
    offer: Offer
    context: str
    notice: str | None = None

    @property
    def sent(self) -> list[Verdict]:
        return [one for one in self.verdicts if one.verdict == "included"]

    def withheld(self, unlisted_verdict: str) -> dict[str, int]:
        counts = Counter[str](one.verdict for one in self.verdicts)
        withheld = {name: counts[name] for name in _VERDICTS} | {"paused": self.offer.paused, "stale": self.offer.stale}
        withheld[unlisted_verdict] += self.offer.unlisted + len(self.offer.unmet)
        return withheld


def recall(request: ContextRequest, *, actor: Actor | None) -> dict[str, Any]:
    """The block for the prompt, what is in it, what was withheld, and the id of its trace.

    `actor` None, an unknown person, has nothing and leaves no trace. NotFound for a scope that the key may not use.
    The trace is readable once the caller's transaction has ended; a crash may lose the last second of traces.
    """
    if actor is None:
        return _response(request, _Retrieved([], Offer(), ""), None)
    if not all(map(actor.may_use_scope, request.scopes or (PERSONAL,))):
        raise NotFound
    trace_id = uuid7()
    person_id = actor.opened
    with acting_for(person_id):
        use, scopes, now = _open_scopes(request, actor)
        if use:
            retrieved = _retrieve(request, scopes, person_id, trace_id, now)
        else:
            retrieved = _Retrieved([], Offer(), "", notice="use_off")
        response = _response(request, retrieved, trace_id)
        _record(request, retrieved, response, trace_id, actor)
        if request.as_of is None:
            used = [one.offered.memory_id for one in retrieved.sent if one.why not in ("pinned", "always_on")]
            if used:
                transaction.on_commit(lambda: count_later(person_id, used, instant_of(trace_id)))
        return response


def _open_scopes(request: ContextRequest, actor: Actor) -> tuple[bool, list[Scope], datetime]:
    """Whether the person lets memories be used; in the order of the request the scopes that serve; the database's time.

    The same statement lets the transaction end without waiting for the disk: all that it writes is the trace.
    """
    names = [*dict.fromkeys([*request.scopes, PERSONAL])]
    with connection.cursor() as cursor:
        cursor.execute(
            "select set_config('synchronous_commit', 'off', true), clock_timestamp(),"
            " person.use, scope.id, scope.name, scope.use"
            " from accounts_user person left join accounts_scope scope"
            " on scope.person_id = person.id and scope.name = any(%s)"
            " where person.id = %s order by array_position(%s, scope.name::text)",
            [names, actor.person_id, names],
        )
        rows = cursor.fetchall()
    may = [(scope_id, name, use) for *_, scope_id, name, use in rows if scope_id and actor.may_use_scope(name)]
    scopes = [Scope(id=scope_id, person_id=actor.opened, name=name) for scope_id, name, use in may if use]
    return any(row[2] for row in rows) and bool(scopes or not may), scopes, rows[0][1]


def _retrieve(
    request: ContextRequest, scopes: Sequence[Scope], person_id: UUID, trace_id: UUID, now: datetime
) -> _Retrieved:
    query = (request.query or "").strip()
    floor = request.effective_floor
    ask = Ask(
        person_id=person_id,
        scopes=scopes,
        named=request.scopes or (PERSONAL,),
        query=query,
        floor=floor,
        kinds=request.kinds,
        now=request.as_of or now,
        with_texts=request.explain,
    )
    ages_at = request.as_of or instant_of(trace_id)
    if query:
        scorer = _SCORERS[settings.MEMORY_SCORER]
        is_live = request.as_of is None and isinstance(scorer, Lexical)
        offer = offer_now(ask) if is_live else offer_then(ask, scorer)
        verdicts = select(offer.offered, floor=floor, budget=request.budget, limit=request.limit, now=ages_at)
    else:
        remembered, offer = remembered_now(ask) if request.as_of is None else remembered_then(ask)
        verdicts = session_start(
            remembered, scopes=request.scopes, budget=request.budget, limit=request.limit, now=ages_at
        )
    entries = [
        BlockEntry(one.offered.kind, one.offered.scope, one.offered.text, one.offered.confirmed_at)
        for one in verdicts
        if one.verdict == "included"
    ]
    return _Retrieved(verdicts, offer, build_block(entries, now=ages_at))


def _response(request: ContextRequest, retrieved: _Retrieved, trace_id: UUID | None) -> dict[str, Any]:
    # What meets a request in nothing is below every floor but 0; without a request there is no floor.
    has_floor = request.effective_floor > 0 and bool((request.query or "").strip())
    response = {
        "trace_id": trace_id and str(trace_id),
        "context": retrieved.context,
        "memories": [_memory_json(one) for one in retrieved.sent],
        "withheld": retrieved.withheld("below_floor" if has_floor else "over_limit"),
        "used": {"tokens": request.count(retrieved.context), "chars": len(retrieved.context)},
        "budget": request.budget_json,
        "floor": request.effective_floor,
        "notice": retrieved.notice,
    }
    if request.explain:
        response["considered"] = [_considered_json(one) for one in _listed(retrieved.verdicts)]
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


def _listed(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The 200 best, and all that were sent."""
    return [one for rank, one in enumerate(verdicts) if rank < SHOWN or one.verdict == "included"]


def _record(
    request: ContextRequest, retrieved: _Retrieved, response: dict[str, Any], trace_id: UUID, actor: Actor
) -> None:
    items = [
        TraceItem(
            memory_id=one.offered.memory_id,
            version=one.offered.version,
            verdict=one.verdict,
            why=one.why,
            relevance=one.offered.score.relevance if one.offered.score else None,
            parts=one.offered.score.parts if one.offered.score else {},
            confirmed_at=one.offered.confirmed_at if one.verdict == "included" else None,
        )
        for one in _listed(retrieved.verdicts)
    ]
    query = request.query and mask_secrets(request.query)
    counts = {
        "offered": len(retrieved.verdicts) + len(retrieved.offer.unmet) + retrieved.offer.unlisted,
        "limit": request.limit,
        "withheld": response["withheld"],
        "used": response["used"],
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
                _SCORERS[settings.MEMORY_SCORER].name,
                retrieved.notice,
                dump_items(items, retrieved.offer.unmet[: max(0, SHOWN - len(items))]),
                json.dumps(counts),
            ],
        )
