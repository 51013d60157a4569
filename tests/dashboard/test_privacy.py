"""Privacy: how much is held, and all of it to take along."""

import json

import pytest

from memoryapp.services.forget import forget
from memoryapp.services.recall import ContextRequest, recall

pytestmark = pytest.mark.django_db


@pytest.fixture
def life(remember, propose_one, ada, herself):
    remember("Likes tea.")
    propose_one("Is in a hurry.", kind="mood", subject="now")
    forget(remember("Likes jazz.", subject="music")["id"], relearn="block", source="keep", actor=herself)
    recall(ContextRequest(query="what do I drink?"), actor=ada)


def test_it_says_how_much_is_held(hers, his, life):
    page = hers.get("/privacy/").text
    assert "What is held on you" in page and "/privacy/export.json" in page
    assert his.get("/privacy/").status_code == 200


def test_it_the_file_has_everything_and_only_hers(hers, his, life):
    answer = hers.get("/privacy/export.json")
    assert answer["Content-Type"] == "application/json" and answer["Cache-Control"] == "no-store"
    assert answer["Content-Disposition"].startswith('attachment; filename="memory-')
    whole = json.loads(answer.content)
    assert [one["text"] for one in whole["memories"]] == ["Likes tea."]
    assert [one["text"] for one in whole["trash"]] == ["Likes jazz."]
    assert "Is in a hurry." in answer.text and "what do I drink?" in answer.text
    assert "Likes tea." not in his.get("/privacy/export.json").text


def test_it_can_be_read_on_a_page(hers, his, life):
    page = hers.get("/privacy/export/").text
    for words in ("Likes tea.", "Likes jazz.", "Is in a hurry.", "what do I drink?", "Never learned"):
        assert words in page
    assert "Likes tea." not in his.get("/privacy/export/").text


def test_it_is_noted_in_the_activity(hers, life):
    assert "Everything exported" not in hers.get("/activity/?what=exports").text
    hers.get("/privacy/export.json")
    assert "Everything exported" in hers.get("/activity/?what=exports").text


def test_it_hostile_text_is_inert(hers, remember):
    remember("Likes <img src=x onerror=alert(1)> </script>.")
    page = hers.get("/privacy/export/").text
    assert "<img src=x" not in page and "&lt;img src=x" in page
    assert json.loads(hers.get("/privacy/export.json").content)["memories"]
