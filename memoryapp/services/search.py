"""Which memories of some scopes a request meets by a word, or comes near by its vectors."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoryapp.models.memory import State
from memoryapp.policy.relevance.lexical import Lexical
from memoryapp.policy.relevance.probe import Match, Probe, resolve, wanted
from memoryapp.policy.relevance.terms import RequestTerms, term_index
from memoryapp.services.meaning import Meaning
from memoryapp.services.scope_index import ROW, ScopeIndex, cosines, microseconds

SHOWN = 200
"""So many memories are listed, after what is found the latest that the request meets in nothing; the others are only
counted.
"""
NEAREST = 64
"""So many memories are weighed that lie nearest by their vectors, whether or not the request meets a word of theirs."""
MET = 256
"""So many memories are weighed that the request meets best by words; the others only count for how rare a word is."""
_BITS = 62
"""Terms per mask of whole numbers."""


class Found(NamedTuple):
    """Some valid memories in scope, as rows of their indexes, before any text was read; how the request meets each."""

    rows: NDArray[Any] = np.empty(0, ROW)
    matches: Sequence[Match] = ()
    cosines: Sequence[float | None] = ()


@dataclass(frozen=True, slots=True)
class Scan:
    """What the scopes hold for a request.

    `current` are those that it meets by a word, those nearest to it and those that are always on; `held` are such ones
    of the kinds asked for that are paused or stale. `beyond` counts the matches of current ones that it meets by less
    than `MET` others, `held_beyond` those of paused and stale ones. `unmet` are the latest of the others that may be
    sent, so many that `SHOWN` are listed. `total` counts the memories that may be sent, `offered` those among them of
    the kinds asked for; `paused` and `stale` those of these kinds that are not always on and may not be sent.
    """

    current: Found = field(default_factory=Found)
    held: Found = field(default_factory=Found)
    beyond: Counter[Match] = field(default_factory=Counter)
    held_beyond: Counter[Match] = field(default_factory=Counter)
    unmet: NDArray[Any] = field(default_factory=lambda: np.empty(0, ROW))
    total: int = 0
    offered: int = 0
    paused: int = 0
    stale: int = 0


def probe_for(request: RequestTerms, indexes: Sequence[ScopeIndex]) -> Probe:
    """The request with its unknown words read as the near ones that the scopes hold."""
    places = [term_index(word) for word in request.words]
    known = {request.words[number] for index in indexes for number, _ in index.rows_with(places)}
    near = {
        word
        for sought in wanted(request)
        if sought.word not in known
        for index in indexes
        for word in index.words.get(sought.first, ())
        if sought.shortest <= len(word) <= sought.longest
    }
    return resolve(request, known, sorted(near))


def scan(
    probe: Probe,
    meaning: Callable[[], Meaning | None],
    indexes: Sequence[ScopeIndex],
    *,
    kinds: Collection[str] | None,
    now: datetime,
) -> Scan:
    """Looks at every memory of the scopes. A request without words meets nothing by words.

    What the request means is asked for last: a model may be at it meanwhile.
    """
    indexes = [one for one in indexes if len(one.rows)]
    if not indexes:
        return Scan()
    at = microseconds(now)
    rows = _joined([one.rows for one in indexes])
    is_valid = (rows["valid_from"] <= at) & (at < rows["valid_until"])
    is_current, always_on = is_valid & rows["is_current"], rows["is_always_on"]
    is_held = is_valid & ~rows["is_current"]
    is_wanted = of_kinds(rows, kinds)
    terms, names = probe.terms, probe.name_terms
    columns = [_joined(each) for each in zip(*(_met(one, terms, names) for one in indexes), strict=True)]
    matches = _Matches(probe, columns)
    is_met = matches.is_met
    by_words = matches.best(np.flatnonzero(is_met & is_current), rows)
    held = matches.best(np.flatnonzero(is_met & is_held & is_wanted), rows)

    meant = meaning()
    near = _joined([_cosines(one, meant) for one in indexes])
    nearest = _first(np.flatnonzero(is_valid & ~np.isnan(near)), NEAREST, -near, rows)
    standing = np.flatnonzero(is_valid & always_on)
    found = np.unique(np.concatenate([by_words, held, nearest, standing]))

    is_found = np.zeros(len(rows), bool)
    is_found[found] = True
    is_unmet = is_current & is_wanted & ~is_met & ~is_found
    unmet = _first(np.flatnonzero(is_unmet), max(0, SHOWN - len(found)), -rows["confirmed_at"], rows)
    may_not = is_held & is_wanted & ~always_on

    def taken(places: NDArray[np.intp]) -> Found:
        # Of numbers, only nan is not itself.
        cosines = [cosine if cosine == cosine else None for cosine in near[places].tolist()]
        return Found(rows[places], matches.of(places), cosines)

    return Scan(
        current=taken(found[is_current[found]]),
        held=taken(found[is_held[found] & is_wanted[found]]),
        beyond=matches.count(np.flatnonzero(is_met & is_current & ~is_found)),
        held_beyond=matches.count(np.flatnonzero(is_met & is_held & is_wanted & ~is_found)),
        unmet=rows[unmet],
        total=int(is_current.sum()),
        offered=int((is_current & is_wanted).sum()),
        paused=int((may_not & (rows["state"] == State.PAUSED)).sum()),
        stale=int((may_not & (rows["state"] == State.STALE)).sum()),
    )


def of_kinds(rows: NDArray[Any], kinds: Collection[str] | None) -> NDArray[np.bool_]:
    """Which rows are of these kinds; None for all."""
    return np.ones(len(rows), bool) if kinds is None else np.isin(rows["kind"], list(kinds))


class _Matches:
    """How each row meets the request. Many do in the same way: each way is worked out once."""

    def __init__(self, probe: Probe, columns: Sequence[NDArray[np.int64]]) -> None:
        """`columns` has a number for every `_BITS` of the probe's terms, and the count of names."""
        self.is_met = np.logical_or.reduce([column > 0 for column in columns])
        ways = {(0,) * len(columns): 0}
        met = zip(*(column[self.is_met].tolist() for column in columns), strict=True)
        self._way_of_row = np.zeros(len(self.is_met), np.int32)
        self._way_of_row[self.is_met] = [ways.setdefault(each, len(ways)) for each in met]
        self._probe = probe
        self._ways = [
            probe.match(sum(mask << place * _BITS for place, mask in enumerate(masks)), names) for *masks, names in ways
        ]

    def of(self, places: NDArray[np.intp]) -> list[Match]:
        return [self._ways[way] for way in self._way_of_row[places].tolist()]

    def count(self, places: NDArray[np.intp]) -> Counter[Match]:
        counts = np.bincount(self._way_of_row[places], minlength=len(self._ways)).tolist()
        # Two ways may be one match: a word can be met by itself and by what stands near it.
        found = Counter[Match]()
        for match, count in zip(self._ways, counts, strict=True):
            if count:
                found[match] += count
        return found

    def best(self, places: NDArray[np.intp], rows: NDArray[Any]) -> NDArray[np.intp]:
        """Of these rows the `MET` that the request meets best by words."""
        if len(places) <= MET:
            return places
        scores = Lexical().score_kinds(self._probe, self.count(places), len(places))
        relevance = np.array([scores[match].relevance if match in scores else 0.0 for match in self._ways])
        return _first(places, MET, -relevance[self._way_of_row], rows)


def _met(index: ScopeIndex, terms: Sequence[int], name_terms: Sequence[int]) -> list[NDArray[np.int64]]:
    """For each memory a mask of every `_BITS` of the terms that it has, and how many of the names."""
    columns = [np.zeros(len(index.rows), np.int64) for _ in range(0, len(terms), _BITS)]
    for number, rows in index.rows_with(terms):
        columns[number // _BITS][rows] |= 1 << number % _BITS
    names = np.zeros(len(index.rows), np.int64)
    for _, rows in index.rows_with(name_terms):
        names[rows] += 1
    return [*columns, names]


def _cosines(index: ScopeIndex, meaning: Meaning | None) -> NDArray[np.float32]:
    """Of each memory the cosine with the request, nan where it has no vector to compare."""
    if meaning is None or not meaning.dimension or index.dimension != meaning.dimension:
        return np.full(len(index.rows), np.nan, np.float32)
    return np.where(index.rows["has_vector"], cosines(index.vectors, meaning.numbers), np.float32(np.nan))


def _joined(arrays: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _first(places: NDArray[np.intp], most: int, key: NDArray[Any], rows: NDArray[Any]) -> NDArray[np.intp]:
    """So many of the places, those with the least key first; of equal ones the lesser id."""
    keys = key[places]
    if len(places) > most > 0:
        last = np.partition(keys, most - 1)[most - 1]
        places, keys = places[keys <= last], keys[keys <= last]
    order = np.lexsort((rows["low"][places], rows["high"][places], keys))
    return places[order[:most]]
