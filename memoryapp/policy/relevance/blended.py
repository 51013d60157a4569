"""The default scorer: words and meaning together, told as a probability.

Two questions, each with a small answer. Does the store know anything of what is asked? That is read off the best
memory: its cosine with the request and the share of the request's words, weighed by rarity, that it has, in a logistic
model. And which memories belong to the answer? Those that stand close to the best one.

`coefficients.json` holds the figures with the data, the date and the method they come from.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from memoryapp.policy.relevance.lexical import Lexical
from memoryapp.policy.relevance.probe import Match, Probe, match_terms, resolve
from memoryapp.policy.relevance.scorer import Document
from memoryapp.policy.relevance.terms import analyse, analyse_request
from memoryapp.policy.types import Score

COEFFICIENTS = Path(__file__).with_name("coefficients.json")
WORDS_SUFFICE = 0.9
"""A memory with so much of the request, in two words or all there are, needs no cosine: the words settle it in any
language."""


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

    def kept(self, closeness: float) -> float:
        """The share in [0, 1] of what is known that belongs to a memory so close to the best one."""
        return _logistic((closeness - self.cut) / self.softness) / _logistic((1 - self.cut) / self.softness)


@cache
def coefficients_of(model: str) -> Coefficients:
    """Those fitted for this model; for one that was never measured, those of the built-in model."""
    fitted = json.loads(COEFFICIENTS.read_text(encoding="utf-8"))["models"]
    return Coefficients(**fitted.get(model, next(iter(fitted.values())))["coefficients"])


class Blended:
    """Relevance = Known * what the memory keeps of it. Where there is no cosine, the lexical score stands.

    Three things lift a memory to its lexical score at least: a full subject or alias, a word behind a slip of the
    keyboard (which spoils the request's vector), and nearly all of the words.
    """

    name = "blended-2"

    def __init__(self, coefficients: Coefficients) -> None:
        self._coefficients = coefficients

    def score(self, query: str, documents: Sequence[Document], besides: Sequence[Document] = ()) -> list[Score]:
        """Relevance by the texts themselves and the cosines that the documents bring along."""
        analysed = [analyse(d.text, d.subject, d.aliases) for d in (*documents, *besides)]
        vocabulary = frozenset[str]().union(*(terms.words for terms in analysed))
        request = analyse_request(query)
        probe = resolve(request, vocabulary.intersection(request.words), vocabulary)
        matches = [match_terms(probe, terms) for terms in analysed[: len(documents)]]
        return self.score_matches(probe, matches, len(documents), [d.cosine for d in documents])

    def score_matches(
        self, probe: Probe, matches: Sequence[Match], total: int, cosines: Sequence[float | None]
    ) -> list[Score]:
        """One score per match, in order; `matches` must hold all that match at all, and the nearest by cosine."""
        by_words = Lexical().score_matches(probe, matches, total)
        if all(cosine is None for cosine in cosines):
            return by_words
        fitted, asked = self._coefficients, probe.length
        near = [
            None if cosine is None else _Near(max(0.0, cosine), score, match, asked)
            for cosine, score, match in zip(cosines, by_words, matches, strict=True)
        ]
        known = fitted.known(max(one.evidence(fitted) for one in near if one), asked)
        closeness = [one.closeness(fitted) if one else 0.0 for one in near]
        nearest = max(closeness) or math.inf
        return [
            one.blend(fitted, known, close / nearest) if one else score
            for one, close, score in zip(near, closeness, by_words, strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Near:
    """How near one memory comes: by its vector and by its words."""

    cosine: float
    by_words: Score
    match: Match
    asked: int
    """Words of the request."""

    def evidence(self, fitted: Coefficients) -> float:
        return self.cosine + fitted.coverage * self.by_words.parts["coverage"]

    def closeness(self, fitted: Coefficients) -> float:
        """A single word is often shared by chance: it counts half. A name counts in full."""
        words = 2.0 if self.match.names else self.by_words.parts["words"]
        return self.cosine + fitted.standing * self.by_words.parts["coverage"] * min(1.0, max(words, 1.0) / 2)

    def blend(self, fitted: Coefficients, known: float, of_best: float) -> Score:
        relevance = known * fitted.kept(of_best)
        if self._words_settle_it:
            relevance = max(relevance, self.by_words.relevance)
        ours = {"cosine": round(self.cosine, 4), "known": round(known, 4)}
        return Score(round(min(1.0, relevance), 6), {**ours, **self.by_words.parts, "of_best": round(of_best, 4)})

    @property
    def _words_settle_it(self) -> bool:
        parts = self.by_words.parts
        has_all = parts["coverage"] >= WORDS_SUFFICE and parts["words"] >= min(2, self.asked)
        return bool(self.match.names or self.match.near) or has_all


def _logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value)) if value > -700 else 0.0
