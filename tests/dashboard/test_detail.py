"""One memory: where it comes from, what it was, where it went."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from accounts.actors import Actor
from memoryapp.services.episodes import Turn, store_turns

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


def test_it_keeps_the_way_back(browser: Client, remember: Callable[..., Any]) -> None:
    memory = remember("Likes green tea.")
    shown = browser.get(f"/memories/{memory['id']}/?q=tea&kind=preference").content.decode()
    assert 'href="/memories/?q=tea&amp;kind=preference"' in shown
