"""Ada in Chromium, on a server of her own that works on the test's database."""

import json
import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from accounts.actors import Actor
from accounts.models import AgentKey, User
from tests.browser.chromium import ARGS, chromium
from tests.browser.guard import Guard

_PATIENCE_MS = 15_000
"""How long a step may take on a machine that is busy with other things. Nothing waits that long when all is well."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for all of these tests. Playwright runs a loop in this thread, where Django wants to see none."""
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    expect.set_options(timeout=_PATIENCE_MS)
    try:
        with sync_playwright() as playwright:
            started = playwright.chromium.launch(executable_path=chromium(), args=list(ARGS))
            yield started
            started.close()
    finally:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def home(live_server: Any) -> str:
    return str(live_server.url)


@pytest.fixture
def guard(home: str) -> Iterator[Guard]:
    """Asserted empty after every test."""
    watched = Guard(home)
    yield watched
    watched.require_silence()


@pytest.fixture
def new_context(browser: Browser, guard: Guard, home: str, ada: Actor) -> Iterator[Callable[..., BrowserContext]]:
    """Another browser of Ada's, signed in by its cookie; `signed_in=False` is a stranger's."""
    contexts = []

    def make(*, signed_in: bool = True, **options: Any) -> BrowserContext:
        context = browser.new_context(base_url=home, locale="en-GB", reduced_motion="reduce", **options)
        context.set_default_timeout(_PATIENCE_MS)
        guard.watch(context)
        contexts.append(context)
        if signed_in:
            context.add_cookies([{"name": "sessionid", "value": session_of(ada), "url": home}])
        return context

    yield make
    for context in contexts:
        context.close()


def session_of(person: Actor) -> str:
    """A fresh one: she proved a moment ago who she is."""
    client = Client()
    client.force_login(User.objects.get(pk=person.opened), backend="django.contrib.auth.backends.ModelBackend")
    session = client.session
    session["signed_in_at"] = time.time()
    session.save()
    return client.cookies["sessionid"].value


@pytest.fixture
def page(new_context: Callable[..., BrowserContext]) -> Page:
    """A tab of Ada's, with nothing open."""
    return new_context().new_page()


@pytest.fixture
def ask(home: str, bot_key: tuple[AgentKey, str]) -> Callable[..., dict[str, Any]]:
    """`ask("tea")`: what an assistant of Ada's is told, over HTTP. `texts` are the memories' own words."""

    def act(query: str | None = None, **fields: Any) -> dict[str, Any]:
        body = {"user": "ada", "floor": 0} | ({"query": query} if query else {}) | fields
        headers = {"Authorization": f"Bearer {bot_key[1]}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{home}/api/v1/context", json.dumps(body).encode(), headers)
        with urllib.request.urlopen(request) as response:
            return json.load(response)  # type: ignore[no-any-return]

    return act


@pytest.fixture
def events_of(ada: Actor) -> Callable[[str], int]:
    """`events_of("forget")`: how often Ada's activity has it."""
    from memoryapp.database.isolation import acting_for
    from memoryapp.models import AuditEvent

    def act(verb: str) -> int:
        with acting_for(ada.person_id):
            return AuditEvent.objects.filter(person_id=ada.person_id, verb=verb).count()

    return act
