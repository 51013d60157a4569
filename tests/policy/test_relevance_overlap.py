"""The reference scorer gives the reference figures, the default one the reference verdicts."""

import json
from pathlib import Path

import pytest

from memoryapp.policy.relevance import Document, Lexical, TermsOverlap
from memoryapp.policy.relevance.terms_overlap import STOP_WORDS

VECTORS = json.loads((Path(__file__).parent.parent / "data" / "vectors.json").read_text())
STORED = {
    "atlas": {
        "fact|atlas.db": Document("Atlas uses a PostgreSQL 16 database.", "db"),
        "decision|atlas.auth": Document("Atlas authenticates with session cookies, not JWTs.", "auth", kind="decision"),
    },
    "beacon": {"fact|beacon.db": Document("Beacon uses a MySQL 8 database.", "db")},
}
FLOOR = VECTORS["retrieval"]["floor"]
REQUESTS = [pytest.param(r, id=r["query"]) for r in VECTORS["retrieval"]["requests"]]


def test_it_has_the_reference_stop_list():
    assert sorted(STOP_WORDS) == VECTORS["stop_words"]


@pytest.mark.parametrize("request_", REQUESTS)
def test_it_reproduces_the_reference_figures(request_):
    stored = STORED[request_["scope"]]
    scores = TermsOverlap().score(request_["query"], list(stored.values()))
    assert [
        {"key": key, "relevance": score.relevance, "included": score.relevance >= FLOOR}
        for key, score in zip(stored, scores, strict=True)
    ] == request_["scored"]


@pytest.mark.parametrize("request_", REQUESTS)
def test_it_gives_the_reference_verdicts_by_default(request_):
    stored = STORED[request_["scope"]]
    scores = Lexical().score(request_["query"], list(stored.values()))
    assert {key: score.relevance >= FLOOR for key, score in zip(stored, scores, strict=True)} == {
        scored["key"]: scored["included"] for scored in request_["scored"]
    }


def test_it_scores_the_unnamed_subject_of_the_reference():
    case = VECTORS["unnamed_subject"]
    [score] = TermsOverlap().score(case["stored_it_would_score"]["query"], [Document(case["candidate"]["text"])])
    assert score.relevance == case["stored_it_would_score"]["relevance"]


@pytest.mark.parametrize("query", ["", "  ", "what is it?", "数据库"])
def test_it_scores_nothing_for_a_request_without_terms(query):
    assert [s.relevance for s in TermsOverlap().score(query, [Document("It is what it is.")])] == [0.0]
