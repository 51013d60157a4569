"""Forgetting a message where it is shown: what rests on it alone goes along, what has other support stays."""

from uuid import UUID

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision, Episode, Memory
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.export import export_person
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.trash import trash

pytestmark = pytest.mark.django_db

TEA, MILK, JAZZ = "Likes green tea.", "Takes milk.", "Likes jazz."


@pytest.fixture
def said(ada, remember):
    """Tea rests on the message alone, milk was said again later, jazz elsewhere; a mood in it was refused."""
    turns = [Turn(1, "user", "Green tea, with milk. I am zanzibar tired."), Turn(2, "user", "Milk, and jazz.")]
    store_turns(session="s", scope=None, turns=turns, actor=ada)
    quoted = "Green tea, with milk."
    remember(TEA, source=quoted, session="s", turn=1)
    remember(MILK, subject="milk", source=quoted, session="s", turn=1)
    remember(MILK, subject="milk", source="Milk, and jazz.", session="s", turn=2)
    remember(JAZZ, subject="music", source="Milk, and jazz.", session="s", turn=2)
    with acting_for(ada.opened):
        return Episode.objects.get(turn=1).pk


@pytest.fixture
def decision(said, propose_one, ada):
    propose_one("Is tired.", kind="mood", subject="mood", source="I am zanzibar tired", session="s", turn=1)
    with acting_for(ada.opened):
        return Decision.objects.get(action="rejected").pk


def test_it_is_offered_where_the_message_is_shown(said, decision, browser, ada):
    with acting_for(ada.opened):
        tea = Memory.objects.get(text=TEA).pk
    for address, back in (
        (f"/not-remembered/{decision}/", f"?decision={decision}"),
        (f"/memories/{tea}/", f"?memory={tea}"),
    ):
        assert f'href="/messages/{said}/forget/{back}"' in browser.get(address).text
        assert f'href="{address}"' in browser.get(f"/messages/{said}/forget/{back}").text


def test_it_shows_what_goes_along_and_what_stays_and_does_that(said, decision, browser, ada, herself):
    address = f"/messages/{said}/forget/?decision={decision}"
    shown = browser.get(address).text
    going, staying = shown.index('id="going"'), shown.index('id="staying"')
    assert going < shown.index(TEA) < staying < shown.index(MILK) and JAZZ not in shown
    assert "<b>1</b> memory rests on it alone" in shown and "<b>1</b> memory was said elsewhere too" in shown
    assert "Is tired." in browser.get("/not-remembered/").text
    answer = browser.post(address, {"along": "1"})
    assert (answer.status_code, answer["Location"]) == (303, "/not-remembered/")
    assert "The message is erased." in browser.get("/not-remembered/").text
    context = recall(ContextRequest(query="tea milk jazz"), actor=ada)["context"]
    assert TEA not in context and MILK in context and JAZZ in context
    assert [one.memory.text for one in trash(actor=herself).items] == [TEA]
    exported = str(export_person(actor=herself))
    assert "zanzibar" not in exported and "Milk, and jazz." in exported
    assert "A message forgotten" in browser.get("/activity/").text
    # What was refused of it rested on nothing else either.
    assert "Is tired." not in exported and "Nothing was refused" in browser.get("/not-remembered/").text


def test_another_number_than_was_shown_forgets_nothing(said, remember, browser, ada):
    address = f"/messages/{said}/forget/"
    remember("Likes rum.", subject="rum", source="with milk", session="s", turn=1)
    answer = browser.post(address, {"along": "1"})
    assert answer.status_code == 409 and "<b>2</b> memories rest on it alone" in answer.text
    for wrong in ({}, {"along": "x"}):
        assert browser.post(address, wrong).status_code == 200
    with acting_for(ada.opened):
        assert Episode.objects.count() == 2 and Memory.objects.filter(state="forgotten").count() == 0
    assert browser.post(address, {"along": "2"}).status_code == 303
    # Pressed twice, it is gone already.
    assert browser.post(address, {"along": "2"})["Location"] == "/memories/"
    with acting_for(ada.opened):
        assert Episode.objects.count() == 1


def test_of_another_person_it_is_not_there(said, bens, ada):
    assert bens.get(f"/messages/{said}/forget/").status_code == 404
    bens.post(f"/messages/{said}/forget/", {"along": "1"})
    with acting_for(ada.opened):
        assert Episode.objects.filter(pk=UUID(str(said))).exists()
