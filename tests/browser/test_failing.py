"""Nothing there, nothing that matches, and could not load: three states that look different."""

import pytest
from django.db import OperationalError
from playwright.sync_api import expect

from memoryapp.dashboard import memories
from tests.browser.steps import LIST, rows, search

pytestmark = pytest.mark.django_db(transaction=True)

EMPTY = "Nothing is remembered yet"


@pytest.fixture
def away(monkeypatch):
    """The store does not answer to the list while this stands."""

    def fail(*_, **__):
        raise OperationalError("The connection is lost.")

    monkeypatch.setattr(memories, "find", fail)
    return monkeypatch


def test_an_empty_list_says_so(page, ada):
    page.goto(LIST)
    expect(page.get_by_role("heading", name=EMPTY)).to_be_visible()


def test_a_failure_is_not_an_empty_list(page, remember, away, guard):
    remember("Likes green tea.")
    guard.expect("status of 503")
    assert page.goto(LIST).status == 503
    expect(page.locator("h1")).to_have_text("Could not load")
    expect(page.locator("main")).to_contain_text("Reference")
    assert page.get_by_text(EMPTY).count() == 0
    away.undo()
    page.get_by_role("link", name="Try again").click()
    expect(rows(page)).to_have_count(1)


def test_the_old_rows_stay_when_a_search_fails(page, remember, guard, monkeypatch):
    remember("Likes green tea.")
    remember("Likes rye bread.", subject="bread")
    page.goto(LIST)
    with monkeypatch.context() as failing:
        failing.setattr(memories, "find", lambda *_, **__: 1 / 0)
        page.locator("#q").fill("rye")
        expect(page.locator("#alert")).to_contain_text("Reference")
    guard.expect("status of 500")
    expect(rows(page)).to_have_count(2)
    assert page.get_by_text(EMPTY).count() == page.get_by_text("Nothing matches").count() == 0
    search(page, "rye")
    expect(rows(page)).to_have_count(1)
    expect(page.locator("#alert")).to_have_text("")


def test_a_failed_search_can_be_tried_again(page, remember, guard, monkeypatch):
    remember("Likes green tea.")
    remember("Likes rye bread.", subject="bread")
    page.goto(LIST)
    with monkeypatch.context() as failing:
        failing.setattr(memories, "find", lambda *_, **__: 1 / 0)
        page.locator("#q").fill("rye")
        expect(page.locator("#alert")).to_contain_text("Reference")
    guard.expect("status of 500")
    page.locator("#alert").get_by_role("link", name="Try again").click()
    expect(page.locator("#q")).to_have_value("rye")
    expect(rows(page)).to_have_count(1)
