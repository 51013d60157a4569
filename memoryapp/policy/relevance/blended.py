"""The default scorer: words and meaning together, told as a probability.

Two questions, each with a small answer. Does the store know anything of what is asked? That is read off the best
memory: its cosine with the request and the share of the request's words, weighed by rarity, that it has, in a logistic
model. And which memories belong to the answer? Those that stand close to the best one.

`coefficients.json` holds the figures with the data, the date and the method they come from.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, Self

from memoryapp.policy.relevance.lexical import PARTS as PARTS_BY_WORDS
from memoryapp.policy.relevance.lexical import Lexical
from memoryapp.policy.relevance.probe import Match, Probe, match_terms, resolve
from memoryapp.policy.relevance.scorer import Document
from memoryapp.policy.relevance.terms import analyse, analyse_request
from memoryapp.policy.types import Score

COEFFICIENTS = Path(__file__).with_name("coefficients.json")
PARTS = ("cosine", "known", *PARTS_BY_WORDS)
"""What is told of a score; `of_best` of words and meaning together."""
WORDS_SUFFICE = 0.9
"""A memory with so much of the request, in two words or all there are, needs no cosine: the words settle it in any
language."""
_TEN_THOUSAND, _MILLION = 10_000, 1_000_000


@dataclass(frozen=True, slots=True)
class Coefficients:
    """What was fitted for one embedding model.

    Known = logistic(`intercept` + `evidence` * (cosine + `coverage` * coverage) of the best + `length` * ln(1 + words
    of the request)). A memory's closeness is (cosine + `standing` * coverage) over the best one's; what it keeps of
    Known falls from 1 for the best to about a half at `cut`, within `softness` or so.
    """

    coverage: float
    evidence: float
    intercept: float
    length: float
    standing: float
    cut: float
    softness: float

    def known(self, best: float, words: int) -> float:
        return _logistic(self.intercept + self.evidence * best + self.length * math.log1p(words))

    def kept(self, closeness: Sequence[float]) -> list[float]:
        """The share in [0, 1] of what is known that belongs to memories so close to the best one."""
        of_best = _logistic((1 - self.cut) / self.softness)
        return [_logistic((close - self.cut) / self.softness) / of_best for close in closeness]


@cache
def coefficients_of(model: str) -> Coefficients:
    """Those fitted for this model; for one that was never measured, those of the built-in model."""
    fitted = json.loads(COEFFICIENTS.read_text(encoding="utf-8"))["models"]
    return Coefficients(**fitted.get(model, next(iter(fitted.values())))["coefficients"])


class Columns(NamedTuple):
    """The scores of many matches, in order, without an object for each.

    `relevances` are in millionths, `cosines` (None where there is none) and `of_best` in ten-thousandths; `words` says
    which of `by_words` each has, the values of the lexical score. `known` is one for all.
    """

    relevances: list[int]
    cosines: list[int | None]
    of_best: list[int]
    words: list[int]
    by_words: list[tuple[float, ...]]
    known: float

    def first(self, most: int) -> Self:
        return self._replace(
            relevances=self.relevances[:most],
            cosines=self.cosines[:most],
            of_best=self.of_best[:most],
            words=self.words[:most],
        )

    def scores(self) -> Iterator[Score]:
        """Each as an object, as `Weighed.score` gives it."""
        each = zip(self.relevances, self.cosines, self.of_best, self.words, strict=True)
        for relevance, cosine, of_best, words in each:
            values = self.by_words[words]
            if cosine is None:
                yield Score(relevance / _MILLION, tuple(values), PARTS_BY_WORDS)
            else:
                near, share = cosine / _TEN_THOUSAND, of_best / _TEN_THOUSAND
                yield Score(relevance / _MILLION, (near, self.known, *values[:-1], share), PARTS)


class Weighed:
    """The relevance of each of some matches, in order, and the parts of those that are asked for."""

    def __init__(
        self,
        fitted: Coefficients,
        probe: Probe,
        matches: Sequence[Match],
        by_words: Sequence[Score],
        cosines: Sequence[float | None],
    ) -> None:
        distinct = dict(zip(matches, by_words, strict=True))
        numbers = {match: number for number, match in enumerate(distinct)}
        self._by_words = list(distinct.values())
        self._words = [numbers[match] for match in matches]
        self._cosines = [None if cosine is None else max(0.0, cosine) for cosine in cosines]
        words = [_Words.of(match, score, fitted, probe) for match, score in distinct.items()]
        near = [(cosine, words[number]) for cosine, number in zip(self._cosines, self._words, strict=True)]
        best = max((cosine + one.evidence for cosine, one in near if cosine is not None), default=0.0)
        known = fitted.known(best, probe.length)
        self._known = round(known, 4)
        closeness = [0.0 if cosine is None else cosine + one.standing for cosine, one in near]
        nearest = max(closeness, default=0.0) or math.inf
        self._of_best = [close / nearest for close in closeness]
        self.relevances = [
            score.relevance if cosine is None else round(min(1.0, max(known * kept, one.suffices)), 6)
            for (cosine, one), kept, score in zip(near, fitted.kept(self._of_best), by_words, strict=True)
        ]

    def score(self, place: int) -> Score:
        by_words, cosine = self._by_words[self._words[place]], self._cosines[place]
        if cosine is None:
            return by_words
        *words, _ = by_words.values
        values = (round(cosine, 4), self._known, *words, round(self._of_best[place], 4))
        return Score(self.relevances[place], values, PARTS)

    def columns(self, places: Sequence[int]) -> Columns:
        cosines = [self._cosines[place] for place in places]
        return Columns(
            [round(self.relevances[place] * _MILLION) for place in places],
            [None if cosine is None else round(cosine * _TEN_THOUSAND) for cosine in cosines],
            [round(self._of_best[place] * _TEN_THOUSAND) for place in places],
            [self._words[place] for place in places],
            [score.values for score in self._by_words],
            self._known,
        )


class _Words(NamedTuple):
    """What the words of a match add to its cosine, as evidence and as closeness, and the relevance they have alone."""

    evidence: float
    standing: float
    suffices: float

    @classmethod
    def of(cls, match: Match, score: Score, fitted: Coefficients, probe: Probe) -> Self:
        coverage, words, names, *_ = score.values
        has_all = coverage >= WORDS_SUFFICE and (words >= 2 or probe.is_met_by(match))
        settle_it = names or match.near or has_all
        # A single word is often shared by chance: it counts half. A name counts in full.
        agreeing = 2.0 if names else max(words, 1.0)
        return cls(
            evidence=fitted.coverage * coverage,
            standing=fitted.standing * coverage * min(1.0, agreeing / 2),
            suffices=score.relevance if settle_it else 0.0,
        )


class Blended:
    """Relevance = Known * what the memory keeps of it. Where there is no cosine, the lexical score stands.

    Three things lift a memory to its lexical score at least: a name that is its own, a word behind a slip of the
    keyboard (which spoils the request's vector), and nearly all of the words.
    """

    name = "blended-3"

    def __init__(self, coefficients: Coefficients) -> None:
        self._coefficients = coefficients

    def score(self, query: str, documents: Sequence[Document], besides: Sequence[Document] = ()) -> list[Score]:
        """Relevance by the texts themselves and the cosines that the documents bring along."""
        analysed = [analyse(d.text, d.subject, d.aliases) for d in (*documents, *besides)]
        vocabulary = frozenset[str]().union(*(terms.words for terms in analysed))
        request = analyse_request(query)
        probe = resolve(request, vocabulary.intersection(request.words), vocabulary)
        matches = [match_terms(probe, terms) for terms in analysed[: len(documents)]]
        weighed = self.weigh(probe, matches, len(documents), [d.cosine for d in documents])
        return [weighed.score(place) for place in range(len(documents))]

    def weigh(
        self,
        probe: Probe,
        matches: Sequence[Match],
        total: int,
        cosines: Sequence[float | None],
        beyond: Mapping[Match, int] | None = None,
    ) -> Weighed:
        """Of `total` memories `matches` must hold all that match at all, save those that `beyond` counts, and the
        nearest by cosine.
        """
        by_words = Lexical().score_matches(probe, matches, total, beyond)
        return Weighed(self._coefficients, probe, matches, by_words, cosines)


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
