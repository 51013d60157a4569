"""What happened, and what was not remembered: every line, in order, of one person."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.services.activity import activity
from memoryapp.services.errors import Invalid
from memoryapp.services.export import export_person
from memoryapp.services.forget import forget
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.refused import not_remembered
from memoryapp.services.states import pause
from tests.alike import alike

pytestmark = pytest.mark.django_db


@pytest.fixture
def stranger(ben):
    return replace(ben, kind="person", key_id=None)


@pytest.fixture
def day(remember, ada, herself):
    """A proposal, a retrieval, a pause and an export, in that order; the memory's id."""
    memory = remember("Likes tea.", subject="drink")
    recall(ContextRequest(query="tea"), actor=ada)
    pause(memory["id"], actor=herself)
    export_person(actor=herself)
    return memory["id"]


def test_every_line_says_when_who_and_what(day, herself):
    export, paused, use, proposed = activity(actor=herself).entries
    assert [one.verb for one in (export, paused, use, proposed)] == ["export", "pause", "retrieve", "propose"]
    assert export.at >= paused.at >= use.at >= proposed.at
    assert (paused.actor_kind, paused.agent, str(paused.memory.id)) == ("person", None, day)
    assert (use.agent, use.query, use.scopes, use.sent, use.offered) == ("bot", "tea", ("personal",), 1, 1)
    assert (proposed.agent, proposed.action, proposed.rule) == ("bot", "new", "empty_slot")
    assert (proposed.kind, proposed.scope, proposed.subject, str(proposed.memory.id)) == (
        "preference", "personal", "drink", day,
    )  # fmt: skip


@alike(
    ("what", "verbs"),
    [
        ("changes", ["pause", "propose"]),
        ("uses", ["retrieve"]),
        ("exports", ["export"]),
        ("views", []),
        ("all", ["export", "pause", "retrieve", "propose"]),
    ],
)
def test_it_is_narrowed_to_one_sort(what, verbs, day, herself, stranger):
    assert [one.verb for one in activity(actor=herself, what=what).entries] == verbs
    assert activity(actor=stranger, what=what).entries == ()


def test_a_forgotten_memory_is_not_shown_beside_its_line(day, herself):
    forget(day, relearn="allow", source="keep", actor=herself)
    entries = activity(actor=herself).entries
    assert entries[0].verb == "forget"
    assert [entry.memory for entry in entries] == [None] * 5


def test_pages_follow_each_other(day, remember, ada, herself):
    for number in range(4):
        remember(f"Has {number}.", subject=f"n{number}")
        recall(ContextRequest(query="has"), actor=ada)
    whole = [entry.id for entry in activity(actor=herself).entries]
    assert len(whole) == 12
    page = activity(actor=herself, limit=5)
    seen = [*page.entries]
    while page.older:
        page = activity(actor=herself, cursor=page.older, limit=5)
        seen += page.entries
    assert [entry.id for entry in seen] == whole
    with pytest.raises(Invalid):
        activity(actor=herself, cursor="x")


def test_the_number_of_queries_does_not_grow(day, remember, ada, herself):
    def queries():
        with CaptureQueriesContext(connection) as seen:
            activity(actor=herself)
        return len(seen)

    before = queries()
    for number in range(5):
        remember(f"Has {number}.", subject=f"n{number}")
        recall(ContextRequest(query="has"), actor=ada)
    assert queries() == before


def test_what_was_refused_is_listed_with_its_rule(propose_one, herself, stranger):
    propose_one("Likes tea.")
    propose_one("Is tired.", kind="mood", session="s", turn=3)
    propose_one("The password is hunter2.", subject="secret")
    propose_one("Was asleep.", kind="mood")
    page = not_remembered(actor=herself)
    assert [(one.rule, one.text, one.turn, one.agent) for one in page.items] == [
        ("not_durable", "Was asleep.", None, "bot"),
        ("secret", None, None, "bot"),
        ("not_durable", "Is tired.", 3, "bot"),
    ]
    assert (page.count, dict(page.rules), page.older) == (3, {"not_durable": 2, "secret": 1}, None)
    narrowed = not_remembered(actor=herself, rule="secret")
    assert ([one.rule for one in narrowed.items], narrowed.count) == (["secret"], 1)
    first = not_remembered(actor=herself, limit=2)
    assert [one.text for one in not_remembered(actor=herself, cursor=first.older).items] == ["Is tired."]
    assert not_remembered(actor=stranger).items == ()
