"""Forgetting: gone from every read path at once, not learned again where that was asked, undone in the trash time."""

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision, Episode, Memory, SearchEntry, Tombstone
from memoryapp.models.memory import LIVING
from memoryapp.services import overview
from memoryapp.services.correct import Changes, correct
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import Conflict, NotFound, Refused
from memoryapp.services.forget import forget, restore
from memoryapp.services.reading import Filters, history, list_memories, read_memory
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import confirm, pause, pin, resume, unpin
from memoryapp.services.traces import read_trace

pytestmark = pytest.mark.django_db


@pytest.fixture
def gone(ada):
    """Forgets, by default allowing it to be learned again."""

    def act(memory_id, relearn="allow", source="keep", actor=ada):
        return forget(memory_id, relearn=relearn, source=source, actor=actor)

    return act


def listed(actor, **filters):
    return list_memories(Filters(**filters), actor=actor, cursor=None, limit=200)


def standing(actor):
    with acting_for(actor.person_id):
        return sorted(Memory.objects.filter(state__in=LIVING).values_list("text", flat=True))


def test_it_is_gone_from_every_read_path(remember, ada, gone):
    kept, lost = remember("Likes rice.", subject="food"), remember("Likes tea.")
    before = recall(ContextRequest(query="tea and rice"), actor=ada)
    at = datetime.now(UTC)
    answer = gone(lost["id"])

    assert answer["id"] == lost["id"] and answer["status"] == "forgotten" and answer["tombstone"] is False
    assert datetime.fromisoformat(answer["restorable_until"]) - at > timedelta(days=29)
    for read in (read_memory, lambda i, actor: history(i, actor=actor, cursor=None, limit=9)):
        read(kept["id"], actor=ada)
        with pytest.raises(NotFound):
            read(lost["id"], actor=ada)
    seen = [
        *(listed(ada, status=status) for status in (None, "any", "forgotten", "closed")),
        *(listed(ada, q=q) for q in ("tea", "drink", "likes")),
        overview.subjects(actor=ada, cursor=None, limit=9),
        recall(ContextRequest(query="tea and rice"), actor=ada),
        recall(ContextRequest(query="tea and rice", floor=0.0, explain=True), actor=ada),
        recall(ContextRequest(), actor=ada),
        recall(ContextRequest(query="tea and rice", as_of=at), actor=ada),
        recall(ContextRequest(as_of=at), actor=ada),
        read_trace(UUID(before["trace_id"]), actor=ada),
    ]
    assert all("tea." not in json.dumps(one) and "drink" not in json.dumps(one) for one in seen)
    assert sum("rice" in json.dumps(one) for one in seen) == 9  # the control
    assert (listed(ada)["count"], listed(ada, status="any")["count"]) == (1, 1)
    assert overview.scopes(actor=ada)["results"][0]["current"] == 1
    with acting_for(ada.person_id):
        assert list(SearchEntry.objects.values_list("memory_id", flat=True)) == [UUID(kept["id"])]
    changes = listed(ada, changed_since=at)["results"]
    assert changes == [{"id": lost["id"], "status": "forgotten"}]


def test_no_verb_finds_it_but_restore(remember, ada, herself, gone):
    memory_id = remember("Likes tea.")["id"]
    gone(memory_id)
    for actor in (ada, herself):
        for verb in (pause, resume, confirm, pin, unpin):
            with pytest.raises(NotFound):
                verb(memory_id, actor=actor)
        with pytest.raises(NotFound):
            gone(memory_id, actor=actor)
    assert restore(memory_id, actor=ada)["text"] == "Likes tea."


def test_it_may_be_learned_again_under_a_new_id(remember, gone):
    memory_id = remember("Likes tea.")["id"]
    gone(memory_id)
    again = remember("Likes tea.")
    assert again["id"] != memory_id and (again["version"], again["seen"]) == (1, 1)


def test_it_stays_out_where_that_was_asked(remember, propose_one, ada, herself, gone):
    memory_id = remember("Likes tea.")["id"]
    remember("Likes coffee.")
    correct(memory_id, Changes(text="Likes milk."), expected_version=2, actor=ada)
    assert gone(memory_id, "block")["tombstone"] is True

    for text in ("Likes tea.", "likes  TEA!", "Likes coffee.", "Ｌikes milk."):
        for fields in ({}, {"subject": "other"}, {"kind": "fact", "scope": "atlas"}, {"source": None}):
            refused = propose_one(text, **fields)
            assert (refused.action, refused.rule, refused.memory) == ("rejected", "forgotten", None)
    with acting_for(ada.person_id):
        logged = Decision.objects.filter(rule="forgotten")
        assert {(d.text, d.source, d.subject, d.session, d.turn) for d in logged} == {(None,) * 5}
        assert Tombstone.objects.count() == 3
        assert not any("tea" in str(value).casefold() for row in Tombstone.objects.values() for value in row.values())
    assert propose_one("Likes water.").action == "new"
    assert propose_one("Likes tea.", subject="hers", actor=herself, source=None).action == "new"


def test_no_detour_brings_a_barred_value_back(remember, propose_one, ada, gone):
    """Superseding and restating, correcting, or restoring a twin that was only forgotten."""
    twin = remember("Likes tea.")["id"]
    gone(twin)
    gone(remember("Likes tea.")["id"], "block")

    other = remember("Likes coffee.")
    assert propose_one("Likes tea.").rule == "forgotten"
    with pytest.raises(Refused):
        correct(other["id"], Changes(text="Likes TEA"), expected_version=1, actor=ada)
    gone(other["id"])
    with pytest.raises(Conflict) as caught:
        restore(twin, actor=ada)
    assert caught.value.code == "person_decides"
    assert standing(ada) == []
    assert restore(other["id"], actor=ada)["text"] == "Likes coffee."


def test_another_person_may_still_say_it(remember, propose_one, ben, gone):
    gone(remember("Likes tea.")["id"], "block")
    assert propose_one("Likes tea.", actor=ben).action == "new"
    assert propose_one("Likes tea.").rule == "forgotten"


def test_a_guess_that_it_was_taken_back_bars_no_value(remember, propose_one, gone):
    remember("Likes tea.")
    waiting = propose_one(None, retract=True, source=None)
    assert waiting.memory["pending_rule"] == "retracted"
    gone(waiting.memory["id"], "block")
    assert propose_one("Likes tea.").action == "reconfirmed"


def test_restoring_lifts_its_tombstones(remember, propose_one, ada, gone):
    memory_id = remember("Likes coffee.")["id"]
    remember("Likes tea.")
    gone(memory_id, "block")
    assert propose_one("Likes tea.").rule == "forgotten"
    back = restore(memory_id, actor=ada)

    assert (back["id"], back["text"], back["status"], back["seen"]) == (memory_id, "Likes tea.", "current", 1)
    assert propose_one("Likes tea.").action == "reconfirmed"
    assert "Likes tea." in recall(ContextRequest(query="tea"), actor=ada)["context"]
    with acting_for(ada.person_id):
        assert Tombstone.objects.count() == 0


@pytest.mark.parametrize(
    ("before", "status"),
    [
        pytest.param(lambda i, ada: pause(i, actor=ada), "paused", id="paused"),
        pytest.param(lambda i, ada: pin(i, actor=ada), "current", id="pinned"),
        pytest.param(lambda i, ada: None, "current", id="plain"),
    ],
)
def test_it_comes_back_as_it_was(before, status, remember, ada, gone):
    memory_id = remember("Likes tea.")["id"]
    before(memory_id, ada)
    was = read_memory(memory_id, actor=ada)
    gone(memory_id)
    back = restore(memory_id, actor=ada)
    assert back["status"] == status
    assert back | {"version": 0} == was | {"version": 0}
    with pytest.raises(NotFound):
        restore(memory_id, actor=ada)


def test_a_guess_comes_back_as_a_guess(remember, ada, gone):
    memory_id = remember("Likes jazz.", source=None)["id"]
    gone(memory_id)
    back = restore(memory_id, actor=ada)
    assert (back["status"], back["pending_rule"]) == ("pending", "inferred")


def test_it_cannot_come_back_where_another_stands(remember, ada, gone):
    memory_id = remember("Likes tea.")["id"]
    gone(memory_id)
    other = remember("Likes coffee.")["id"]
    for taken in (lambda: None, lambda: pause(other, actor=ada)):
        taken()
        with pytest.raises(Conflict) as caught:
            restore(memory_id, actor=ada)
        assert caught.value.code == "slot_taken"
    gone(other)
    assert restore(memory_id, actor=ada)["text"] == "Likes tea."
    assert standing(ada) == ["Likes tea."]


def test_it_cannot_come_back_after_the_trash_time(remember, ada, herself, gone, settings):
    memory_id = remember("Likes tea.")["id"]
    gone(memory_id)
    settings.MEMORY_TRASH_DAYS = 0
    for actor in (ada, herself):
        with pytest.raises(NotFound):
            restore(memory_id, actor=actor)
    settings.MEMORY_TRASH_DAYS = 1
    assert restore(memory_id, actor=ada)["status"] == "current"


@pytest.mark.parametrize("source", ["keep", "erase"])
def test_its_messages_go_where_that_was_asked(source, remember, ada, ben, gone):
    for actor in (ada, ben):
        turns = [Turn(turn, "user", "I like tea") for turn in (1, 2, 3)]
        store_turns(session="s", scope=None, turns=turns, actor=actor)
    memory_id = remember("Likes tea.", source="I like tea", session="s", turn=1)["id"]
    remember("Likes tea.", source="I like tea", session="s", turn=2)
    gone(memory_id, source=source)
    with acting_for(ada.person_id):
        assert list(Episode.objects.values_list("turn", flat=True)) == ([1, 2, 3] if source == "keep" else [3])
    with acting_for(ben.person_id):
        assert Episode.objects.count() == 3


@pytest.mark.parametrize(
    ("forgotten_by", "restored_by", "comes_back"),
    [("agent", "agent", True), ("agent", "person", True), ("person", "agent", False), ("person", "person", True)],
)
def test_an_agent_brings_back_only_what_an_agent_forgot(
    forgotten_by, restored_by, comes_back, remember, ada, herself, gone
):
    actors = {"agent": ada, "person": herself}
    memory_id = remember("Likes tea.")["id"]
    gone(memory_id, actor=actors[forgotten_by])
    if comes_back:
        assert restore(memory_id, actor=actors[restored_by])["status"] == "current"
        return
    with pytest.raises(Conflict) as caught:
        restore(memory_id, actor=actors[restored_by])
    assert caught.value.code == "person_decides"
    assert standing(ada) == []


def test_forgetting_and_restoring_leaves_the_persons_decisions_theirs(remember, ada, herself, gone):
    memory_id = remember("Likes tea.")["id"]
    pause(memory_id, actor=herself)
    pin(memory_id, actor=herself)
    gone(memory_id)
    restore(memory_id, actor=ada)
    for undo in (resume, unpin):
        with pytest.raises(Conflict) as caught:
            undo(memory_id, actor=ada)
        assert caught.value.code == "person_decides"
    assert resume(memory_id, actor=herself)["status"] == "current"
