"""The measured requests: what a store knows, what it does not, and how near its memories come."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from memoryapp.embedding import Embedder
from memoryapp.policy.relevance import analyse, analyse_request, match_terms, resolve
from memoryapp.policy.relevance.probe import Match, Probe

UNKNOWN = ("cross", "renamed", "offtopic")
"""Requests that nothing matches: about other people, the same with this person's names put in, about nobody."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request to one store, with each memory's match and cosine. `evidence` is empty where nothing matches."""

    kind: str
    probe: Probe
    matches: list[Match]
    cosines: list[float | None]
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True)
class Store:
    person: str
    texts: list[str]
    evidence: list[frozenset[str]]
    requests: list[Request]


def stores(data: Path, embedder: Embedder) -> Iterator[Store]:
    """Reads `{persons: [{id, memories, questions, cross, renamed}], offtopic}`."""
    read = json.loads(data.read_text(encoding="utf-8"))
    for person in read["persons"]:
        texts = [memory["text"] for memory in person["memories"]]
        terms = [analyse(memory["text"], memory["subject"], ()) for memory in person["memories"]]
        vocabulary = frozenset().union(*(one.words for one in terms))
        vectors = embedder.embed(texts)
        asked = [("known", one["query"], frozenset(one["evidence"])) for one in person["questions"]]
        asked += [(kind, query, frozenset()) for kind in UNKNOWN for query in person.get(kind, read.get(kind, ()))]
        requests = []
        for (kind, query, evidence), vector in zip(asked, embedder.embed([one[1] for one in asked]), strict=True):
            request = analyse_request(query)
            probe = resolve(request, vocabulary.intersection(request.words), vocabulary)
            matches = [match_terms(probe, one) for one in terms]
            cosines = [None if vector is None or one is None else float(np.dot(one, vector)) for one in vectors]
            requests.append(Request(kind, probe, matches, cosines, evidence))
        own = [frozenset(memory["evidence"]) for memory in person["memories"]]
        yield Store(person["id"], texts, own, requests)
