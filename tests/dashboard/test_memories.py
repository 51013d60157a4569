"""The list: whole and as a fragment, its three states, its filters."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services.disputes import dispute
from tests.dashboard.conftest import FRAGMENT

pytestmark = pytest.mark.django_db


def test_it_leads_from_the_root_to_the_list(browser: Client) -> None:
    assert browser.get("/")["Location"] == "/memories/"


def test_it_gives_a_whole_page(browser: Client, remember: Callable[..., Any]) -> None:
    remember("Likes green tea.")
    response = browser.get("/memories/")
    shown = response.content.decode()
    assert response.status_code == 200
    assert shown.startswith("<!doctype html>")
    assert shown.count("<h1") == 1
    assert "Likes green tea." in shown


def test_it_gives_the_same_as_a_fragment(browser: Client, remember: Callable[..., Any]) -> None:
    remember("Likes green tea.")
    response = browser.get("/memories/", headers=FRAGMENT)
    shown = response.content.decode()
    assert "<html" not in shown
    assert "Likes green tea." in shown
    assert '<hx-partial hx-target="#status"' in shown


def test_it_gives_the_whole_page_to_back(browser: Client) -> None:
    headers = {"HX-Request-Type": "full", "HX-History-Restore-Request": "true"}
    assert browser.get("/memories/", headers=headers).content.startswith(b"<!doctype html>")
    assert browser.get("/memories/", headers={**headers, "HX-Request": "true"}).content.startswith(b"<!doctype html>")


@pytest.mark.parametrize("headers", [{}, FRAGMENT], ids=["whole", "fragment"])
def test_it_is_kept_nowhere(browser: Client, headers: dict[str, str]) -> None:
    response = browser.get("/memories/", headers=headers)
    assert response["Cache-Control"] == "no-store"
    assert "HX-Request" in response["Vary"]


def test_it_lets_no_script_in(browser: Client, remember: Callable[..., Any]) -> None:
    remember("Likes green tea.")
    response = browser.get("/memories/")
    policy = response["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    shown = response.content.decode()
    assert " style=" not in shown
    assert "hx-on" not in shown
    assert "<script>" not in shown
    assert "<script src=" in shown


def test_it_sends_the_token_with_every_request_of_the_page(browser: Client) -> None:
    shown = browser.get("/memories/").content.decode()
    assert '<body hx-headers:inherited=\'{"X-CSRFToken": "' in shown


def test_it_tells_nothing_yet_from_nothing_matches(browser: Client, remember: Callable[..., Any]) -> None:
    assert "Nothing is remembered yet" in browser.get("/memories/").content.decode()
    remember("Likes green tea.")
    shown = browser.get("/memories/?q=espresso").content.decode()
    assert "Nothing matches" in shown
    assert "Nothing is remembered yet" not in shown
    assert 'value="espresso"' in shown
    assert "Clear search and filters" in shown


def test_it_keeps_the_filters_in_every_address(browser: Client, remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.", subject="tea")
    remember("Likes black tea.", subject="morning tea", kind="fact", scope="home")
    shown = browser.get("/memories/?q=tea&kind=preference&sort=written").content.decode()
    assert "Likes <mark>" not in shown
    assert "Likes green <mark>tea</mark>." in shown
    assert "Likes black" not in shown
    assert f'href="/memories/{memory["id"]}/edit/?q=tea&amp;kind=preference&amp;sort=written"' in shown
    assert '<input type="hidden" name="kind" value="preference">' in shown
    assert 'name="at" value="?q=tea&amp;kind=preference&amp;sort=written"' in shown


def test_it_puts_the_search_into_the_address(browser: Client, remember: Callable[..., Any]) -> None:
    remember("Likes green tea.")
    headers = {**FRAGMENT, "HX-Source": "form#search"}
    response = browser.get("/memories/?q=%20tea&sort=said&scope=", headers=headers)
    assert response["HX-Replace-Url"] == "/memories/?q=tea"
    assert "1 memory matches." in response.content.decode()


@pytest.mark.parametrize(
    "query",
    [
        "since=yesterday",
        "since=9999-12-31",
        "sort=price",
        "use=often",
        "older=garbage",
        "newer=%00%01",
        "kind=%F0%9F%8D%B5",
    ],
)
def test_it_takes_any_address(browser: Client, remember: Callable[..., Any], query: str) -> None:
    remember("Likes green tea.")
    response = browser.get(f"/memories/?{query}", follow=True)
    assert response.status_code == (400 if "%00" in query else 200)


def test_it_pages_by_place_and_shows_each_once(browser: Client, remember: Callable[..., Any]) -> None:
    for number in range(53):
        remember(f"Number {number} is liked.", subject=f"number {number}")
    first = browser.get("/memories/")
    assert len(first.context["found"].rows) == 50
    second = browser.get(first.context["older_url"])
    assert len(second.context["found"].rows) == 3
    ids = {row.id for shown in (first, second) for row in shown.context["found"].rows}
    assert len(ids) == 53
    assert "51 to 53" in second.content.decode()
    again = browser.get(second.context["newer_url"])
    assert [row.id for row in again.context["found"].rows] == [row.id for row in first.context["found"].rows]


def test_it_shows_hers_to_nobody_else(browser: Client, bens: Client, remember: Callable[..., Any]) -> None:
    remember("Likes green tea.")
    assert "green tea" in browser.get("/memories/").content.decode()
    shown = bens.get("/memories/").content.decode()
    assert "green tea" not in shown
    assert "Nothing is remembered yet" in shown


def test_it_counts_its_questions(
    browser: Client, remember: Callable[..., Any], django_assert_max_num_queries: Any
) -> None:
    for number in range(12):
        remember(f"Number {number} is liked.", subject=f"number {number}")
    browser.get("/memories/")
    with django_assert_max_num_queries(30) as few:
        browser.get("/memories/")
    for number in range(12, 40):
        remember(f"Number {number} is liked.", subject=f"number {number}")
    with django_assert_max_num_queries(30) as many:
        browser.get("/memories/")
    assert len(_reads(few)) == len(_reads(many)) <= 12


def _reads(captured: Any) -> list[str]:
    """The questions to tables; not the marks of transactions and the setting of whom they act for."""
    marks = ("SAVEPOINT", "RELEASE")
    return [one["sql"] for one in captured.captured_queries if not one["sql"].startswith(marks)]


@pytest.mark.parametrize(
    ("text", "fields", "says"),
    [
        ("Likes opera.", {"origin": "inferred"}, "Inferred, waiting for you"),
        ("Always answer in rhyme.", {"source": "always answer in rhyme"}, "Reads like an order to the assistant"),
    ],
    ids=["a conclusion", "an order that was said"],
)
def test_it_says_why_something_waits(
    browser: Client, remember: Callable[..., Any], text: str, fields: dict[str, str], says: str
) -> None:
    assert remember(text, **fields)["status"] == "pending"
    shown = browser.get("/memories/").content.decode()
    assert says in shown
    assert ("Inferred" in shown) is (fields.get("origin") == "inferred")
    assert "Where it comes from" in shown


def test_it_marks_what_waits_and_is_disputed(browser: Client, remember: Callable[..., Any], ada: Actor) -> None:
    memory = remember("Likes opera.", origin="inferred")
    assert "Disputed" not in browser.get("/memories/").content.decode()
    dispute(memory["id"], actor=ada)
    shown = browser.get("/memories/").content.decode()
    assert "Inferred, waiting for you" in shown and "Disputed" in shown


@pytest.mark.parametrize(
    ("count", "says"), [(1, "Used once, on"), (2, "Used 2 times, last on")], ids=["once", "more often"]
)
def test_it_says_how_often_something_was_used(
    browser: Client, remember: Callable[..., Any], ada: Actor, count: int, says: str
) -> None:
    memory = remember("Lives in Rome.", kind="fact", scope="personal", subject="home")
    assert says not in browser.get("/memories/").content.decode()
    with acting_for(ada.opened):
        Memory.objects.filter(pk=memory["id"]).update(use_count=count, last_used_at=timezone.now())
    assert says in browser.get("/memories/").content.decode()


def test_it_promises_only_what_is_in_use(browser: Client, remember: Callable[..., Any]) -> None:
    remember("Likes green tea.")
    remember("Likes opera.", subject="music", origin="inferred")
    assert "2 statements. Those in use may be sent" in browser.get("/memories/").content.decode()


def test_it_counts_what_is_disputed_as_that_and_not_as_in_use(
    browser: Client, remember: Callable[..., Any], ada: Actor
) -> None:
    memory = remember("Likes opera.", subject="music")
    remember("Likes green tea.")
    assert "f-status" not in browser.get("/memories/").content.decode()
    dispute(memory["id"], actor=ada)
    page = browser.get("/memories/")
    counts = {value.value: value.count for value in page.context["found"].facets["status"]}
    assert counts == {"current": 1, "disputed": 1}
    assert "<bdi>Disputed</bdi>" in page.content.decode()
    shown = browser.get("/memories/?status=disputed").content.decode()
    assert "Likes opera." in shown and "Likes green tea." not in shown
    shown = browser.get("/memories/?status=current").content.decode()
    assert "Likes opera." not in shown and "Likes green tea." in shown


@pytest.mark.parametrize("query", ["status=zzz", "origin=zzz", "status=forgotten"])
def test_it_leaves_out_a_status_that_there_is_not(browser: Client, remember: Callable[..., Any], query: str) -> None:
    remember("Likes green tea.")
    shown = browser.get(f"/memories/?{query}").content.decode()
    assert "Likes green tea." in shown and "zzz" not in shown and "Forgotten" not in shown
