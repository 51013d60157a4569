"""What a retrieval has to choose from: the memories in scope, scored, with the texts of those that may be sent."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import Q, QuerySet
from django.db.models.functions import Least

from accounts.models import Scope
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.policy.relevance.blended import Blended, Weighed, coefficients_of
from memoryapp.policy.relevance.probe import Match, Probe
from memoryapp.policy.relevance.terms import analyse_request
from memoryapp.policy.retrieval import FREQUENT, FREQUENT_MIN_USES, OF_SCOPE, RECENT, Remembered, needing_words
from memoryapp.policy.types import Offered, Score, Why
from memoryapp.services.kept_indexes import indexes_of
from memoryapp.services.meaning import Meaning
from memoryapp.services.search import SHOWN, Found, Scan, probe_for, scan
from memoryapp.services.trace_items import Row, failing_row, parse_unmet


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

    `failing` are the best of those that are not relevant enough, as a trace notes them (with texts they are offered).
    `unmet` are those that the request meets in nothing, as `id version`, while the floor lets none of them pass;
    `unlisted` counts further ones like them. `paused` and `stale` count what would have been sent, had it stood; `held`
    names those of them that the request meets or that are always on, with version and state. `waiting` counts memories
    whose vectors are still to be made.
    """

    offered: list[Offered] = field(default_factory=list)
    failing: list[Row] = field(default_factory=list)
    unmet: list[str] = field(default_factory=list)
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
    current = [one for one in seen.found if one.state == State.CURRENT]
    others = [one for one in seen.found if one.state != State.CURRENT and ask.wants(one.kind)]
    offer = Offer(waiting=waiting)
    _hold_back(offer, others, current, seen, partial(_weigh, ask, probe), ask.floor)
    weighed = _weigh(ask, probe, current, seen.total, seen.beyond)
    passing, failing = _passing_and_best(ask, current, weighed.relevances)
    offer.unmet = seen.unmet
    offer.unlisted = max(0, seen.offered - len(passing) - len(failing) - len(offer.unmet))
    unmet: list[tuple[UUID, int]] = []
    if ask.with_texts:
        passing, failing = passing + failing, []
    if ask.with_texts or ask.floor == 0:
        unmet, offer.unmet = [parse_unmet(one) for one in offer.unmet], []
    heads = _as_found([*((current[place].memory_id, current[place].version) for place in passing), *unmet])
    for place in passing:
        if head := heads[current[place].memory_id]:
            offer.offered.append(_from_head(head, ask, weighed.score(place)))
    offer.offered += [_from_head(head, ask, Score(0.0)) for memory_id, _ in unmet if (head := heads[memory_id])]
    offer.failing = [
        failing_row(current[place].number, current[place].version, weighed.score(place)) for place in failing
    ]
    return offer


def _hold_back(
    offer: Offer,
    others: Sequence[Found],
    current: Sequence[Found],
    seen: Scan,
    weigh: Callable[[Sequence[Found], int, Mapping[Match, int]], Weighed],
    floor: float,
) -> None:
    """Notes what would be sent, were it current. It is scored beside the current ones, which it does not influence."""
    met = Counter(one.state for one in others if not one.always_on)
    unmet_paused, unmet_stale = seen.paused - met[State.PAUSED], seen.stale - met[State.STALE]
    if others:
        total = seen.total + len(others) + unmet_paused + unmet_stale
        as_if_current = weigh([*others, *current], total, seen.beyond + seen.held_beyond)
        for one, relevance in zip(others, as_if_current.relevances, strict=False):
            if one.always_on or relevance >= floor:
                offer.withhold(one.memory_id, one.version, one.state)
    if floor == 0:
        offer.paused += unmet_paused
        offer.stale += unmet_stale


def _weigh(ask: Ask, probe: Probe, found: Sequence[Found], total: int, beyond: Mapping[Match, int]) -> Weighed:
    matches, cosines = [one.match for one in found], [one.cosine for one in found]
    return ask.scorer.weigh(probe, matches, total, cosines, beyond)


def _passing_and_best(ask: Ask, found: Sequence[Found], relevances: Sequence[float]) -> tuple[list[int], list[int]]:
    """The places of those that may be sent, and the best of the others in order, `SHOWN` of them at most."""
    passing: list[int] = []
    others: list[int] = []
    for place, (one, relevance) in enumerate(zip(found, relevances, strict=True)):
        if ask.wants(one.kind):
            (passing if one.always_on or relevance >= ask.floor else others).append(place)
    others.sort(key=lambda at: (-relevances[at], -found[at].confirmed_at, found[at].number))
    return passing, others[:SHOWN]


_AS_FOUND = """
select version.memory_id, version.number, version.kind, version.scope_id, version.subject, version.subject_key,
    version.text, version.pinned, version.importance, memory.seen, memory.confirmed_at
from unnest(%s::uuid[], %s::int[]) as found (memory_id, number)
join memoryapp_memoryversion version using (memory_id, number)
join memoryapp_memory memory on memory.id = version.memory_id
where memory.state not in ('forgotten', 'paused') and not memory.disputed
"""


class _Head(NamedTuple):
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


def _as_found(wanted: Sequence[tuple[UUID, int]]) -> dict[UUID, _Head | None]:
    """The memories as they stood when they were found; None for what may not be sent any more."""
    versions = dict(wanted)
    heads: dict[UUID, _Head | None] = dict.fromkeys(versions)
    if versions:
        with connection.cursor() as cursor:
            cursor.execute(_AS_FOUND, [list(versions), list(versions.values())])
            heads |= {row[0]: _Head(*row) for row in cursor.fetchall()}
    return heads


def remembered_now(ask: Ask) -> tuple[list[Remembered], Offer]:
    """What stands now and could open a session: the always-on ones, the latest, the most used, the latest by scope."""
    rows: QuerySet[Memory] = Memory.objects.filter(person_id=ask.person_id, scope__in=ask.scopes, disputed=False)
    rows = rows.alias(ends_at=Least("valid_to", "expires_at")).filter(
        Q(ends_at__isnull=True) | Q(ends_at__gt=ask.now), valid_from__lte=ask.now
    )
    if ask.kinds is not None:
        rows = rows.filter(kind__in=ask.kinds)
    always = Q(kind="preference") | Q(pinned=True)
    offer = Offer()
    kept_back = rows.filter(always, state__in=(State.PAUSED, State.STALE)).order_by("pk")
    for memory_id, version, state in kept_back.values_list("pk", "version", "state"):
        offer.withhold(memory_id, version, state)
    current = rows.filter(state=State.CURRENT)
    latest = current.order_by("-confirmed_at", "id")
    used = current.filter(use_count__gte=FREQUENT_MIN_USES).order_by("-use_count", "-confirmed_at", "id")
    remembered = {one.offered.memory_id: one for one in _always_on_now(current.filter(always), ask)}
    heads = {head.pk: head for head in latest[:SHOWN]}
    # What an earlier sort takes is not free for a later one, so each needs room for those before it.
    heads |= {head.pk: head for head in used[: FREQUENT + RECENT]}
    heads |= {head.pk: head for head in latest.filter(scope__name__in=ask.named)[: OF_SCOPE + FREQUENT + RECENT]}
    remembered |= {pk: Remembered(_from_head(head, ask), head.use_count) for pk, head in heads.items()}
    # Counted a moment later than listed: another call may have taken some out.
    offer.unlisted = max(0, current.count() - len(remembered))
    return list(remembered.values()), offer


_BARE = [name for name in _Head._fields if name not in ("subject", "text")]


def _always_on_now(rows: QuerySet[Memory], ask: Ask) -> Iterable[Remembered]:
    """All of them; of very many, only those that may be sent or shown have a text."""
    heads = list(rows[: SHOWN + 1])
    if len(heads) <= SHOWN:
        return [Remembered(_from_head(head, ask), head.use_count) for head in heads]
    bare = {
        row["pk"]: Remembered(_from_head(_Head(**row, subject="", text=""), ask), use_count)
        for row in rows.values(*_BARE, "use_count")
        for use_count in [row.pop("use_count")]
    }
    needed = needing_words([one.offered for one in bare.values()], most=SHOWN)
    full = {head.pk: Remembered(_from_head(head, ask), head.use_count) for head in rows.filter(pk__in=needed)}
    # What is not found again may not be sent any more.
    return [full.get(pk, one) for pk, one in bare.items() if pk in full or pk not in needed]


def _from_head(head: Memory | _Head, ask: Ask, score: Score | None = None) -> Offered:
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
