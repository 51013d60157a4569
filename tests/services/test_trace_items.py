"""How a trace keeps what was offered: what is written comes back, and so does what former versions wrote."""

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.db import connection

from memoryapp.database.isolation import acting_for
from memoryapp.policy.relevance.blended import Blended, coefficients_of
from memoryapp.policy.relevance.probe import Match, Probe
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.trace_items import Failing, TraceItem, dump_items, load_items
from memoryapp.services.traces import read_trace

FIRST, SECOND, THIRD = (UUID(int=number << 64 | number) for number in (1, 2, 3))
SAID = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
PARTS = {"cosine": 0.1188, "known": 0.0001, "coverage": 0.101758, "words": 1.0, "names": 0.0, "of_best": 0.6328}
BY_WORDS = {"coverage": 0.5, "words": 1.0, "names": 0.0, "of_best": 1.0}


def weighed():
    """Three matches: two that meet a word, of which one has no vector, and one that meets nothing."""
    probe = Probe(("tea", "rice"))
    matches = [Match(exact=1), Match(exact=2), Match()]
    return Blended(coefficients_of("")).weigh(probe, matches, 10, [0.31239, None, -0.2])


def test_columns_say_what_each_score_says():
    scores = weighed()
    order = [2, 0, 1]
    assert list(scores.columns(order).scores()) == [scores.score(place) for place in order]
    assert [len(score.parts) for score in scores.columns(order).scores()] == [6, 6, 4]
    assert list(scores.columns(order).first(2).scores()) == [scores.score(2), scores.score(0)]


def test_what_failed_comes_back_in_its_order():
    scores = weighed()
    ids = FIRST.bytes + SECOND.bytes
    listed = load_items(dump_items([], [Failing(ids, [1, 7], scores.columns([0, 1])), Failing(THIRD.bytes, [2])]))
    assert [(one.memory_id, one.version, one.verdict) for one in listed] == [
        (FIRST, 1, "below_floor"), (SECOND, 7, "below_floor"), (THIRD, 2, "below_floor"),
    ]  # fmt: skip
    assert [(one.relevance, one.parts) for one in listed[:2]] == [
        (scores.score(place).relevance, scores.score(place).parts) for place in (0, 1)
    ]
    assert (listed[2].relevance, listed[2].parts) == (0.0, {})


def test_the_first_of_what_failed():
    failing = Failing(FIRST.bytes + SECOND.bytes, [1, 7], weighed().columns([0, 1]))
    assert [*failing.first(1)] == [(FIRST, 1)] and len(failing.first(1)) == 1
    assert [*failing.first(9)] == [*failing] == [(FIRST, 1), (SECOND, 7)]
    assert [*failing.first(0)] == [] and dump_items([], [failing.first(0)]) == "[]"


FORMER = {
    "all_seven": (
        [FIRST.hex, 3, "included", "relevant", 0.9, list(PARTS.values()), SAID.isoformat()],
        TraceItem(FIRST, 3, "included", "relevant", 0.9, PARTS, SAID),
    ),
    "always_on": (
        [FIRST.hex, 3, "included", "always_on", None, {}, SAID.isoformat()],
        TraceItem(FIRST, 3, "included", "always_on", None, {}, SAID),
    ),
    "failing_with_all_seven": (
        [FIRST.hex, 3, "below_floor", None, 0.1, list(BY_WORDS.values()), None],
        TraceItem(FIRST, 3, "below_floor", None, 0.1, BY_WORDS, None),
    ),
    "failing_with_four": (
        [FIRST.hex, 3, 0.1, list(PARTS.values())],
        TraceItem(FIRST, 3, "below_floor", None, 0.1, PARTS, None),
    ),
    "parts_by_name": (
        [FIRST.hex, 3, 0.1, {"overlap": 0.1}],
        TraceItem(FIRST, 3, "below_floor", None, 0.1, {"overlap": 0.1}, None),
    ),
    "met_in_nothing": (f"{FIRST.hex} 3", TraceItem(FIRST, 3, "below_floor", None, 0.0, {}, None)),
}


@pytest.mark.parametrize(("row", "item"), FORMER.values(), ids=FORMER)
def test_former_rows_are_read(row, item):
    assert load_items(json.dumps([row])) == [item]


def test_columns_as_they_are_stored_are_read():
    """As the first version with columns wrote them."""
    ids = "AAAAAAAAAAEAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAI="
    stored = {
        "ids": ids, "versions": [3, 4], "relevances": [100_000, 0], "cosines": [1_188, None], "of_best": [6_328, 0],
        "words": [0, 1], "by_words": [[0.101758, 1.0, 0.0, 1.0], [0.5, 1.0, 0.0, 1.0]], "known": 0.0001,
    }  # fmt: skip
    bare = {"ids": ids, "versions": [3, 4]}
    assert load_items(json.dumps([stored, bare])) == [
        TraceItem(FIRST, 3, "below_floor", None, 0.1, PARTS, None),
        TraceItem(SECOND, 4, "below_floor", None, 0.0, BY_WORDS, None),
        TraceItem(FIRST, 3, "below_floor", None, 0.0, {}, None),
        TraceItem(SECOND, 4, "below_floor", None, 0.0, {}, None),
    ]


def test_a_row_of_another_form_is_refused():
    with pytest.raises(ValueError, match="no item of a trace"):
        load_items("[[1, 2]]")


@pytest.mark.django_db
@pytest.mark.parametrize("scorer", ["lexical", "blended"])
def test_a_trace_tells_of_the_losers_what_explaining_tells(scorer, settings, remember, ada):
    settings.MEMORY_SCORER = scorer
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Atlas has lunch at noon.", kind="fact", subject="atlas.lunch")
    remember("The mascot is a heron.", kind="fact", subject="atlas.pet")
    asked = {"query": "does atlas use PostgreSQL?", "scopes": ("atlas",)}
    explained = recall(ContextRequest(**asked, explain=True), actor=ada)["considered"]
    considered = read_trace(UUID(recall(ContextRequest(**asked), actor=ada)["trace_id"]), actor=ada)["considered"]
    told = [[(one["key"], one["verdict"], one["relevance"], one["parts"]) for one in each]
            for each in (explained, considered)]  # fmt: skip
    assert told[0] == told[1]
    assert {verdict for _, verdict, _, _ in told[0]} == {"included", "below_floor"}


@pytest.mark.django_db
def test_what_is_written_is_not_packed(remember, ada):
    """In every month's partition: to pack it takes longer than all the rest of the insert."""
    trace = recall(ContextRequest(query="anything"), actor=ada)["trace_id"]
    with acting_for(ada.person_id), connection.cursor() as cursor:
        cursor.execute("select tableoid from memoryapp_retrievaltrace where id = %s", [trace])
        cursor.execute(
            "select attstorage from pg_attribute where attname = 'items' and attrelid = %s", cursor.fetchone()
        )
        assert cursor.fetchone() == ("e",)
