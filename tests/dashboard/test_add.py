"""Adding by hand."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.dashboard.conftest import FRAGMENT

pytestmark = pytest.mark.django_db

FIELDS = {"text": "Likes white tea.", "kind": "preference", "subject": "drink", "scope": "personal", "once": "a"}


def test_it_adds_the_persons_own_word(browser: Client) -> None:
    response = browser.post("/memories/add/", FIELDS, follow=True)
    shown = response.content.decode()
    assert response.redirect_chain == [("/memories/", 303)]
    assert "Likes white tea." in shown
    assert "You wrote it on" in shown
    assert "Added. It may be sent with the next answer." in shown


def test_it_adds_one_though_sent_twice(browser: Client) -> None:
    for _ in range(2):
        assert browser.post("/memories/add/", FIELDS).status_code == 303
    (row,) = browser.get("/memories/").context["found"].rows
    assert row.seen == 1
    browser.post("/memories/add/", {**FIELDS, "once": "b"})
    (row,) = browser.get("/memories/").context["found"].rows
    assert row.seen == 2


def test_it_says_that_something_was_replaced(browser: Client, remember: Callable[..., Any]) -> None:
    remember("Likes green tea.")
    shown = browser.post("/memories/add/", FIELDS, follow=True).content.decode()
    assert "It takes the place of what was known" in shown
    assert "Likes green tea." not in shown.split('class="ledger"')[1]


def test_it_keeps_what_was_typed_when_refused(browser: Client) -> None:
    secret = "The card is 4111 1111 1111 1111."
    response = browser.post("/memories/add/", {**FIELDS, "text": secret, "aliases": "card"}, headers=FRAGMENT)
    shown = response.content.decode()
    assert response.status_code == 422
    assert response["X-Focus"] == "form-errors"
    assert f"{secret}</textarea>" in shown
    assert 'value="card"' in shown
    assert browser.get("/memories/").context["found"].total == 0


def test_it_wants_a_text_and_a_subject(browser: Client) -> None:
    response = browser.post("/memories/add/", {"once": "a"})
    assert response.status_code == 422
    assert set(response.context["form"].errors) == {"text", "kind", "subject", "scope"}
