"""Ada in a browser, Ben in another."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.test import Client

from accounts.actors import Actor
from accounts.models import User
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.services.writing import amend, writer_for

FRAGMENT = {"HX-Request": "true", "HX-Request-Type": "partial"}


def signed_in[C: Client](actor: Actor, client: C | None = None) -> C | Client:
    """The client, with that person, who proved a moment ago who they are."""
    client = client or Client()
    user = User.objects.get(pk=actor.opened)
    # What a sign-in leaves in the session, without its dozen statements; tests/accounts signs in.
    session = SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session["signed_in_at"] = time.time()
    session.save()
    client.cookies[settings.SESSION_COOKIE_NAME] = session.session_key
    return client


@pytest.fixture
def browser(ada: Actor) -> Client:
    return signed_in(ada)


@pytest.fixture
def bens(ben: Actor) -> Client:
    return signed_in(ben)


@pytest.fixture
def press(browser: Client) -> Callable[..., Any]:
    """`press("pause", id)`: the button beside a memory in the list, pressed under htmx."""

    def act(verb: str, memory_id: str, *, at: str = "", **fields: Any) -> Any:
        headers = {**FRAGMENT, "HX-Target": "div#memories", "HX-Source": "form#verbs"}
        return browser.post(f"/memories/{memory_id}/{verb}/", {"at": at, **fields}, headers=headers)

    return act


class Browser(Client):
    """`fragment` and `press` ask for what htmx asks for."""

    def fragment(self, url: str, **query: Any) -> Any:
        return self.get(url, query, headers=FRAGMENT)

    def press(self, url: str, data: dict[str, Any] | None = None) -> Any:
        return self.post(url, data or {}, headers=FRAGMENT)


def _browser(actor: Actor) -> Browser:
    return signed_in(actor, Browser(raise_request_exception=False))


@pytest.fixture
def hers(ada: Actor) -> Browser:
    """Ada's browser."""
    return _browser(ada)


@pytest.fixture
def grow_old() -> Callable[[Client], None]:
    """`grow_old(hers)`: she signed in so long ago that it proves nothing any more."""

    def act(browser: Client) -> None:
        session = browser.session
        session["signed_in_at"] -= 16 * 60
        session.save()

    return act


@pytest.fixture
def her_other(ada: Actor) -> Browser:
    """Ada's second browser."""
    return _browser(ada)


@pytest.fixture
def his(ben: Actor) -> Browser:
    """Ben's browser."""
    return _browser(ben)


@pytest.fixture
def guess(propose_one: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """`guess("Likes rum.")`: a memory that an agent concluded, which waits for Ada."""

    def act(text: str, **fields: Any) -> dict[str, Any]:
        outcome = propose_one(text, source=None, **fields)
        assert outcome.action == "pending", outcome
        return outcome.memory  # type: ignore[no-any-return]

    return act


@pytest.fixture
def grow_stale(ada: Actor) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """`grow_stale(memory)`: nobody has heard of it for long."""

    def act(memory: dict[str, Any]) -> dict[str, Any]:
        with writer_for(Actor("system", ada.person_id)) as writer:
            head = Memory.objects.select_related("scope").get(pk=memory["id"])
            head.state = State.STALE
            amend(head, writer)
        return memory | {"version": head.version}

    return act
