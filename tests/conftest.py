"""The cast: Ada (a person), Ben (shares nothing with her), and `bot`, an agent that serves both."""

import gc
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import hypothesis
import pytest
from django.conf import settings

from accounts.actors import Actor
from accounts.models import AgentKey
from memoryapp.database.access import embedded_access
from memoryapp.database.server import require_usable
from memoryapp.database.url import psycopg_parameters
from tests.quick import quick

# Properties are tried with the same generators by several tests; what one of them misses the next run finds.
hypothesis.settings.register_profile("suite", max_examples=60)
hypothesis.settings.load_profile("suite")


def pytest_collection() -> None:
    """What is loaded from here on stays: to go through it again and again while it grows takes its time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Nor does the collector go through it in the midst of tests."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def database_server() -> Iterator[None]:
    """The embedded PostgreSQL of this run, or the one that DATABASE_URL names. Starts with the first who asks."""
    if not settings.MEMORY_USES_EMBEDDED:
        require_usable(psycopg_parameters(settings.DATABASES["default"]))
        yield
        return
    with embedded_access(settings.MEMORY_PATHS, fsync=False):
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings(database_server: None) -> None:
    """pytest-django asks for this before it makes the test database."""


@pytest.fixture(scope="session", autouse=True)
def what_is_the_same_is_done_once() -> Iterator[None]:
    with quick():
        yield


@pytest.fixture
def bot_key(db: None) -> tuple[AgentKey, str]:
    """A service key and its secret."""
    from memoryapp.services.keys import create_key

    return create_key("bot", actor=Actor("system"))


@pytest.fixture
def bot(bot_key: tuple[AgentKey, str]) -> Actor:
    """The agent, with nobody open."""
    from memoryapp.services.agents import actor_of

    return actor_of(bot_key[0])


@pytest.fixture
def ada(bot: Actor) -> Actor:
    """The agent, acting for Ada."""
    from memoryapp.services.agents import ensure_person

    return ensure_person(bot, "ada")


@pytest.fixture
def ben(bot: Actor) -> Actor:
    """The agent, acting for Ben."""
    from memoryapp.services.agents import ensure_person

    return ensure_person(bot, "ben")


@pytest.fixture
def herself(ada: Actor) -> Actor:
    """Ada on her own page."""
    return replace(ada, kind="person", key_id=None, key_name=None)


@pytest.fixture
def propose_one(ada: Actor) -> Callable[..., Any]:
    """`propose_one("Likes tea.", subject="drink")`: one proposal, by default a stated personal preference of Ada's."""
    from memoryapp.services.proposal import Outcome, Proposal
    from memoryapp.services.propose import propose

    def act(text: str | None, *, actor: Actor = ada, **fields: Any) -> Outcome:
        defaults = {"kind": "preference", "subject": "drink", "source": text}
        return propose([Proposal(text=text, **(defaults | fields))], actor=actor)[0]

    return act


@pytest.fixture
def remember(propose_one: Callable[..., Any]) -> Callable[..., dict[str, Any]]:
    """`remember("Likes tea.")`: as `propose_one`, and the memory that came of it."""

    def act(text: str, **fields: Any) -> dict[str, Any]:
        outcome = propose_one(text, **fields)
        assert outcome.memory is not None, outcome
        return outcome.memory  # type: ignore[no-any-return]

    return act
