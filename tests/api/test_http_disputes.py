"""Disputing over the API."""

import pytest

from tests.api.conftest import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def tea(remember):
    return remember("Likes tea.")


def test_it_is_disputed_and_taken_back(bot_key, tea):
    api, path = Api(bot_key[1]), f"/memories/{tea['id']}"
    for body in ({"text": "I like both."}, {}, {"text": None}):
        answer = api.post(f"{path}/dispute", body)
        assert (answer.status_code, answer.json()["disputed"]) == (200, True)
        assert api.post("/context", {"user": "ada", "query": "tea"}).json()["memories"] == []
    answer = api.post(f"{path}/undispute")
    assert (answer.status_code, answer.json()["disputed"]) == (200, False)
    assert len(api.post("/context", {"user": "ada", "query": "tea"}).json()["memories"]) == 1


@pytest.mark.parametrize("body", [{"text": "  "}, {"text": "x" * 2001}, {"text": 1}, {"why": "x"}])
def test_what_it_does_not_take(body, bot_key, tea):
    answer = Api(bot_key[1]).post(f"/memories/{tea['id']}/dispute", body)
    assert answer.status_code == 422 and not answer.json().get("disputed")


def test_it_is_not_there_for_others(bot_key, tea):
    from accounts.actors import Actor
    from memoryapp.services.keys import create_key

    _, secret = create_key("other", actor=Actor("system"), namespace="elsewhere")
    assert Api(secret).post(f"/memories/{tea['id']}/dispute", {}).status_code == 404
    assert Api(bot_key[1]).post(f"/memories/{tea['id']}/dispute", {}).status_code == 200


def test_what_the_person_disputes_no_agent_decides(bot_key, tea, herself):
    from memoryapp.services.disputes import dispute

    dispute(tea["id"], actor=herself)
    answer = Api(bot_key[1]).post(f"/memories/{tea['id']}/undispute")
    assert (answer.status_code, answer.json()["code"]) == (409, "person_decides")
