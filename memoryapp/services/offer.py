"""What a retrieval has to choose from: the memories in scope, scored, with the texts of those that may be sent."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from accounts.models import Scope
from memoryapp.models.memory import State
from memoryapp.policy.relevance.blended import Blended, Columns, coefficients_of
from memoryapp.policy.relevance.probe import Probe
from memoryapp.policy.relevance.terms import analyse_request
from memoryapp.policy.types import Offered, Score, Why
from memoryapp.services.kept_indexes import indexes_of
from memoryapp.services.meaning import Meaning
from memoryapp.services.search import SHOWN, Scan, of_kinds, probe_for, scan
from memoryapp.services.trace_items import Failing


@dataclass(frozen=True, slots=True)
class Ask:
    """What is looked for, and where: scopes in the order of the request, the personal one last unless it is `named`."""

    person_id: UUID
    scopes: Sequence[Scope]
    named: Collection[str]
    query: str
    floor: float
    kinds: Collection[str] | None
    now: datetime
    with_texts: bool = False
    model: str = ""
    """Whose vectors are compared; none where words alone decide."""
    meaning: Callable[[], Meaning | None] = lambda: None

    def rank(self, scope_id: UUID) -> int:
        return next(rank for rank, scope in enumerate(self.scopes) if scope.pk == scope_id)

    @property
    def scorer(self) -> Blended:
        meaning = self.meaning()
        return Blended(coefficients_of(meaning.model if meaning else ""))

    def wants(self, kind: str) -> bool:
        return self.kinds is None or kind in self.kinds


@dataclass(slots=True)
class Offer:
    """The memories to choose from.

    `failing` are the best of those that are not relevant enough (with texts they are offered). `unmet` are those that
    the request meets in nothing, while the floor lets none of them pass; `unlisted` counts further ones like them.
    `paused` and `stale` count what would have been sent, had it stood; `held` names those of them that the request
    meets or that are always on, with version and state. `waiting` counts memories whose vectors are still to be made.
    """

    offered: list[Offered] = field(default_factory=list)
    failing: Failing = field(default_factory=Failing)
    unmet: Failing = field(default_factory=Failing)
    unlisted: int = 0
    paused: int = 0
    stale: int = 0
    held: list[tuple[UUID, int, str]] = field(default_factory=list)
    waiting: int = 0

    def withhold(self, memory_id: UUID, version: int, state: str) -> None:
        self.held.append((memory_id, version, state))
        if state == State.PAUSED:
            self.paused += 1
        elif state == State.STALE:
            self.stale += 1


def always_on(kind: str, *, pinned: bool) -> Why | None:
    return "pinned" if pinned else "always_on" if kind == "preference" else None


def offer_now(ask: Ask) -> Offer:
    """What stands now, scored by its words and its vectors.

    Texts are read only for what can be sent (for all with `with_texts`).
    """
    indexes, waiting = indexes_of(ask.person_id, [scope.pk for scope in ask.scopes], ask.model)
    probe = probe_for(analyse_request(ask.query), indexes)
    seen = scan(probe, ask.meaning, indexes, kinds=ask.kinds, now=ask.now)
    offer = Offer(waiting=waiting)
    _hold_back(offer, seen, ask, probe)
    matches, cosines, rows = seen.current.matches, seen.current.cosines, seen.current.rows
    weighed = ask.scorer.weigh(probe, matches, seen.total, cosines, seen.beyond)
    passing, failing = _passing_and_best(ask, rows, np.array(weighed.relevances))
    offer.unlisted = max(0, seen.offered - len(passing) - len(failing) - len(seen.unmet))
    scored = list(zip(_named(rows[passing]), map(weighed.score, passing), strict=True))
    if ask.with_texts:
        scored += zip(_named(rows[failing]), map(weighed.score, failing), strict=True)
    else:
        offer.failing = _failing(rows[failing], weighed.columns(failing))
    if ask.with_texts or ask.floor == 0:
        scored += [(each, Score(0.0)) for each in _named(seen.unmet)]
    else:
        offer.unmet = _failing(seen.unmet)
    heads = as_found([each for each, _ in scored])
    offer.offered = [from_head(head, ask, score) for (memory_id, _), score in scored if (head := heads[memory_id])]
    return offer


def _hold_back(offer: Offer, seen: Scan, ask: Ask, probe: Probe) -> None:
    """Notes what would be sent, were it current. It is scored beside the current ones, which it does not influence."""
    rows, current = seen.held.rows, seen.current
    met = Counter[str](rows["state"][~rows["is_always_on"]].tolist())
    unmet_paused, unmet_stale = seen.paused - met[State.PAUSED], seen.stale - met[State.STALE]
    if len(rows):
        as_if_current = ask.scorer.weigh(
            probe,
            [*seen.held.matches, *current.matches],
            seen.total + len(rows) + unmet_paused + unmet_stale,
            [*seen.held.cosines, *current.cosines],
            seen.beyond + seen.held_beyond,
        )
        would_be = rows["is_always_on"] | (np.array(as_if_current.relevances[: len(rows)]) >= ask.floor)
        for (memory_id, version), state in zip(_named(rows[would_be]), rows["state"][would_be].tolist(), strict=True):
            offer.withhold(memory_id, version, state)
    if ask.floor == 0:
        offer.paused += unmet_paused
        offer.stale += unmet_stale


def _passing_and_best(ask: Ask, rows: NDArray[Any], relevances: NDArray[np.float64]) -> tuple[list[int], list[int]]:
    """The places of those that may be sent, and the best of the others in order, `SHOWN` of them at most."""
    is_wanted = of_kinds(rows, ask.kinds)
    passes = rows["is_always_on"] | (relevances >= ask.floor)
    others = np.flatnonzero(is_wanted & ~passes)
    low, high, confirmed_at = (rows[name][others] for name in ("low", "high", "confirmed_at"))
    best = others[np.lexsort((low, high, -confirmed_at, -relevances[others]))]
    return np.flatnonzero(is_wanted & passes).tolist(), best[:SHOWN].tolist()


def _failing(rows: NDArray[Any], scores: Columns | None = None) -> Failing:
    ids = np.stack([rows["high"], rows["low"]], axis=1).astype(">u8").tobytes()
    return Failing(ids, rows["version"].tolist(), scores)


def _named(rows: NDArray[Any]) -> list[tuple[UUID, int]]:
    """Id and version of each."""
    each = zip(rows["high"].tolist(), rows["low"].tolist(), rows["version"].tolist(), strict=True)
    return [(UUID(int=high << 64 | low), version) for high, low, version in each]


_AS_FOUND = """
select version.memory_id, version.number, version.kind, version.scope_id, version.subject, version.subject_key,
    version.text, version.pinned, version.importance, memory.seen, memory.confirmed_at
from unnest(%s::uuid[], %s::int[]) as found (memory_id, number)
join memoryapp_memoryversion version using (memory_id, number)
join memoryapp_memory memory on memory.id = version.memory_id
where memory.state not in ('forgotten', 'paused') and not memory.disputed
"""


class Head(NamedTuple):
    """What is sent of a memory, by the names that a `Memory` has for it."""

    pk: UUID
    version: int
    kind: str
    scope_id: UUID
    subject: str
    subject_key: str
    text: str
    pinned: bool
    importance: int | None
    seen: int
    confirmed_at: datetime


def as_found(wanted: Sequence[tuple[UUID, int]]) -> dict[UUID, Head | None]:
    """The memories as they stood when they were found; None for what may not be sent any more."""
    versions = dict(wanted)
    heads: dict[UUID, Head | None] = dict.fromkeys(versions)
    if versions:
        with connection.cursor() as cursor:
            cursor.execute(_AS_FOUND, [list(versions), list(versions.values())])
            heads |= {row[0]: Head(*row) for row in cursor.fetchall()}
    return heads


def from_head(head: Head, ask: Ask, score: Score | None = None) -> Offered:
    """A memory as it stands. What is always on has no score."""
    why = always_on(head.kind, pinned=head.pinned)
    rank = ask.rank(head.scope_id)
    return Offered(
        memory_id=head.pk,
        version=head.version,
        kind=head.kind,
        scope=ask.scopes[rank].name,
        subject=head.subject,
        subject_key=head.subject_key,
        text=head.text,
        confirmed_at=head.confirmed_at,
        seen=head.seen,
        scope_rank=rank,
        pinned=head.pinned,
        score=None if why else score,
        why=why,
        importance=head.importance,
    )
