"""A date in a request says when, not what: unknown, it is no sign that nothing is known."""

import pytest

from memoryapp.policy.relevance import Document, Lexical, analyse_request
from memoryapp.policy.relevance.blended import Blended, coefficients_of

FLOOR = 0.3
BLENDED = Blended(coefficients_of("all-MiniLM-L6-v2-int8"))

DATES = {
    "month_and_year": ("Where did Ada travel in October 2023?", "october 2023"),
    "day_before_month": ("What did Ada buy on 16 August, 2023?", "16 august 2023"),
    "day_after_month": ("What did Ada buy on Aug 15th?", "aug 15th"),
    "day_of_month": ("What did Ada buy on the 3rd of July?", "3rd juli"),
    "iso": ("What did Ada buy on 2023-08-16?", "2023 08 16"),
    "german": ("Was kaufte Ada am 3. März 2023?", "3 marz 2023"),
    "day_of_week": ("What did Ada buy last Friday?", "fridai"),
    "a_number_of_things": ("Which 3 books did Ada buy?", ""),
    "a_number_beside_a_year": ("Did Ada buy 3 books before 2023?", "2023"),
    "a_version": ("Does Ada run PostgreSQL 16?", ""),
    "no_year": ("Has Ada bought Cyberpunk 2077?", ""),
}


@pytest.mark.parametrize(("query", "dates"), [pytest.param(*case, id=name) for name, case in DATES.items()])
def test_which_words_are_dates(query, dates):
    assert analyse_request(query).dates == frozenset(dates.split())


TRIP = "Ada went to Lisbon with her sister for a holiday."
TEA = "Bo drinks tea at noon."


@pytest.mark.parametrize("scorer", [Lexical(), BLENDED], ids=["words", "words_and_meaning"])
def test_an_unknown_date_hardly_lowers_what_is_known(scorer):
    def best(query):
        return max(one.relevance for one in scorer.score(query, [Document(TRIP, cosine=0.62), Document(TEA, cosine=0)]))

    plain = best("Did Ada and her sister fly to Lisbon?")
    assert best("Did Ada and her sister fly to Lisbon in October 2023?") > 0.85 * plain
    # Another unknown thing does.
    assert best("Did Ada and her sister fly to Lisbon by zeppelin with Ulrike?") < 0.85 * plain


def test_a_date_that_a_memory_has_counts_in_full():
    birthday, tea = Document("The birthday of Bo is on July 12."), Document(TEA)
    found = [one.relevance for one in Lexical().score("What is on July 12?", [birthday, tea])]
    assert [one >= FLOOR for one in found] == [True, False]


def test_a_date_alone_finds_nothing_that_has_none():
    found = Lexical().score("October 2023", [Document(TRIP), Document(TEA)])
    assert max(one.relevance for one in found) == 0
