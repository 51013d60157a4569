"""The buttons beside a memory, with and without htmx, twice, and by somebody else."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from accounts.actors import Actor
from memoryapp.services.episodes import Turn, store_turns
from tests.dashboard.conftest import FRAGMENT

pytestmark = pytest.mark.django_db

VERBS = ("pause", "resume", "pin", "unpin", "confirm", "forget", "restore")


def test_it_pauses_and_resumes(browser: Client, press: Callable[..., Any], remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.")
    shown = press("pause", memory["id"]).content.decode()
    assert "Paused. It stays here" in shown
    assert f'formaction="/memories/{memory["id"]}/resume/"' in shown
    shown = press("resume", memory["id"]).content.decode()
    assert f'formaction="/memories/{memory["id"]}/pause/"' in shown


def test_it_forgets_at_once_and_offers_to_undo(
    browser: Client, press: Callable[..., Any], remember: Callable[..., Any]
) -> None:
    memory, other = remember("Likes green tea."), remember("Likes rye bread.", subject="bread")
    shown = press("forget", memory["id"]).content.decode()
    rows, bars = shown.split('<hx-partial hx-target="#bars"')
    assert "Likes green tea." not in rows
    assert "Likes rye bread." in rows
    assert 'Forgotten: “<bdi dir="auto">Likes green tea.' in bars
    assert "Forgotten. The trash keeps it" in bars
    assert "Likes green tea." in browser.get("/memories/").content.decode().split('id="bars"')[1]
    restored = press("restore", memory["id"])
    assert "Likes green tea." in restored.content.decode()
    assert restored["X-Focus"] == f"m-{memory['id']}"
    assert other["id"] in restored.content.decode()


def test_it_undoes_exactly_one_of_two(browser: Client, press: Callable[..., Any], remember: Callable[..., Any]) -> None:
    tea, bread = remember("Likes green tea."), remember("Likes rye bread.", subject="bread")
    press("forget", tea["id"])
    press("forget", bread["id"])
    rows, bars = press("restore", tea["id"]).content.decode().split('<hx-partial hx-target="#bars"')
    assert "Likes green tea." in rows
    assert "Likes rye bread." not in rows
    assert "Likes rye bread." in bars
    assert "Likes green tea." not in bars


def test_it_puts_the_bars_away(browser: Client, press: Callable[..., Any], remember: Callable[..., Any]) -> None:
    press("forget", remember("Likes green tea.")["id"])
    assert "Likes green tea." in browser.get("/memories/").content.decode()
    browser.post("/memories/hide-bars/")
    assert "Likes green tea." not in browser.get("/memories/").content.decode()


def test_it_keeps_the_filters(browser: Client, press: Callable[..., Any], remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.")
    remember("Likes rye bread.", subject="bread")
    shown = press("forget", memory["id"], at="?q=tea").content.decode()
    assert "Nothing matches" in shown
    assert 'value="tea"' in shown
    response = browser.post(f"/memories/{memory['id']}/restore/", {"at": "?q=tea"})
    assert response.status_code == 303
    assert response["Location"] == "/memories/?q=tea"


def test_it_works_without_scripts(browser: Client, remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.")
    response = browser.post(f"/memories/{memory['id']}/pause/", {"at": "?kind=preference"}, follow=True)
    assert response.redirect_chain == [("/memories/?kind=preference", 303)]
    assert "Paused. It stays here" in response.content.decode()


def test_it_returns_to_the_page_of_the_memory(browser: Client, remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.")
    response = browser.post(f"/memories/{memory['id']}/pin/", {"on": "memory", "at": "?q=tea"})
    assert response["Location"] == f"/memories/{memory['id']}/?q=tea"


def test_it_leads_a_get_to_the_list(browser: Client, remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.")
    assert browser.get(f"/memories/{memory['id']}/pause/")["Location"] == "/memories/"


def test_it_confirms_once_though_sent_twice(
    browser: Client, press: Callable[..., Any], remember: Callable[..., Any]
) -> None:
    memory = remember("Likes green tea.")
    for _ in range(2):
        assert press("confirm", memory["id"], once="a token").status_code == 200
    assert browser.get(f"/memories/{memory['id']}/").context["row"].seen == 2
    press("confirm", memory["id"], once="another token")
    assert browser.get(f"/memories/{memory['id']}/").context["row"].seen == 3


@pytest.mark.parametrize("verb", ["forget", "restore"])
def test_it_does_once_what_is_sent_twice(
    browser: Client, press: Callable[..., Any], remember: Callable[..., Any], verb: str
) -> None:
    memory = remember("Likes green tea.")
    if verb == "restore":
        press("forget", memory["id"])
    assert [press(verb, memory["id"]).status_code for _ in range(2)] == [200, 200]
    assert browser.get(f"/memories/{memory['id']}/").status_code == (404 if verb == "forget" else 200)


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("page", ["", "edit/", *(f"{verb}/" for verb in VERBS if verb != "restore")])
def test_it_is_not_there_for_somebody_else(
    browser: Client, bens: Client, remember: Callable[..., Any], page: str, method: str
) -> None:
    memory = remember("Likes green tea.")
    address = f"/memories/{memory['id']}/{page}"
    if method == "get":
        assert browser.get(address).status_code in (200, 302)
    if not (method == "post" and page == ""):
        assert getattr(bens, method)(address).status_code == 404
        assert getattr(bens, method)(f"/memories/{uuid4()}/{page}").status_code == 404
    assert browser.get(f"/memories/{memory['id']}/").context["row"].version == 1


def test_it_restores_nothing_of_somebody_else(
    browser: Client, bens: Client, press: Callable[..., Any], remember: Callable[..., Any]
) -> None:
    memory = remember("Likes green tea.")
    press("forget", memory["id"])
    assert bens.post(f"/memories/{memory['id']}/restore/").status_code == 404
    assert bens.get(f"/memories/{memory['id']}/forget/").status_code == 404
    assert press("restore", memory["id"]).status_code == 200


def test_it_answers_a_failure_into_the_alert(browser: Client, press: Callable[..., Any]) -> None:
    response = press("pause", str(uuid4()))
    assert response.status_code == 404
    assert response["HX-Retarget"] == "#alert"
    assert b"<html" not in response.content
    assert b"<html" in browser.post(f"/memories/{uuid4()}/pause/").content


def test_it_refuses_what_does_not_stand_in_words(press: Callable[..., Any], propose_one: Callable[..., Any]) -> None:
    waiting = propose_one("Seems to like tea.", source=None, origin="inferred")
    assert waiting.action == "pending"
    response = press("pause", waiting.memory["id"])
    assert response.status_code == 409
    assert b"waits for your review" in response.content


def test_it_wants_the_token_of_the_page(ada: Any, remember: Callable[..., Any], browser: Client) -> None:
    memory = remember("Likes green tea.")
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = browser.cookies
    typed = "Likes jasmine tea, the green kind."
    response = strict.post(f"/memories/{memory['id']}/edit/", {"text": typed, "version": "1"})
    assert response.status_code == 403
    assert typed in response.content.decode()
    assert 'name="csrfmiddlewaretoken"' in response.content.decode()
    foreign = strict.post(f"/memories/{memory['id']}/edit/", {"text": typed}, headers={"Sec-Fetch-Site": "cross-site"})
    assert foreign.status_code == 403
    assert typed not in foreign.content.decode()
    under_htmx = strict.post(f"/memories/{memory['id']}/pause/", headers=FRAGMENT)
    assert under_htmx.status_code == 403
    assert under_htmx["HX-Retarget"] == "#alert"
    assert browser.get(f"/memories/{memory['id']}/").context["row"].version == 1


@pytest.mark.parametrize("along", [{}, {"message": "1"}], ids=["the memory alone", "its message too"])
def test_the_undo_bar_says_that_an_erased_message_does_not_come_back(
    browser: Client, ada: Actor, remember: Callable[..., Any], along: dict[str, str]
) -> None:
    store_turns(session="talk", scope="personal", turns=[Turn(1, "user", "Green tea, always.")], actor=ada)
    memory = remember("Likes green tea.", source="Green tea, always.", session="talk", turn=1)
    browser.post(f"/memories/{memory['id']}/forget/", along)
    shown = browser.get("/memories/").content.decode()
    assert "Forgotten: “" in shown
    assert ("The message it came from stays erased." in shown) is bool(along)
