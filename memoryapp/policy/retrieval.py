"""The retrieval policy: what of the memories in scope enters the next prompt, and what became of the others.

The order is the safety: always-on first, then relevance with a floor, all under one hard limit and budget. Scope and
validity come before: only what is in scope and valid now is offered.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from memoryapp.policy.packing import pack
from memoryapp.policy.types import PERSONAL, Budget, Offered, Verdict, VerdictName, Why

RECENT_DAYS = 7
RECENT = 5
FREQUENT_MIN_USES = 3
FREQUENT = 5
OF_SCOPE = 5
AT_MOST = 10
"""Session start: how many of each sort, and in all (the reference figures)."""
BAND = 0.05
"""What was said lately, counts as important or was said often ranks as if its relevance were so much higher at most."""
HOURLY_DECAY = 0.995
MIDDLING = 5
"""The importance, of 1 to 10, of what nobody gave one."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """One memory in scope at session start, and how often it was used."""

    offered: Offered
    uses: int = 0


def select(offered: Sequence[Offered], *, floor: float, budget: Budget, limit: int, now: datetime) -> list[Verdict]:
    """A verdict for every offered memory, in rank order; the block of the included ones stays within the budget.

    Those with a `why` of pinned or always_on come first and need no relevance: pinned first, then the most confirmed,
    the latest, the smaller id. The others must reach the floor by their relevance alone, and rank by it; how lately and
    how often it was said and how important it is decide within `BAND`, then the latest, the smaller id. `now` sets
    ages. Limit 0 or budget 0 includes nothing.
    """
    always, replaced = _always_on(offered)
    passing: list[Offered] = []
    failing: list[Offered] = []
    for o in offered:
        if not _is_always_on(o):
            (passing if _relevance(o) >= floor else failing).append(o)
    passing.sort(key=lambda o: _by_rank(o, now))
    failing.sort(key=_by_relevance)
    fate: dict[UUID, VerdictName] = dict.fromkeys(replaced, "replaced")
    ranked = [o for o in always if o.memory_id not in replaced] + passing
    fate |= pack(ranked, budget=budget, limit=limit, now=now)
    return [
        *(Verdict(o, fate[o.memory_id], o.why) for o in always),
        *(Verdict(o, fate[o.memory_id], "relevant") for o in passing),
        *(Verdict(o, "below_floor", o.why) for o in failing),
    ]


def session_start(
    remembered: Sequence[Remembered], *, scopes: Collection[str], budget: Budget, limit: int, now: datetime
) -> list[Verdict]:
    """As `select`, where there is no request: no relevance, but a reason for each.

    Always-on first, then up to five confirmed in the last seven days (latest first), five used three times or more
    (most used first) and five of the named scopes (latest first; of the personal one when none is named); each once,
    ten in all, pinned ones never cut for that. What is not among them is over_limit.
    """
    opening = _opening(remembered, scopes, now)
    fate: dict[UUID, VerdictName] = dict.fromkeys((r.offered.memory_id for r in remembered), "over_limit")
    fate |= dict.fromkeys(opening.replaced, "replaced")
    fate |= pack(opening.kept, budget=budget, limit=limit, now=now)
    return [Verdict(o, fate[o.memory_id], opening.why.get(o.memory_id, o.why)) for o in opening.order]


def may_open(remembered: Sequence[Remembered], *, scopes: Collection[str], now: datetime, shown: int) -> list[Offered]:
    """What `session_start` needs the words of: what it may send, and the first `shown` of its verdicts."""
    opening = _opening(remembered, scopes, now)
    needed = {o.memory_id: o for o in (*opening.order[:shown], *opening.kept)}
    return list(needed.values())


class _Opening(NamedTuple):
    """What a session may open with, before anything is measured. `kept` is packed, `order` is of all verdicts."""

    kept: Sequence[Offered]
    replaced: Collection[UUID]
    why: Mapping[UUID, Why]
    order: Sequence[Offered]


def _opening(remembered: Sequence[Remembered], scopes: Collection[str], now: datetime) -> _Opening:
    always, replaced = _always_on([r.offered for r in remembered])
    others = sorted((r for r in remembered if not _is_always_on(r.offered)), key=lambda r: _by_time(r.offered))
    named = set(scopes) or {PERSONAL}
    recent = [r for r in others if now - r.offered.confirmed_at <= timedelta(days=RECENT_DAYS)]
    frequent = sorted((r for r in others if r.uses >= FREQUENT_MIN_USES), key=lambda r: -r.uses)
    of_scope = [r for r in others if r.offered.scope in named]

    why: dict[UUID, Why] = {}
    ranked = [o for o in always if o.memory_id not in replaced]
    sorts: tuple[tuple[Why, list[Remembered], int], ...] = (
        ("recent", recent, RECENT),
        ("frequent", frequent, FREQUENT),
        ("scope", of_scope, OF_SCOPE),
    )
    for reason, candidates, most in sorts:
        chosen = [r.offered for r in candidates if r.offered.memory_id not in why][:most]
        why |= dict.fromkeys((o.memory_id for o in chosen), reason)
        ranked += chosen
    kept = max(AT_MOST, sum(o.pinned for o in ranked))
    placed = {o.memory_id for o in [*always, *ranked]}
    order = [*always, *(o for o in ranked if not _is_always_on(o))]
    order += [r.offered for r in others if r.offered.memory_id not in placed]
    return _Opening(ranked[:kept], replaced, why, order)


def _is_always_on(offered: Offered) -> bool:
    return offered.why in ("pinned", "always_on")


def _always_on(offered: Sequence[Offered]) -> tuple[list[Offered], set[UUID]]:
    """The always-on ones in rank order, and those among them that a preference of an earlier scope replaces."""
    always = sorted((o for o in offered if _is_always_on(o)), key=lambda o: (not o.pinned, -o.seen, *_by_time(o)))
    first: dict[str, int] = {}
    preferences = [o for o in always if o.kind == "preference"]
    for o in preferences:
        first[o.subject_key] = min(o.scope_rank, first.get(o.subject_key, o.scope_rank))
    return always, {o.memory_id for o in preferences if o.scope_rank > first[o.subject_key]}


def _relevance(offered: Offered) -> float:
    return offered.score.relevance if offered.score else 0.0


def _by_relevance(offered: Offered) -> tuple[float, bool, float, UUID]:
    """Of what is not relevant at all, first what the request meets in something."""
    is_met = offered.score is not None and bool(offered.score.values)
    return (-_relevance(offered), not is_met, *_by_time(offered))


def _by_rank(offered: Offered, now: datetime) -> tuple[float, float, UUID]:
    hours = max(0.0, (now - offered.confirmed_at).total_seconds() / 3600)
    importance = (MIDDLING if offered.importance is None else offered.importance) / 10
    standing = (HOURLY_DECAY**hours + importance + 1 - 1 / max(1, offered.seen)) / 3
    return (-round(_relevance(offered) + BAND * standing, 6), *_by_time(offered))


def _by_time(offered: Offered) -> tuple[float, UUID]:
    """Most recently confirmed first, then the smaller id."""
    return (-offered.confirmed_at.timestamp(), offered.memory_id)
