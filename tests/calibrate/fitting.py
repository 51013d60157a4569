"""Fits how well the best memory's nearness tells that a store knows something, and measures how true it is."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memoryapp.policy.relevance.blended import Blended, Coefficients
from memoryapp.policy.relevance.lexical import Lexical
from tests.calibrate.requests import Request, Store

KNOWN_SHARE = 0.18
"""So many of the requests, an agent asking at every turn, are taken to be about something that the store knows."""
BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    low: float
    requests: int
    told: float
    """Mean of the probabilities told."""
    true: float
    """Share of the requests that the store knows something of."""


def fit(stores: Sequence[Store], start: Coefficients) -> Coefficients:
    """Intercept, evidence and length anew, by weighted maximum likelihood (Newton's method); the others stay."""
    requests = [one for store in stores for one in store.requests if _best(one, start) is not None]
    features = np.array([[1.0, _best(one, start), np.log1p(one.probe.length)] for one in requests])
    known, weights = _weighed(requests)
    found = np.zeros(3)
    for _ in range(50):
        told = 1 / (1 + np.exp(-features @ found))
        gradient = features.T @ (weights * (known - told))
        curvature = (features * (weights * told * (1 - told))[:, None]).T @ features
        found += np.linalg.solve(curvature + 1e-9 * np.eye(3), gradient)
    intercept, evidence, length = (round(float(one), 3) for one in found)
    return replace(start, intercept=intercept, evidence=evidence, length=length)


def reliability(stores: Sequence[Store], coefficients: Coefficients) -> tuple[list[Bin], float]:
    """Ten bins of the best relevance, and the expected calibration error: the mean gap, weighed by the bins' size."""
    requests = [one for store in stores for one in store.requests]
    told = np.array([max(relevances(request, coefficients)) for request in requests])
    known, weights = _weighed(requests)
    place = np.minimum((told * BINS).astype(int), BINS - 1)
    bins, error = [], 0.0
    for number in range(BINS):
        here = place == number
        if here.any():
            weight = weights[here].sum()
            means = float((told * weights)[here].sum() / weight), float((known * weights)[here].sum() / weight)
            bins.append(Bin(number / BINS, int(here.sum()), *means))
            error += float(weight) * abs(means[0] - means[1])
    return bins, error / float(weights.sum())


def relevances(request: Request, coefficients: Coefficients) -> Sequence[float]:
    weighed = Blended(coefficients).weigh(request.probe, request.matches, len(request.matches), request.cosines)
    return weighed.relevances


def _best(request: Request, coefficients: Coefficients) -> float | None:
    by_words = Lexical().score_matches(request.probe, request.matches, len(request.matches))
    pairs = zip(request.cosines, by_words, strict=True)
    near = [
        max(0.0, cosine) + coefficients.coverage * one.parts["coverage"] for cosine, one in pairs if cosine is not None
    ]
    return max(near, default=None)


def _weighed(requests: Sequence[Request]) -> tuple[np.ndarray, np.ndarray]:
    known = np.array([one.kind == "known" for one in requests], dtype=float)
    share = known.mean()
    return known, np.where(known > 0, KNOWN_SHARE / share, (1 - KNOWN_SHARE) / (1 - share))
