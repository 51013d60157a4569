"""Retrieving: what of the memories in scope a request comes to, with the block for the prompt; nothing is recorded."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache, partial
from uuid import UUID

from django.conf import settings
from django.db import connection

from accounts.actors import Actor
from accounts.ids import instant_of, uuid7
from accounts.models import Scope
from memoryapp.database.isolation import acting_for
from memoryapp.policy.block import build_block
from memoryapp.policy.relevance.blended import Blended, coefficients_of
from memoryapp.policy.relevance.lexical import Lexical
from memoryapp.policy.relevance.scorer import Scorer
from memoryapp.policy.relevance.terms_overlap import TermsOverlap
from memoryapp.policy.retrieval import select, session_start
from memoryapp.policy.types import PERSONAL, BlockEntry, Budget, Verdict
from memoryapp.services import embed_later
from memoryapp.services.errors import NotFound
from memoryapp.services.meaning import Meaning, Unavailable, is_at_hand, meaning_of, model_in_use
from memoryapp.services.offer import Ask, Offer, offer_now
from memoryapp.services.offer_then import offer_then, remembered_then
from memoryapp.services.search import SHOWN
from memoryapp.services.session_start import remembered_now
from memoryapp.tokens import count_tokens

DEFAULT_BUDGET_TOKENS = 800
SCORERS: dict[str, Scorer] = {"lexical": Lexical(), "terms_overlap": TermsOverlap()}
"""Those that look at words only. The default one, `blended`, looks at vectors too."""
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
class Retrieved:
    """What one retrieval came to. `scorer` is the name of the one that was asked."""

    verdicts: Sequence[Verdict]
    offer: Offer
    context: str
    notice: str | None = None
    scorer: str = Lexical.name

    @property
    def offered(self) -> int:
        """How many there were to choose from, those that are only counted included."""
        return len(self.verdicts) + len(self.offer.failing) + len(self.offer.unmet) + self.offer.unlisted

    @property
    def sent(self) -> list[Verdict]:
        return [one for one in self.verdicts if one.verdict == "included"]

    @property
    def listed(self) -> list[Verdict]:
        """The 200 best, and all that were sent."""
        return [one for rank, one in enumerate(self.verdicts) if rank < SHOWN or one.verdict == "included"]

    def withheld(self, request: ContextRequest) -> dict[str, int]:
        """How many were not sent, by verdict, those that are only counted included."""
        counts = Counter[str](one.verdict for one in self.verdicts)
        withheld = {name: counts[name] for name in _VERDICTS} | {"paused": self.offer.paused, "stale": self.offer.stale}
        # What meets a request in nothing is below every floor but 0; without a request there is no floor.
        has_floor = request.effective_floor > 0 and bool((request.query or "").strip())
        withheld["below_floor"] += len(self.offer.failing)
        withheld["below_floor" if has_floor else "over_limit"] += self.offer.unlisted + len(self.offer.unmet)
        return withheld


@dataclass(frozen=True, slots=True)
class Understood:
    """What was made of a request before any row was read: its vector, unless there is none or none could be had."""

    meaning: Meaning | None = None
    failed: bool = False


_understanding = ThreadPoolExecutor(thread_name_prefix="understand")


@contextmanager
def retrieving(
    request: ContextRequest, actor: Actor, understood: Callable[[], Understood] | None = None
) -> Iterator[tuple[UUID, Retrieved]]:
    """What the request comes to, with the id of its trace to be, while the person is open. Nothing is written.

    `understood` is what `understanding_of` gave for this request, where it was begun before. Where vectors still wait
    and are at hand within milliseconds, they are made first. NotFound for a person who is no more.
    """
    understood = understood or understanding_of(request)
    if _is_read(request) and not embed_later.can_catch_up() and _may_use(request, actor):
        understood()  # No transaction waits for it.
    with acting_for(actor.opened):
        trace_id = uuid7()
        retrieved = _look(request, understood, actor, trace_id)
        if not (retrieved.offer.waiting and embed_later.can_catch_up()):
            yield trace_id, retrieved
            return
    embed_later.catch_up(actor.opened)
    with acting_for(actor.opened):
        trace_id = uuid7()
        yield trace_id, _look(request, understood, actor, trace_id)


def understanding_of(request: ContextRequest) -> Callable[[], Understood]:
    """A model at hand begins to read the request, unless it did lately, while the database finds the person and looks
    for words. One far away is asked when it is called: it may take its time, and no other request waits for a thread
    that does.
    """
    if _is_read(request) and embed_later.can_catch_up() and not is_at_hand(request.query):
        return _understanding.submit(_understand, request).result
    return cache(partial(_understand, request))


def _is_read(request: ContextRequest) -> bool:
    return settings.MEMORY_SCORER == "blended" and bool((request.query or "").strip()) and bool(model_in_use())


def _may_use(request: ContextRequest, actor: Actor) -> bool:
    """Whether the person lets memories be used: else nobody is told what was asked. NotFound for one who is no more."""
    with acting_for(actor.opened):
        use, *_ = _open_scopes(request, actor)
        return use


def _understand(request: ContextRequest) -> Understood:
    if settings.MEMORY_SCORER != "blended":
        return Understood()
    if not model_in_use():
        return Understood(failed=True)
    try:
        return Understood(meaning_of(request.query))
    except Unavailable:
        return Understood(failed=True)


def _look(request: ContextRequest, understood: Callable[[], Understood], actor: Actor, trace_id: UUID) -> Retrieved:
    use, scopes, now = _open_scopes(request, actor)
    if not use:
        return Retrieved([], Offer(), "", notice="use_off")
    return _retrieve(request, understood, scopes, actor.opened, trace_id, now)


# Also lets the transaction end without waiting for the disk (all that it writes is the trace), and lets its statements
# be planned once: each reads one person's rows by the same indexes, whoever that is and whatever is asked.
_OPEN = """
select clock_timestamp(), person.use, set_config('synchronous_commit', 'off', true),
    set_config('plan_cache_mode', 'force_generic_plan', true), scope.id, scope.name, scope.use
from accounts_user person left join accounts_scope scope on scope.person_id = person.id and scope.name = any(%s)
where person.id = %s and person.is_active order by array_position(%s, scope.name::text)
"""


def _open_scopes(request: ContextRequest, actor: Actor) -> tuple[bool, list[Scope], datetime]:
    """Whether the person lets memories be used; in the request's order the scopes that serve; the database's time."""
    names = [*dict.fromkeys([*request.scopes, PERSONAL])]
    with connection.cursor() as cursor:
        cursor.execute(_OPEN, [names, actor.person_id, names])
        rows = cursor.fetchall()
    if not rows:
        raise NotFound
    may = [(scope_id, name, use) for *_, scope_id, name, use in rows if scope_id and actor.may_use_scope(name)]
    scopes = [Scope(id=scope_id, person_id=actor.opened, name=name) for scope_id, name, use in may if use]
    return any(row[1] for row in rows) and bool(scopes or not may), scopes, rows[0][0]


def _retrieve(
    request: ContextRequest,
    understood: Callable[[], Understood],
    scopes: Sequence[Scope],
    person_id: UUID,
    trace_id: UUID,
    now: datetime,
) -> Retrieved:
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
        model=model_in_use() if settings.MEMORY_SCORER == "blended" else "",
        meaning=lambda: understood().meaning,
    )
    ages_at = request.as_of or instant_of(trace_id)
    if query:
        is_live = request.as_of is None and settings.MEMORY_SCORER != "terms_overlap"
        offer = offer_now(ask) if is_live else offer_then(ask, _scorer(understood()))
        verdicts = select(offer.offered, floor=floor, budget=request.budget, limit=request.limit, now=ages_at)
    else:
        remembered, offer = remembered_now(ask, ages_at) if request.as_of is None else remembered_then(ask)
        verdicts = session_start(
            remembered, scopes=request.scopes, budget=request.budget, limit=request.limit, now=ages_at
        )
    entries = [
        BlockEntry(one.offered.kind, one.offered.scope, one.offered.text, one.offered.confirmed_at)
        for one in verdicts
        if one.verdict == "included"
    ]
    notice = "lexical_only" if query and (understood().failed or offer.waiting) else None
    return Retrieved(verdicts, offer, build_block(entries, now=ages_at), notice, _scorer(understood()).name)


def _scorer(understood: Understood) -> Scorer:
    if understood.meaning and understood.meaning.dimension:
        return Blended(coefficients_of(understood.meaning.model))
    return SCORERS.get(settings.MEMORY_SCORER, SCORERS["lexical"])
