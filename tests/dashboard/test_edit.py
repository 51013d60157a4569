"""Correcting: in force, refused in words, and nothing typed lost when it changed meanwhile."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryapp.dashboard import edit as view
from tests.dashboard.conftest import FRAGMENT

pytestmark = pytest.mark.django_db


@pytest.fixture
def fields() -> dict[str, str]:
    return {"text": "Likes white tea.", "kind": "preference", "subject": "drink", "scope": "personal", "version": "1"}


def test_it_puts_the_new_text_in_force(browser: Client, remember: Callable[..., Any], fields: dict[str, str]) -> None:
    memory = remember("Likes green tea.")
    address = f"/memories/{memory['id']}/edit/"
    assert "Likes green tea.</textarea>" in browser.get(address).content.decode()
    response = browser.post(address, {**fields, "at": "?q=tea", "reason": "It was never green."})
    assert response.status_code == 303
    assert response["Location"] == f"/memories/{memory['id']}/?q=tea"
    shown = browser.get(response["Location"]).content.decode()
    assert "Likes white tea." in shown
    assert "<del>" in shown
    assert "It was never green." in shown
    assert "You wrote it on" in shown


def test_it_leaves_with_the_whole_window(browser: Client, remember: Callable[..., Any], fields: dict[str, str]) -> None:
    memory = remember("Likes green tea.")
    response = browser.post(f"/memories/{memory['id']}/edit/", fields, headers=FRAGMENT)
    assert response.status_code == 200
    assert response["HX-Redirect"] == f"/memories/{memory['id']}/"


def test_it_is_done_once_though_sent_twice(
    browser: Client, remember: Callable[..., Any], fields: dict[str, str]
) -> None:
    memory = remember("Likes green tea.")
    address = f"/memories/{memory['id']}/edit/"
    assert [browser.post(address, fields).status_code for _ in range(2)] == [303, 303]
    assert browser.get(f"/memories/{memory['id']}/").context["row"].version == 2


def test_it_shows_both_texts_when_it_changed_meanwhile(
    browser: Client, remember: Callable[..., Any], fields: dict[str, str]
) -> None:
    memory = remember("Likes green tea.")
    address = f"/memories/{memory['id']}/edit/"
    browser.post(address, {**fields, "text": "Likes black tea."})
    mine = {**fields, "aliases": "brew, cup", "reason": "I said so."}
    response = browser.post(address, mine, headers=FRAGMENT)
    shown = response.content.decode()
    assert response.status_code == 409
    assert response["X-Focus"] == "stale"
    assert "Likes black tea." in shown
    assert "Likes white tea.</textarea>" in shown
    assert 'value="brew, cup"' in shown
    assert "I said so.</textarea>" in shown
    assert 'name="version" value="2"' in shown
    assert browser.post(address, {**mine, "version": "2"}).status_code == 303
    assert browser.get(f"/memories/{memory['id']}/").context["row"].text == "Likes white tea."


def test_it_shows_the_text_that_was_faster_by_a_moment(
    browser: Client, remember: Callable[..., Any], fields: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = remember("Likes green tea.")
    address = f"/memories/{memory['id']}/edit/"
    whole = view.edit

    def after_another(*args: Any, **given: Any) -> Any:
        monkeypatch.undo()
        browser.post(address, {**fields, "text": "Likes black tea."})
        return whole(*args, **given)

    monkeypatch.setattr(view, "edit", after_another)
    response = browser.post(address, fields)
    assert response.status_code == 409
    assert "Likes black tea." in response.content.decode()
    assert 'name="version" value="2"' in response.content.decode()


def test_it_moves_to_another_slot_only_where_none_stands(
    browser: Client, remember: Callable[..., Any], fields: dict[str, str]
) -> None:
    memory = remember("Likes green tea.")
    remember("Likes rye bread.", subject="bread")
    address = f"/memories/{memory['id']}/edit/"
    response = browser.post(address, {**fields, "subject": "bread"})
    assert response.status_code == 409
    assert "Likes rye bread." in response.content.decode()
    assert browser.post(address, {**fields, "subject": "hot drink"}).status_code == 303
    assert browser.get(f"/memories/{memory['id']}/").context["row"].subject == "hot drink"


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""}, {"text": " \u200b "}, {"text": "x" * 2001}, {"kind": "opinion"}, {"scope": "elsewhere"},
        {"aliases": ",".join(f"name {n}" for n in range(21))},
        {"expires_on": "2001-01-01"}, {"expires_on": "9999-12-31"},
    ],
    ids=["empty", "unseen", "long", "kind", "scope", "aliases", "past", "end of time"],
)  # fmt: skip
def test_it_says_what_needs_another_look(
    browser: Client, remember: Callable[..., Any], fields: dict[str, str], wrong: dict[str, str]
) -> None:
    memory = remember("Likes green tea.")
    response = browser.post(f"/memories/{memory['id']}/edit/", {**fields, **wrong})
    assert response.status_code == 422
    assert 'aria-invalid="true"' in response.content.decode()
    assert browser.get(f"/memories/{memory['id']}/").context["row"].version == 1


def test_it_keeps_a_last_day_to_the_second(
    browser: Client, remember: Callable[..., Any], fields: dict[str, str]
) -> None:
    memory = remember("Likes green tea.")
    address = f"/memories/{memory['id']}/edit/"
    browser.post(address, {**fields, "text": "Likes green tea.", "expires_on": "2999-05-04"})
    ends = browser.get(f"/memories/{memory['id']}/").context["row"].expires_at
    assert ends.isoformat() == "2999-05-05T00:00:00+00:00"
    assert 'value="2999-05-04"' in browser.get(address).content.decode()


def test_it_refuses_a_secret_in_words(browser: Client, remember: Callable[..., Any], fields: dict[str, str]) -> None:
    memory = remember("Likes green tea.")
    secret = "The card is 4111 1111 1111 1111."
    response = browser.post(f"/memories/{memory['id']}/edit/", {**fields, "text": secret})
    assert response.status_code == 422
    assert "Those are never kept" in response.content.decode()
