"""Many at once: those ticked, all that match, as counted, and back."""

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.actors import Actor
from tests.dashboard.conftest import FRAGMENT
from tests.many import grow

pytestmark = pytest.mark.django_db


@pytest.fixture
def three(remember: Callable[..., Any]) -> list[str]:
    return [remember(f"Likes tea number {n}.", subject=f"tea {n}")["id"] for n in range(3)]


def _count(browser: Client, query: str = "") -> int:
    return browser.get(f"/memories/{query}").context["found"].count  # type: ignore[no-any-return]


def test_it_forgets_what_is_ticked_and_takes_it_back(browser: Client, three: list[str]) -> None:
    headers = {**FRAGMENT, "HX-Target": "div#memories"}
    shown = browser.post("/memories/bulk/", {"verb": "forget", "id": three[:2]}, headers=headers).content.decode()
    assert "2 memories forgotten." in shown
    assert _count(browser) == 1
    (bar,) = browser.get("/memories/").context["bars"]
    response = browser.post(f"/memories/bulk/{bar.id}/undo/", follow=True)
    assert "2 memories restored." in response.content.decode()
    assert _count(browser) == 3


def test_it_changes_all_that_match_as_counted(browser: Client, three: list[str], remember: Callable[..., Any]) -> None:
    remember("Likes rye bread.", subject="bread")
    asked = browser.get("/memories/bulk/?q=tea").content.decode()
    assert 'name="expected_count" value="3"' in asked
    response = browser.post("/memories/bulk/", {"verb": "pause", "at": "?q=tea", "expected_count": "3"})
    assert response["Location"] == "/memories/?q=tea"
    assert _count(browser, "?status=paused") == 3


def test_it_changes_nothing_when_the_count_is_another(
    browser: Client, three: list[str], remember: Callable[..., Any]
) -> None:
    remember("Likes tea at night.", subject="night")
    response = browser.post("/memories/bulk/", {"verb": "forget", "at": "?q=tea", "expected_count": "3"})
    assert response.status_code == 409
    assert 'value="4"' in response.content.decode()
    assert _count(browser) == 4


def test_it_wants_something_ticked(browser: Client, three: list[str]) -> None:
    response = browser.post("/memories/bulk/", {"verb": "forget"}, headers=FRAGMENT)
    assert response.status_code == 422
    assert response["HX-Retarget"] == "#alert"
    assert browser.post("/memories/bulk/", {"verb": "forget", "id": ["x", "-"]}).status_code == 422
    assert browser.post("/memories/bulk/", {"verb": "shred", "id": three}).status_code == 422
    assert _count(browser) == 3


def test_it_touches_nobody_elses(browser: Client, bens: Client, three: list[str]) -> None:
    bens.post("/memories/bulk/", {"verb": "forget", "id": three})
    assert _count(browser) == 3
    browser.post("/memories/bulk/", {"verb": "forget", "id": three})
    (bar,) = browser.get("/memories/").context["bars"]
    assert bens.get(f"/memories/bulk/{bar.id}/").status_code == 404
    assert bens.post(f"/memories/bulk/{bar.id}/").status_code == 404
    assert bens.post(f"/memories/bulk/{bar.id}/undo/").status_code == 404
    assert browser.get(f"/memories/bulk/{bar.id}/").status_code == 200


def test_it_merges_two(browser: Client, bens: Client, three: list[str]) -> None:
    keep, other, _ = three
    to = browser.post("/memories/bulk/", {"verb": "merge", "id": [keep, other], "at": "?q=tea"})["Location"]
    assert to == f"/memories/merge/?keep={keep}&other={other}&q=tea"
    assert browser.get(to).status_code == 200
    assert bens.get(to).status_code == 404
    fields = {"keep": keep, "other": other, "choice": other, "once": "a"}
    assert bens.post("/memories/merge/", fields).status_code == 404
    for _ in range(2):
        response = browser.post("/memories/merge/", fields)
        assert response["Location"] == f"/memories/{other}/"
    assert _count(browser) == 2
    assert browser.post("/memories/bulk/", {"verb": "merge", "id": [keep]}).status_code == 422
    assert browser.get("/memories/merge/?keep=x").status_code == 404


def test_it_asks_as_much_for_many_as_for_few(browser: Client, three: list[str], ada: Actor) -> None:
    browser.get("/memories/bulk/?q=tea")
    with CaptureQueriesContext(connection) as few:
        browser.get("/memories/bulk/?q=tea")
    grow(ada, 400)
    with CaptureQueriesContext(connection) as many:
        assert ">403<" in browser.get("/memories/bulk/").content.decode()
    assert len(few) == len(many)
    marks = ("SAVEPOINT", "RELEASE", "set local")
    assert len([one for one in many.captured_queries if not one["sql"].startswith(marks)]) <= 12


def test_it_of_nothing_new_on_the_first_visit_there_is_nothing_to_change(browser: Client, three: list[str]) -> None:
    """The filter that lets nothing through is known before the database is asked."""
    for query, found in (("", ">3<"), ("?new=1", ">0<")):
        page = browser.get(f"/memories/bulk/{query}")
        assert page.status_code == 200 and found in page.content.decode()
