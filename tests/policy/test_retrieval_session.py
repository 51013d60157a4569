"""Session start: always-on, recent, frequent, of the scope; each once, ten in all."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from memoryapp.policy.retrieval import Remembered, may_open, session_start
from memoryapp.policy.types import Budget, Offered

NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)


def known(number, days=30.0, uses=0, scope="atlas", **fields):
    kind = "preference" if fields.get("why") == "always_on" else "fact"
    offered = Offered(
        memory_id=UUID(int=number),
        version=1,
        kind=kind,
        scope=scope,
        subject=f"subject{number}",
        subject_key=f"subject{number}",
        text=f"Memory number {number}.",
        confirmed_at=NOW - timedelta(days=days),
        **fields,
    )
    return Remembered(offered, uses)


def run(remembered, scopes=("atlas",), size=100_000, limit=100):
    return session_start(remembered, scopes=scopes, budget=Budget(size, len), limit=limit, now=NOW)


def included(*args, **kwargs):
    return [(v.offered.memory_id.int, v.why) for v in run(*args, **kwargs) if v.verdict == "included"]


def test_it_sends_each_sort_in_order():
    remembered = [
        known(1, days=50),
        known(2, days=60, uses=3),
        known(3, days=2),
        known(4, why="always_on"),
        known(5, why="pinned", pinned=True),
        known(6, days=70, uses=8),
        known(7, days=6.9),
        known(8, days=90, scope="personal"),
        known(9, days=80, uses=2),
    ]
    assert included(remembered) == [
        (5, "pinned"),
        (4, "always_on"),
        (3, "recent"),
        (7, "recent"),
        (6, "frequent"),
        (2, "frequent"),
        (1, "scope"),
        (9, "scope"),
    ]


def test_it_takes_the_personal_scope_when_none_is_named():
    assert included([known(1, scope="personal"), known(2)], scopes=()) == [(1, "scope")]


def test_it_takes_five_of_each_and_each_once():
    remembered = [known(n, days=n / 10, uses=n) for n in range(1, 13)]
    assert included(remembered) == [
        *((n, "recent") for n in (1, 2, 3, 4, 5)),
        *((n, "frequent") for n in (12, 11, 10, 9, 8)),
    ]


def test_it_takes_five_of_the_scope():
    assert included([known(n) for n in range(1, 9)]) == [(n, "scope") for n in (1, 2, 3, 4, 5)]


def test_it_sends_seven_days_ago_and_not_a_moment_older():
    assert included([known(1, days=7, scope="personal"), known(2, days=7.001, scope="personal")]) == [(1, "recent")]


def test_it_sends_used_three_times_and_not_twice():
    assert included([known(1, uses=3, scope="personal"), known(2, uses=2, scope="personal")]) == [(1, "frequent")]


def test_it_never_cuts_pinned_ones_for_the_ten():
    pinned = [known(n, why="pinned", pinned=True) for n in range(1, 13)]
    result = run([*pinned, known(20, days=1), known(21, why="always_on")])
    assert [v.offered.memory_id.int for v in result if v.verdict == "included"] == list(range(1, 13))
    assert [v.verdict for v in result][-2:] == ["over_limit", "over_limit"]


def test_it_cuts_preferences_to_ten():
    assert len(included([known(n, why="always_on") for n in range(1, 15)])) == 10


def test_it_obeys_limit_and_budget():
    remembered = [known(1, why="pinned", pinned=True), known(2, days=1), known(3)]
    assert included(remembered, limit=2) == [(1, "pinned"), (2, "recent")]
    assert included(remembered, limit=0) == included(remembered, size=0) == []
    assert [v.verdict for v in run(remembered, size=0)] == ["over_budget"] * 3


def test_it_scores_nothing():
    assert all(v.offered.score is None for v in run([known(1), known(2, days=1)]))


REMEMBERED = st.lists(
    st.builds(
        known,
        number=st.integers(1, 10**6),
        days=st.floats(0, 30),
        uses=st.integers(0, 5),
        scope=st.sampled_from(["atlas", "personal"]),
        pinned=st.booleans(),
        why=st.none(),
    ).map(lambda r: Remembered(r.offered._replace(why="pinned" if r.offered.pinned else None), r.uses)),
    max_size=40,
    unique_by=lambda r: r.offered.memory_id,
)


@given(REMEMBERED, st.integers(0, 1200), st.integers(0, 20))
def test_it_gives_every_memory_one_verdict_whatever_the_order(remembered, size, limit):
    result = run(remembered, size=size, limit=limit)
    assert sorted(v.offered.memory_id for v in result) == sorted(r.offered.memory_id for r in remembered)
    assert run(remembered[::-1], size=size, limit=limit) == result
    sent = [v for v in result if v.verdict == "included"]
    assert len(sent) <= min(limit, max(10, sum(v.offered.pinned for v in sent)))
    if size >= 1200 and limit >= 20:
        assert all(v.verdict == "included" for v in result if v.offered.pinned)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["pinned", "always_on"]),
            st.integers(1, 3),  # seen
            st.integers(0, 8),  # subject
            st.integers(0, 1),  # rank of the scope
        ),
        max_size=40,
    ),
    st.integers(1, 400),
    st.integers(0, 20),
)
def test_words_that_it_does_not_need_change_nothing(rows, size, limit):
    remembered = [
        known(n, why=why, pinned=why == "pinned", seen=seen, scope_rank=rank, scope=("atlas", "personal")[rank], days=n)
        for n, (why, seen, _, rank) in enumerate(rows, start=1)
    ]
    remembered = [
        replace(one, offered=one.offered._replace(subject_key=f"subject{subject}"))
        for one, (_, _, subject, _) in zip(remembered, rows, strict=True)
    ]
    needed = {one.memory_id for one in may_open(remembered, scopes=("atlas",), now=NOW, shown=3)}
    bare = [
        one if one.offered.memory_id in needed else replace(one, offered=one.offered._replace(text=""))
        for one in remembered
    ]
    whole = run(remembered, size=size, limit=limit)
    assert [(v.offered.memory_id, v.verdict, v.why) for v in run(bare, size=size, limit=limit)] == [
        (v.offered.memory_id, v.verdict, v.why) for v in whole
    ]
    assert {v.offered.memory_id for v in whole if v.verdict == "included"} <= needed
    assert {v.offered.memory_id for v in whole[:3]} <= needed
