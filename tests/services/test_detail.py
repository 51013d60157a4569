"""One memory in full: its versions, who said it, the message it came from, where it went and what was done with it."""

from dataclasses import replace
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.services.correct import Changes, correct
from memoryapp.services.detail import memory_detail
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import confirm, pause, resume
from memoryapp.services.traces import join_answer

pytestmark = pytest.mark.django_db


def test_versions_tell_what_changed_who_changed_it_and_why(remember, ada, herself):
    memory = remember("Likes tea.", session="s", turn=3)
    remember("Likes tea.", session="s", turn=7)
    pause(memory["id"], actor=ada)
    resume(memory["id"], actor=ada)
    correct(memory["id"], Changes(text="Likes coffee.", reason="I switched"), expected_version=3, actor=herself)

    newest, *_, first = memory_detail(memory["id"], actor=herself).versions
    assert [(one.number, one.state) for one in (newest, first)] == [(4, "current"), (1, "current")]
    assert (newest.text, newest.previous_text, newest.reason) == ("Likes coffee.", "Likes tea.", "I switched")
    assert (newest.actor_kind, newest.agent, newest.origin) == ("person", None, "corrected")
    assert (first.actor_kind, first.agent, first.previous_text) == ("agent", "bot", None)
    assert [(one.turn, one.source, one.agent) for one in first.said] == [
        (7, "Likes tea.", "bot"),
        (3, "Likes tea.", "bot"),
    ]
    assert first.valid_to == newest.valid_from and newest.valid_to is None
    assert (first.is_current, newest.is_current) == (False, True)


def test_the_message_it_came_from_is_shown_among_its_neighbours(remember, ada, herself):
    turns = [Turn(turn, "user" if turn % 2 else "assistant", f"message {turn}") for turn in range(1, 12)]
    store_turns(session="s", scope=None, turns=turns, actor=ada)
    memory = remember("Likes tea.", source="message 5", session="s", turn=5)
    conversation = memory_detail(memory["id"], actor=herself).conversation
    assert [turn.turn for turn in conversation] == [2, 3, 4, 5, 6, 7]
    assert [turn.content for turn in conversation if turn.is_source] == ["message 5"]
    assert conversation[0].role == "assistant"
    assert memory_detail(remember("Likes jazz.", subject="music")["id"], actor=herself).conversation == ()


def test_uses_are_the_retrievals_that_sent_it(remember, ada, herself):
    memory = remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    sent = recall(ContextRequest(scopes=("atlas",), query="which PostgreSQL?"), actor=ada)
    recall(ContextRequest(scopes=("atlas",), query="what about the weather?"), actor=ada)
    join_answer(UUID(sent["trace_id"]), answer_id="a1", model="m", text=None, actor=ada)
    (use,) = memory_detail(memory["id"], actor=herself).uses
    assert (str(use.trace_id), use.query, use.agent) == (sent["trace_id"], "which PostgreSQL?", "bot")
    assert (use.answer_id, use.model, use.version, use.scopes) == ("a1", "m", 1, ("atlas",))


def test_it_tells_what_was_done_and_what_else_is_in_the_slot(remember, propose_one, ada, herself):
    memory = remember("Likes tea.")
    guess = propose_one("Likes rum.", source=None)
    pause(memory["id"], actor=herself)
    detail = memory_detail(memory["id"], actor=herself)
    assert [(look.verb, look.actor_kind) for look in detail.looks] == [("pause", "person")]
    assert [(str(other.id), other.status) for other in detail.others] == [(guess.memory["id"], "pending")]


def test_it_is_the_persons_own_and_not_for_what_is_forgotten(remember, ada, ben, herself):
    memory = remember("Likes tea.")
    assert memory_detail(memory["id"], actor=herself).memory.text == "Likes tea."
    with pytest.raises(NotFound):
        memory_detail(memory["id"], actor=replace(ben, kind="person", key_id=None))
    forget(memory["id"], relearn="allow", source="keep", actor=ada)
    with pytest.raises(NotFound):
        memory_detail(memory["id"], actor=herself)


def test_the_number_of_queries_does_not_grow(remember, ada, herself):
    def queries():
        with CaptureQueriesContext(connection) as seen:
            memory_detail(memory["id"], actor=herself)
        return len(seen)

    store_turns(session="s", scope=None, turns=[Turn(1, "user", "I like tea")], actor=ada)
    memory = remember("Likes tea.", session="s", turn=1, source="I like tea")
    recall(ContextRequest(query="tea"), actor=ada)
    pause(memory["id"], actor=ada)
    before = queries()
    for _ in range(4):
        resume(memory["id"], actor=herself)
        confirm(memory["id"], actor=ada)
        recall(ContextRequest(query="tea"), actor=ada)
        pause(memory["id"], actor=herself)
    assert queries() == before <= 15
