"""The trash: what is in it until when, and bringing one back."""

import pytest

from memoryapp.services.detail import memory_detail
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget

pytestmark = pytest.mark.django_db

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def forgotten(remember, herself):
    """`forgotten("Likes tea.", subject="drink")`: a memory that Ada forgot."""

    def act(text, relearn="allow", **fields):
        memory = remember(text, **fields)
        forget(memory["id"], relearn=relearn, source="keep", actor=herself)
        return memory

    return act


def restore(memory):
    return f"/trash/{memory['id']}/restore/"


def test_it_shows_what_was_forgotten_and_until_when(hers, his, forgotten):
    assert "The trash is empty" in hers.get("/trash/").text
    forgotten("Likes tea.", relearn="block")
    page = hers.get("/trash/").text
    for words in ("Likes tea.", "Forgotten by you on", "Erased on", "It is not learned again", "One forgotten memory"):
        assert words in page
    assert "Likes tea." not in his.get("/trash/").text
    fragment = hers.fragment("/trash/").text
    assert "Likes tea." in fragment and "<html" not in fragment


def test_it_two_deletes_and_one_undo_bring_back_exactly_that_one(hers, forgotten, herself):
    tea, jazz = forgotten("Likes tea."), forgotten("Likes jazz.", subject="music")
    answer = hers.post(restore(tea))
    assert (answer.status_code, answer["Location"]) == (303, "/trash/")
    assert memory_detail(tea["id"], actor=herself).memory.status == "current"
    page = hers.get("/trash/").text
    assert "Restored. It stands as before." in page and "Likes jazz." in page and "Likes tea." not in page
    with pytest.raises(NotFound):
        memory_detail(jazz["id"], actor=herself)
    fragment = hers.press(restore(jazz)).text
    assert "The trash is empty" in fragment and "<html" not in fragment
    assert hers.post(restore(jazz)).status_code == 303


def test_it_says_what_stands_in_the_way(hers, forgotten, remember, herself):
    tea = forgotten("Likes tea.")
    remember("Likes rum.")
    for send in (hers.post, hers.press):
        answer = send(restore(tea))
        assert answer.status_code == 409
        assert "Likes rum." in answer.text and "something else stands in its place" in answer.text
        assert "Likes tea." in answer.text


def test_it_is_read_a_page_at_a_time(hers, forgotten, monkeypatch):
    memories = [forgotten(f"Likes song {n}.", subject=f"song {n}") for n in range(3)]
    from memoryapp.dashboard import trash as view

    whole = view.trashing.trash
    monkeypatch.setattr(view.trashing, "trash", lambda **given: whole(**given, limit=2))
    first = hers.get("/trash/")
    older = first.text.split("older=")[1].split('"')[0]
    second = hers.get(f"/trash/?older={older}").text
    assert "song 2" in first.text and "song 0" not in first.text
    assert "song 0" in second and "song 2" not in second
    answer = hers.post(restore(memories[0]), {"older": older})
    assert answer["Location"] == f"/trash/?older={older}"
    assert hers.get("/trash/?older=nonsense")["Location"] == "/trash/"


def test_it_is_erased_at_once_and_for_good(hers, his, forgotten, herself):
    tea, jazz = forgotten("Likes tea."), forgotten("Likes jazz.", subject="music")
    address = f"/trash/{tea['id']}/erase/"
    assert "cannot be brought back" in hers.get("/trash/").text
    assert hers.get(address)["Location"] == "/trash/"
    assert his.post(address).status_code == 404
    fragment = hers.press(address, {"once": f"erase.{tea['id']}"}).text
    assert "Erased. It cannot come back any more." in fragment and "<html" not in fragment
    assert "Likes jazz." in fragment and "Likes tea." not in fragment
    assert hers.post(address, {"once": f"erase.{tea['id']}"}).status_code == 303
    assert hers.post(restore(tea)).status_code == hers.post(address).status_code == 404
    assert hers.post(restore(jazz)).status_code == 303
    assert memory_detail(jazz["id"], actor=herself).memory.status == "current"


def test_it_a_stranger_finds_nothing(his, hers, forgotten):
    tea = forgotten("Likes tea.")
    assert his.post(restore(tea)).status_code == 404
    assert "Likes tea." in hers.get("/trash/").text


def test_it_hostile_text_is_inert(hers, forgotten):
    forgotten(f"Likes {HOSTILE}.")
    page = hers.get("/trash/").text
    assert HOSTILE not in page and "&lt;img src=x" in page
