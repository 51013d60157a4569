"""A session's start: what comes without a request, found in a few reads whatever the size of the scope."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services import session_start
from memoryapp.services.forget import forget
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pause, pin

pytestmark = pytest.mark.django_db


@pytest.fixture
def start(ada):
    def act(*scopes, actor=ada, **fields):
        return recall(ContextRequest(scopes=scopes, **fields), actor=actor)

    return act


@pytest.fixture
def known(remember):
    """`known(3, scope="atlas")`: so many facts, the latest first."""

    def act(count, *, scope="personal", what="number"):
        facts = [
            remember(f"Keeps {what} {n} in a drawer.", kind="fact", scope=scope, subject=f"{what}{n}")
            for n in range(count)
        ]
        return [one["text"] for one in reversed(facts)]

    return act


def sent(response):
    return [(one["text"], one["why"]) for one in response["memories"]]


def test_it_sends_what_was_said_last_and_counts_the_others(start, known, remember):
    texts = known(8)
    remember("Prefers tea.", subject="tea")
    response = start()
    assert sent(response) == [
        ("Prefers tea.", "always_on"),
        *((text, "recent") for text in texts[:5]),
        *((text, "scope") for text in texts[5:]),
    ]  # fmt: skip
    assert "- Keeps number 7 in a drawer. (today)" in response["context"]
    assert set(response["withheld"].values()) == {0}


def test_it_finds_what_was_used_most_however_old(start, known, ada):
    texts = known(12)
    with acting_for(ada.person_id):
        old = datetime.now(UTC) - timedelta(days=30)
        Memory.objects.update(confirmed_at=old)
        for text, uses in ((texts[11], 9), (texts[10], 3), (texts[9], 2)):
            Memory.objects.filter(text=text).update(use_count=uses)
    assert sent(start())[:2] == [(texts[11], "frequent"), (texts[10], "frequent")]
    assert start()["withheld"]["over_limit"] == 12 - 7


def test_it_takes_the_kinds_and_scopes_that_are_asked_for(start, known, remember):
    known(1, scope="atlas", what="map")
    known(1, what="letter")
    remember("Prefers tea.", subject="tea")
    assert [text for text, _ in sent(start("atlas"))] == [
        "Prefers tea.", "Keeps letter 0 in a drawer.", "Keeps map 0 in a drawer.",
    ]  # fmt: skip
    assert [text for text, _ in sent(start("atlas", kinds=("fact",)))] == [
        "Keeps letter 0 in a drawer.", "Keeps map 0 in a drawer.",
    ]  # fmt: skip
    assert [text for text, _ in sent(start())] == ["Prefers tea.", "Keeps letter 0 in a drawer."]
    assert sent(start("unknown", kinds=("decision",))) == []


def test_it_counts_what_is_held_back(start, remember, ada):
    remember("Prefers tea.", subject="tea")
    held = remember("Prefers ink.", subject="ink")
    pause(held["id"], actor=ada)
    pause(remember("Keeps ink.", kind="fact", scope="personal", subject="ink")["id"], actor=ada)
    response = start()
    assert sent(response) == [("Prefers tea.", "always_on")]
    assert response["withheld"]["paused"] == 1


def test_all_that_it_explains_has_its_words(start, known, remember):
    texts = known(12)
    considered = start(explain=True)["considered"]
    assert sorted(one["text"] for one in considered) == sorted(texts)
    assert {one["key"] for one in considered} == {f"fact|number{n}" for n in range(12)}


def test_what_is_forgotten_meanwhile_makes_room(start, known, ada, monkeypatch):
    """Between the look at the scopes and the reading of the words: nothing empty is sent in its place."""
    texts = known(12)
    with acting_for(ada.person_id):
        ids = {one.text: one.pk for one in Memory.objects.all()}
        Memory.objects.filter(text__in=texts[10:]).update(confirmed_at=datetime.now(UTC) - timedelta(days=30))
    read, gone = session_start.as_found, [texts[0], texts[3]]

    def reads(wanted):
        while gone:
            forget(ids[gone.pop()], relearn="allow", source="keep", actor=ada)
        return read(wanted)

    assert [text for text, _ in sent(start())] == texts[:10]
    monkeypatch.setattr(session_start, "as_found", reads)
    response = start()
    assert [text for text, _ in sent(response)] == [*texts[1:3], *texts[4:10], texts[11], texts[10]]
    assert all(text in response["context"] for text in texts[4:12]) and texts[0] not in response["context"]


def test_the_number_of_queries_is_small_and_constant(start, known, ada):
    def count():
        with CaptureQueriesContext(connection) as queries:
            start("atlas")
        return len(queries)

    known(1, scope="atlas")
    few = count()
    for text in known(40, scope="atlas", what="map")[:20]:
        with acting_for(ada.person_id):
            pk = Memory.objects.get(text=text).pk
        pin(pk, actor=ada)
    assert count() == few == 2 + 2
