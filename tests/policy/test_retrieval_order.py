"""Above the floor: relevance first, the rest within a small band. Below it: nothing helps."""

import itertools
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryapp.policy.packing import what_it_says
from memoryapp.policy.retrieval import BAND, select
from memoryapp.policy.types import Budget, Offered, Score

NOW = datetime(2026, 6, 1, tzinfo=UTC)
ROOM = Budget(100_000, len)


def offered(number, relevance, *, hours=0.0, seen=1, importance=None, text=None):
    return Offered(
        memory_id=UUID(int=number),
        version=1,
        kind="fact",
        scope="atlas",
        subject=f"s{number}",
        subject_key=f"s{number}",
        text=text or f"Statement number {number}.",
        confirmed_at=NOW - timedelta(hours=hours),
        seen=seen,
        score=Score(relevance),
        importance=importance,
    )


def order(*rows, floor=0.3):
    verdicts = select(rows, floor=floor, budget=ROOM, limit=100, now=NOW)
    return [one.offered.memory_id.int for one in verdicts if one.verdict == "included"]


def test_relevance_comes_first():
    old_but_nearer = offered(1, 0.6, hours=10_000, importance=1)
    assert order(offered(2, 0.54, seen=50, importance=10), old_but_nearer) == [1, 2]


def test_of_what_is_not_relevant_at_all_the_met_comes_first():
    """As a trace lists them, which names what is met in nothing after all others."""
    met = offered(1, 0.0, hours=9)._replace(score=Score(0.0, (0.01,), ("coverage",)))
    verdicts = select([offered(2, 0.0), met, offered(3, 0.1)], floor=0.3, budget=ROOM, limit=100, now=NOW)
    assert [(one.offered.memory_id.int, one.verdict) for one in verdicts] == [
        (3, "below_floor"), (1, "below_floor"), (2, "below_floor"),
    ]  # fmt: skip


NUDGED = {
    "later": ({"hours": 0}, {"hours": 2_000}),
    "important": ({"importance": 10}, {"importance": 1}),
    "said_often": ({"seen": 20}, {"seen": 1}),
}


@pytest.mark.parametrize(("more", "less"), [pytest.param(*c, id=name) for name, c in NUDGED.items()])
def test_within_the_band_the_rest_decides(more, less):
    assert order(offered(1, 0.505, **less), offered(2, 0.5, **more)) == [2, 1]
    assert order(offered(1, 0.505 + BAND, **less), offered(2, 0.5, **more)) == [1, 2]


rows = st.builds(
    offered,
    st.integers(1, 10_000),
    st.floats(0, 1),
    hours=st.floats(0, 100_000),
    seen=st.integers(1, 1_000),
    importance=st.none() | st.integers(1, 10),
)


@given(st.lists(rows, max_size=20, unique_by=lambda one: one.memory_id), st.floats(0, 1))
def test_nothing_but_relevance_crosses_the_floor(some, floor):
    sent = order(*some, floor=floor)
    assert sorted(sent) == sorted(one.memory_id.int for one in some if one.score.relevance >= floor)
    told = {one.memory_id.int: one.score.relevance for one in some}
    assert all(told[second] - told[first] <= BAND + 1e-6 for first, second in itertools.pairwise(sent))


SAME = {
    "signs": ("Uses PostgreSQL 16.", "uses PostgreSQL 16!"),
    "article": ("Has the red car.", "Has a red car"),
    "ending": ("Drinks two teas.", "Drink two tea."),
}
DIFFERENT = {
    "number": ("Uses PostgreSQL 16.", "Uses PostgreSQL 15."),
    "negated": ("Likes tea.", "Does not like tea."),
    "turned_round": ("Ada manages Ben.", "Ben manages Ada."),
    "another_word": ("Likes green tea.", "Likes black tea."),
}


@pytest.mark.parametrize(("one", "other"), [pytest.param(*c, id=name) for name, c in SAME.items()])
def test_a_near_duplicate_is_sent_once(one, other):
    assert what_it_says(one) == what_it_says(other)
    assert order(offered(1, 0.9, text=one), offered(2, 0.8, text=other)) == [1]


@pytest.mark.parametrize(("one", "other"), [pytest.param(*c, id=name) for name, c in DIFFERENT.items()])
def test_what_says_something_else_is_sent_too(one, other):
    assert order(offered(1, 0.9, text=one), offered(2, 0.8, text=other)) == [1, 2]
