"""Storing turns: all or none, each once, without secrets, and not while learning is off."""

from dataclasses import replace

import pytest

from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Episode
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import Conflict, NotFound

pytestmark = pytest.mark.django_db

HELLO = Turn(1, "user", "hello")
REPLY = Turn(2, "assistant", "good morning")


@pytest.fixture
def store(ada):
    def act(*turns, actor=ada, session="s", scope=None):
        result = store_turns(session=session, scope=scope, turns=turns, actor=actor)
        assert (result["decisions"], result["job"]) == (None, None)
        return result["stored"], result["known"]

    return act


def stored(actor):
    with acting_for(actor.person_id):
        return list(Episode.objects.order_by("session", "turn").values_list("session", "turn", "role", "content"))


def test_it_stores_turns_once(store, ada):
    assert store(HELLO, REPLY) == (2, 0)
    assert store(HELLO, REPLY, Turn(3, "tool", "{}")) == (1, 2)
    assert store(HELLO, session="t") == (1, 0)
    assert stored(ada) == [
        ("s", 1, "user", "hello"), ("s", 2, "assistant", "good morning"), ("s", 3, "tool", "{}"),
        ("t", 1, "user", "hello"),
    ]  # fmt: skip


def test_the_same_turn_twice_in_one_call_is_stored_once(store, ada):
    assert store(HELLO, HELLO) == (1, 1)
    assert len(stored(ada)) == 1


@pytest.mark.parametrize("other", [Turn(1, "user", "bye"), Turn(1, "assistant", "hello")], ids=["content", "role"])
def test_a_turn_that_is_known_otherwise_stores_nothing(other, store, ada):
    store(HELLO)
    for turns in ((REPLY, other), (REPLY, other, HELLO)):
        with pytest.raises(Conflict) as caught:
            store(*turns)
        assert caught.value.code == "other_content"
    with pytest.raises(Conflict):
        store(HELLO, other, session="fresh", scope="atlas")
    assert stored(ada) == [("s", 1, "user", "hello")]
    with acting_for(ada.person_id):
        assert not Scope.objects.filter(name="atlas").exists()


def test_secrets_are_masked_and_the_same_turn_is_still_known(store, ada):
    told = Turn(1, "user", "hi, my password is hunter2!x")
    assert store(told) == (1, 0)
    assert store(told) == (0, 1)
    ((*_, content),) = stored(ada)
    assert content.startswith("hi, ") and "hunter2" not in content


def test_nothing_is_stored_while_learning_is_off(store, ada):
    store(HELLO, scope="atlas")
    with acting_for(ada.person_id):
        Scope.objects.filter(name="atlas").update(learning=False)
    assert store(REPLY, scope="atlas") == (0, 0)
    assert store(REPLY, scope="beacon") == (1, 0)
    User.objects.filter(pk=ada.person_id).update(learning=False)
    assert store(Turn(9, "user", "more"), scope="gamma") == (0, 0)
    assert len(stored(ada)) == 2
    with acting_for(ada.person_id):
        assert set(Scope.objects.values_list("name", flat=True)) == {"personal", "atlas", "beacon"}


def test_each_person_has_their_own_turns(store, ada, ben):
    store(HELLO)
    assert store(Turn(1, "user", "something else"), actor=ben) == (1, 0)
    assert [content for *_, content in stored(ada)] == ["hello"]
    assert [content for *_, content in stored(ben)] == ["something else"]


def test_it_is_for_those_who_may_write_there(store, ada):
    limited = replace(ada, scopes=frozenset({"atlas"}))
    for actor in (limited, replace(ada, can_write=False)):
        with pytest.raises(NotFound):
            store(HELLO, actor=actor)
    assert store(HELLO, actor=limited, scope="atlas") == (1, 0)


def test_what_is_known_already_leaves_no_event(store, ada):
    store(HELLO)
    store(HELLO)
    with acting_for(ada.person_id):
        assert AuditEvent.objects.filter(verb="store_turns").count() == 1
