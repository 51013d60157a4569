"""What a key that is limited to one scope may not do, nor learn, about the others."""

from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision, Episode
from memoryapp.services.agents import actor_of, authenticate, open_owner
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget
from memoryapp.services.keys import create_key
from memoryapp.services.reading import Filters, list_memories
from memoryapp.services.recall import ContextRequest, recall

pytestmark = pytest.mark.django_db


@pytest.fixture
def limited(ada):
    return replace(ada, scopes=frozenset({"atlas"}))


@pytest.fixture
def diary(ada):
    """A turn that a key for atlas may not know of."""
    store_turns(session="s", scope="private", turns=[Turn(1, "user", "My secret diary says tea")], actor=ada)


def turns(ada):
    with acting_for(ada.person_id):
        return set(Episode.objects.values_list("scope__name", "content"))


def test_it_erases_no_turn_of_another_scope(diary, remember, ada, limited):
    mine = remember("Uses tea.", kind="fact", subject="atlas.drink", session="s", turn=1, actor=limited)
    store_turns(session="s", scope="atlas", turns=[Turn(1, "user", "tea in atlas")], actor=limited)
    forget(mine["id"], relearn="allow", source="erase", actor=limited)
    assert turns(ada) == {("private", "My secret diary says tea")}


def test_it_cannot_tell_what_a_turn_of_another_scope_says(diary, propose_one, ada, limited):
    for source in ("My secret diary says tea", "Something else"):
        named = {"subject": f"atlas.{len(source)}", "source": source, "session": "s", "turn": 1}
        outcome = propose_one(f"Uses {source}.", kind="fact", actor=limited, **named)
        assert outcome.memory["origin"] == "inferred"
    for content in ("My secret diary says tea", "Something else"):
        stored = store_turns(session=f"s{len(content)}", scope="atlas", turns=[Turn(1, "user", content)], actor=limited)
        assert (stored["stored"], stored["known"]) == (1, 0)
    whole = propose_one("Uses tea.", kind="fact", subject="atlas.tea", source="diary says tea", session="s", turn=1)
    assert whole.memory["origin"] == "stated"


def test_without_a_scope_it_asks_for_the_personal_one(limited, ada):
    with pytest.raises(NotFound):
        recall(ContextRequest(query="tea"), actor=limited)
    assert recall(ContextRequest(query="tea"), actor=ada)["trace_id"]


def test_a_guess_at_a_forgotten_value_is_gone_with_it(propose_one, remember, ada):
    remember("Likes rum.")
    guess = propose_one("Likes tea.", source=None).memory
    tea = remember("Likes tea.")
    forget(tea["id"], relearn="block", source="erase", actor=ada)
    other = propose_one("Likes gin.", source=None, subject="other").memory

    shown = list_memories(Filters(status="any"), actor=ada, cursor=None, limit=50)["results"]
    assert [one["id"] for one in shown] == [other["id"]]
    assert guess["id"] != tea["id"]


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"kind": "fact", "subject": "sk-abcdefghijklmnopqrstuvwxyz123456.note"}, "secret"),
        ({"kind": "fact", "subject": "note", "scope": "sk-abcdefghijklmnopqrstuvwxyz123456"}, "secret"),
        ({"kind": "sk-abcdefghijklmnopqrstuvwxyz123456", "subject": "note"}, "not_durable"),
    ],
    ids=["subject's scope", "scope", "kind"],
)
def test_a_secret_is_stored_nowhere(fields, rule, propose_one, ada):
    assert propose_one("Is a note.", **fields).rule == rule
    with acting_for(ada.person_id):
        row = Decision.objects.values().get()
    assert "abcdefghij" not in " ".join(map(str, row.values()))


def test_a_personal_key_ends_with_its_person(ada):
    person = User.objects.get(pk=ada.person_id)
    key, secret = create_key("own", actor=ada, person=person)
    assert authenticate(secret) == key
    User.objects.filter(pk=person.pk).update(is_active=False)
    assert authenticate(secret) is None


def test_the_owner_of_an_object_is_found_by_its_key(remember, bot_key):
    """The look-up must not ask for the owner once per person."""
    memory = remember("Likes tea.")
    with CaptureQueriesContext(connection) as queries:
        open_owner(actor_of(bot_key[0]), "memory", memory["id"])
    with connection.cursor() as cursor:
        cursor.execute("set enable_seqscan = off")
        cursor.execute("explain " + queries[0]["sql"])
        plan = "\n".join(line for (line,) in cursor.fetchall())
        cursor.execute("reset enable_seqscan")
    assert "InitPlan" in plan and "Index Cond" in plan
