"""The default scorer with vectors: the best one says whether anything is known, nearness to it what belongs."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.policy.relevance import Document, Lexical
from memoryapp.policy.relevance.blended import COEFFICIENTS, Blended, coefficients_of

FLOOR = 0.3
MODEL = "all-MiniLM-L6-v2-int8"
BLENDED = Blended(coefficients_of(MODEL))
QUERY = "Which town does the sister of Ada live in these days?"


def relevance(*documents, query=QUERY):
    return [score.relevance for score in BLENDED.score(query, documents)]


def test_it_finds_by_meaning_what_shares_no_word():
    near, far = Document("Her sibling moved to Bergen.", cosine=0.85), Document("Drinks tea at noon.", cosine=0.1)
    assert [one >= FLOOR for one in relevance(near, far)] == [True, False]
    # The same by words alone: nothing.
    assert [s.relevance >= FLOOR for s in Lexical().score(QUERY, [Document(near.text), far])] == [False, False]


def test_nothing_fits_when_the_best_is_not_near():
    documents = [Document("Ada's dog sleeps all day.", cosine=0.45), Document("Drinks tea at noon.", cosine=0.42)]
    assert max(relevance(*documents)) < FLOOR


def test_only_what_stands_close_to_the_best_one_belongs():
    sister = Document("Ada's sister lives in Bergen.", cosine=0.9)
    passing = [one >= FLOOR for one in relevance(sister, Document("Rides a bicycle.", cosine=0.35))]
    assert passing == [True, False]
    assert relevance(Document("Ada's sister teaches in that town.", cosine=0.8), sister)[0] >= FLOOR


def test_an_exact_text_is_nearly_certain():
    text = "Ada's sister lives in Bergen and teaches music."
    assert relevance(Document(text, cosine=1.0), Document("Tea.", cosine=0.1), query=text)[0] >= 0.95


LIFTED = {
    "subject": ("when does sister arrive with the evening train?", Document("Lives in Bergen.", "sister", cosine=0.1)),
    "alias": ("can k8s run that?", Document("Deploys to EKS.", "cluster", ("k8s",), cosine=0.1)),
    "slip": ("verbostiy settings", Document("Wants short answers.", "style", ("verbosity",), cosine=0.1)),
    "all_words": ("Habite ma soeur Bergen?", Document("Ma soeur habite Bergen.", cosine=0.1)),
}


@pytest.mark.parametrize(("query", "document"), [pytest.param(*c, id=name) for name, c in LIFTED.items()])
def test_names_slips_and_all_the_words_need_no_vector(query, document):
    found = relevance(document, Document("Drinks tea at noon.", cosine=0.1), query=query)
    assert [one >= FLOOR for one in found] == [True, False]


def test_a_question_of_one_word_is_answered_beside_another():
    asked = "What am I allergic to? What is my shoe size?"
    documents = [
        Document("She is allergic to penicillin.", cosine=0.3),
        Document("Her shoe size is 39.", cosine=0.6),
        Document("Plays chess on Fridays.", cosine=0.2),
    ]
    assert [one >= FLOOR for one in relevance(*documents, query=asked)] == [True, True, False]


def test_without_any_vector_it_is_the_lexical_scorer():
    documents = [Document("Ada's sister lives in Bergen."), Document("Drinks tea at noon.")]
    assert BLENDED.score(QUERY, documents) == Lexical().score(QUERY, documents)


def test_what_has_no_vector_yet_keeps_its_lexical_score():
    documents = [Document("Ada's sister lives in Bergen."), Document("Drinks tea at noon.", cosine=0.1)]
    assert BLENDED.score(QUERY, documents)[0] == Lexical().score(QUERY, documents)[0]


def test_its_parts_say_how_it_came_about():
    parts = BLENDED.score(QUERY, [Document("Ada's sister lives in Bergen.", cosine=0.9)])[0].parts
    assert {"cosine", "known", "coverage", "words", "names", "of_best"} == set(parts)
    assert parts["cosine"] == 0.9 and parts["of_best"] == 1 and 0.9 < parts["known"] <= 1


HUNDREDTHS = st.integers(-100, 100).map(lambda value: value / 100)


@given(st.lists(HUNDREDTHS, min_size=1, max_size=6), HUNDREDTHS)
def test_a_nearer_vector_never_lowers_the_best_and_all_stay_in_range(cosines, more):
    def best(values):
        found = relevance(*(Document(f"Note {i}.", cosine=value) for i, value in enumerate(values)))
        assert all(0 <= one <= 1 and math.isfinite(one) for one in found)
        return max(found)

    assert best([*cosines, min(1.0, max(cosines) + abs(more))]) >= best(cosines) - 1e-6


def test_the_coefficients_say_where_they_come_from():
    kept = json.loads(COEFFICIENTS.read_text())["models"][MODEL]
    assert {"data", "date", "method", "known_share", "coefficients"} <= set(kept)
    assert kept["held_back_calibration_error"] <= 0.05


def test_a_model_that_was_never_measured_gets_the_built_in_ones():
    assert coefficients_of("some-other-model") == coefficients_of(MODEL)
