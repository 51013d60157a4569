"""The default scorer: how much of a request, weighed by rarity, a memory's words cover.

The figures below were chosen on two development sets (786 questions to 1,283 memories of long conversations, and 39
requests with exact answers). Moving one of them by a third changes recall by at most two points and one exact answer;
`OUTSHONE` trades precision for recall: 0.4 gives 28 % and 50 %, 0.5 gives 32 % and 48 %, 0.6 gives 35 % and 47 %.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from memoryapp.policy.relevance.probe import Match, Probe, match_terms, resolve
from memoryapp.policy.relevance.scorer import Document
from memoryapp.policy.relevance.terms import analyse, analyse_request
from memoryapp.policy.types import Score

NEAR_WEIGHT = 0.75
"""What a near-miss counts of a word: less than the word, more than half."""
LONE_SLIP, AGREEING_SLIP = 0.5, 0.8
"""What a near-miss counts among the words that agree: one alone is often another word (`progress`, `process`), two that
one memory has, each a single slip in a long word, are rarely chance. With 0.8 they pass the default floor beside an
unknown word.
"""
NAME_RELEVANCE = 0.4
"""What a full subject or alias is worth alone: over the default floor of 0.30 with some room for other settings."""
DATE_WEIGHT = 0.1
"""What an unknown word counts that only says when: the date of a statement stands beside its text, not in it."""
PRIOR_MEMORIES = 10
"""A scope is weighed as if it held ten memories more, so that in a new one a word it knows is not taken for common."""
PARTS = ("coverage", "words", "names", "of_best")
"""What is told of a score."""
OUTSHONE = 0.5
"""A memory at or below this share of the best one of the same part, unless named in full, is scaled down by that
share.
"""


class Lexical:
    """Relevance = coverage ^ (1/2 + 1/k) for k words met.

    Coverage is the share of the request's words, weighed by inverse document frequency as in BM25 (Robertson and
    Sparck Jones, 1976; ln(1 + (N - n + 1/2) / (n + 1/2))), that the memory has: words that no memory has weigh most,
    so a request about something else stays low; those of them that only say when weigh little. The exponent asks more
    of a single word than of several that agree; a single word alone is worth half of that, because one word is often
    shared by chance. A near-miss counts three quarters of its word, and half a word in k, 0.8 where two are sure. Each
    part of a request is weighed as if it were asked alone, and the best counts. A full subject or alias lifts to 0.4 +
    0.6 of the rest; so does, where no more than two words are asked, a proper name that one memory alone has.
    """

    name = "lexical-4"

    def score(self, query: str, documents: Sequence[Document], besides: Sequence[Document] = ()) -> list[Score]:
        """Relevance by the texts themselves; equal to `score_matches` over the matches a store finds for them."""
        analysed = [analyse(d.text, d.subject, d.aliases) for d in (*documents, *besides)]
        vocabulary = frozenset[str]().union(*(t.words for t in analysed))
        terms = analysed[: len(documents)]
        request = analyse_request(query)
        probe = resolve(request, vocabulary.intersection(request.words), vocabulary)
        return self.score_matches(probe, [match_terms(probe, t) for t in terms], len(documents))

    def score_matches(
        self, probe: Probe, matches: Sequence[Match], total: int, beyond: Mapping[Match, int] | None = None
    ) -> list[Score]:
        """One score per match, in order. `total` is the number of memories weighed, those without a match included.

        `matches` must hold every memory of the scopes that matches at all, save those that `beyond` counts: rarity and
        the best one are read off them.
        """
        scores = self.score_kinds(probe, Counter(matches) + Counter(beyond or {}), max(total, len(matches)))
        return [scores[match] for match in matches]

    def score_kinds(self, probe: Probe, kinds: Mapping[Match, int], total: int) -> dict[Match, Score]:
        """The score of each kind of match, of which so many memories are."""
        frequency = _frequency(probe, kinds)
        weights = _weights(probe, frequency, total)
        lone = sum(1 << bit for bit, count in enumerate(frequency) if count == 1)
        best: dict[Match, _Weighed] = {}
        for asked in probe.asked:
            own_names = lone & asked if probe.is_brief(asked) else 0
            # Many memories meet a part in the same way. The whole is asked first: of a part only what it meets counts.
            met = {match: _within(match, asked, own_names) for match in kinds}
            met = {match: there for match, there in met.items() if not best or there.names or there.exact | there.near}
            whole = _sum(weights, asked)
            raw = {there: _raw(there, weights, whole) for there in set(met.values())}
            most = max((one.raw for one in raw.values()), default=0.0)
            weighed = {there: _weighed(one, most) for there, one in raw.items()}
            for match, there in met.items():
                if match not in best or weighed[there].relevance > best[match].relevance:
                    best[match] = weighed[there]
        scores = {one: _score(one) for one in set(best.values())}
        return {match: scores[one] for match, one in best.items()}


class _Raw(NamedTuple):
    """What a match comes to in one part of a request, before it is held against the best."""

    coverage: float
    words: float
    names: float
    raw: float


class _Weighed(NamedTuple):
    """The relevance in one part, and the values of `PARTS`."""

    relevance: float
    values: tuple[float, ...]


def _frequency(probe: Probe, kinds: Mapping[Match, int]) -> list[int]:
    """How many memories have each word."""
    frequency = [0] * len(probe.words)
    for match, count in kinds.items():
        for bit in _bits(match.exact | match.near):
            frequency[bit] += count
    return frequency


def _weights(probe: Probe, frequency: Sequence[int], total: int) -> list[float]:
    weights = [math.log(1 + (total + PRIOR_MEMORIES - n + 0.5) / (n + 0.5)) for n in frequency]
    return [one * (DATE_WEIGHT if probe.dates >> bit & 1 else 1) for bit, one in enumerate(weights)]


def _within(match: Match, asked: int, own_names: int) -> Match:
    """What of the match lies in a part. `own_names` are the words that name a memory that has them as proper names."""
    exact, near, names, proper, sure = match
    return Match(exact & asked, near & asked, names, proper & own_names, sure & asked)


def _raw(match: Match, weights: Sequence[float], whole: float) -> _Raw:
    """`whole` is what all words of the part weigh."""
    met = _sum(weights, match.exact) + NEAR_WEIGHT * _sum(weights, match.near)
    coverage = met / whole if whole else 0.0
    slips = match.sure.bit_count()
    words = match.exact.bit_count() + match.near.bit_count() * LONE_SLIP
    if slips > 1:
        words += slips * (AGREEING_SLIP - LONE_SLIP)
    agreeing = max(1.0, words)
    raw = coverage ** (0.5 + 1 / agreeing)
    names = match.names + match.proper.bit_count()
    if names:
        raw = NAME_RELEVANCE + (1 - NAME_RELEVANCE) * raw
    else:
        raw *= min(1.0, agreeing / 2)
    return _Raw(coverage, words, float(names), raw)


def _weighed(one: _Raw, best: float) -> _Weighed:
    share = one.raw / best if best else 0.0
    relevance = one.raw if one.names or share > OUTSHONE else one.raw * share
    return _Weighed(round(min(1.0, relevance), 6), (one.coverage, one.words, one.names, share))


def _score(one: _Weighed) -> Score:
    return Score(one.relevance, tuple(round(value, 6) for value in one.values), PARTS)


def _sum(weights: Sequence[float], mask: int) -> float:
    return sum(weights[bit] for bit in _bits(mask))


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
