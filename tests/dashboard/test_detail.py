"""One memory: where it comes from, what it was, where it went."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.actors import Actor
from accounts.models import User
from memoryapp.services.episodes import Turn, store_turns
from tests.api.conftest import Api

pytestmark = pytest.mark.django_db


def test_it_shows_the_message_in_its_conversation(browser: Client, ada: Actor, remember: Callable[..., Any]) -> None:
    at = datetime.now(UTC) - timedelta(days=1)
    said = ["What do you drink?", "Green tea, always.", "Noted."]
    roles = ["assistant", "user", "assistant"]
    turns = [Turn(n + 1, role, text, at) for n, (role, text) in enumerate(zip(roles, said, strict=True))]
    store_turns(session="talk", scope="personal", turns=turns, actor=ada)
    memory = remember("Likes green tea.", source="Green tea, always.", session="talk", turn=2, occurred_at=at)
    shown = browser.get(f"/memories/{memory['id']}/").content.decode()
    assert all(text in shown for text in said)
    source = shown.split('<li class="is-source">')[1].split("</li>")[0]
    assert "Green tea, always." in source
    assert "the message it came from" in source


def test_it_shows_what_it_was_before_word_by_word(browser: Client, remember: Callable[..., Any]) -> None:
    at = datetime.now(UTC) - timedelta(days=100)
    memory = remember("Likes green tea.", occurred_at=at)
    remember("Likes black tea.", occurred_at=at + timedelta(days=50))
    response = browser.get(f"/memories/{memory['id']}/")
    shown = response.content.decode()
    assert "green</del>" in shown
    assert "black</ins>" in shown
    assert len(response.context["timeline"].spans) == 2
    assert 'role="img" aria-label="When it held: 2 values' in shown


def test_it_greys_nothing_that_is_said_still(
    browser: Client, press: Callable[..., Any], remember: Callable[..., Any]
) -> None:
    memory = remember("Likes green tea.")
    press("pause", memory["id"])
    shown = browser.get(f"/memories/{memory['id']}/").content.decode()
    assert "Paused</span>" in shown
    assert "by <bdi>you</bdi>" in shown
    assert "statement-soft" not in shown


@pytest.mark.parametrize(
    ("fields", "is_paused", "told"),
    [
        ({}, False, "Sent with every request"),
        ({}, True, "Uses are not counted"),
        ({"kind": "fact", "scope": "atlas"}, True, "Never used"),
    ],
    ids=["a preference", "held back", "a fact"],
)
def test_it_says_never_used_only_of_what_is_counted(
    browser: Client,
    press: Callable[..., Any],
    remember: Callable[..., Any],
    fields: dict[str, str],
    is_paused: bool,
    told: str,
) -> None:
    memory = remember("Likes green tea.", **fields)
    if is_paused:
        press("pause", memory["id"])
    shown = browser.get(f"/memories/{memory['id']}/").content.decode()
    words = ("Sent with every request", "Uses are not counted", "Never used")
    assert [one for one in words if one in shown] == [told]


def test_it_keeps_the_way_back(browser: Client, remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.")
    shown = browser.get(f"/memories/{memory['id']}/?q=tea&kind=preference").content.decode()
    assert 'href="/memories/?q=tea&amp;kind=preference"' in shown


@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_it_draws_the_same_in_every_language(
    browser: Client, ada: Actor, remember: Callable[..., Any], language: str
) -> None:
    User.objects.filter(pk=ada.opened).update(language=language)
    at = datetime.now(UTC) - timedelta(days=100)
    memory = remember("Likes green tea.", occurred_at=at)
    remember("Likes black tea.", occurred_at=at + timedelta(days=33))
    shown = browser.get(f"/memories/{memory['id']}/").content.decode()
    picture = shown.split('class="timeline"')[1].split("</svg>")[0]
    places = re.findall(r' (?:x|cx|x1|width)="([^"]+)%"', picture)
    assert "33.0" in places and len(places) > 5
    assert all(float(place) <= 100 for place in places)


def test_it_quotes_no_older_message_for_a_corrected_text(
    browser: Client, remember: Callable[..., Any], press: Callable[..., Any]
) -> None:
    memory = remember("Likes green tea.", source="Green tea, please.")
    remember("Likes rye bread.", subject="bread", source="Rye bread, please.")
    assert "Green tea, please." in browser.get("/memories/").content.decode()
    fields = {"text": "Likes white tea.", "kind": "preference", "subject": "drink", "scope": "personal", "version": "1"}
    browser.post(f"/memories/{memory['id']}/edit/", fields)
    listed = browser.get("/memories/").content.decode()
    assert "Likes white tea." in listed and "You wrote it on" in listed
    assert "Green tea, please." not in listed and "Rye bread, please." in listed
    shown = browser.get(f"/memories/{memory['id']}/").content.decode()
    assert "You corrected it here yourself, on" in shown
    assert "What it said before came from this:" in shown and "Green tea, please." in shown
    # Said anew, the new message is quoted.
    remember("Likes black tea.", source="Black tea now.")
    assert "Black tea now." in browser.get("/memories/").content.decode()
    assert "What it said before" not in browser.get(f"/memories/{memory['id']}/").content.decode()


def test_it_says_who_corrected_it_without_a_message(
    browser: Client, ada: Actor, remember: Callable[..., Any], bot_key: Any
) -> None:
    api = Api(bot_key[1])
    memory = remember("Likes green tea.", source="Green tea, please.")
    changed = api.patch(f"/memories/{memory['id']}", {"text": "Likes white tea."}, {"If-Match": '"1"'})
    assert changed.json()["memory"]["source"] is None
    for address in ("/memories/", f"/memories/{memory['id']}/"):
        shown = browser.get(address).content.decode()
        assert ("Green tea, please." in shown) == ("-" in address)
    assert "<bdi>bot</bdi> corrected it through the API on" in shown
    assert shown.index("What it said before came from this:") < shown.index("Green tea, please.")
    named = {"text": "Likes mate.", "source": "Mate from now on."}
    api.patch(f"/memories/{memory['id']}", named, {"If-Match": '"2"'})
    shown = browser.get(f"/memories/{memory['id']}/").content.decode()
    assert "Mate from now on." in shown and "through the API" not in shown


def test_it_offers_to_erase_the_message_of_what_it_said_before(
    browser: Client, ada: Actor, remember: Callable[..., Any]
) -> None:
    store_turns(session="talk", scope="personal", turns=[Turn(1, "user", "Green tea.", None)], actor=ada)
    memory = remember("Likes green tea.", source="Green tea.", session="talk", turn=1)
    remember("Likes black tea.")
    shown = browser.get(f"/memories/{memory['id']}/forget/").content.decode()
    assert "The stored message is erased at once" in shown
    other = remember("Likes rye bread.", subject="bread")
    assert "No stored message belongs to it" in browser.get(f"/memories/{other['id']}/forget/").content.decode()


def test_it_tells_what_you_wrote_from_what_you_only_confirmed(hers: Client, guess: Callable[..., Any]) -> None:
    kept = guess("Likes rum.")
    hers.post(f"/review/{kept['id']}/keep/", {"version": kept["version"]})
    shown = hers.get(f"/memories/{kept['id']}/").content.decode()
    assert "You confirmed it in the review." in shown and "You wrote this" not in shown
    assert "You wrote or confirmed it" in shown
    hers.post("/memories/add/", {"text": "Likes gin.", "kind": "preference", "subject": "gin", "scope": "personal"})
    own = next(row for row in hers.get("/memories/").context["found"].rows if row.text == "Likes gin.")
    assert "You wrote this here yourself." in hers.get(f"/memories/{own.id}/").content.decode()
