"""Proposals through the store: what the write policy says is what stands."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Scope
from memoryapp.database.isolation import acting_for
from memoryapp.models import Confirmation, Decision, Episode, Memory, MemoryVersion, Tombstone
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget

pytestmark = pytest.mark.django_db

LAST_YEAR = datetime.now(UTC) - timedelta(days=365)


def test_it_stores_a_new_memory(propose_one):
    outcome = propose_one("Likes tea.", subject="drink", source="tea please", turn=3, session="s")

    assert (outcome.action, outcome.rule) == ("new", "empty_slot")
    assert outcome.memory["text"] == "Likes tea."
    assert outcome.memory["source"] == "tea please"
    assert (outcome.memory["version"], outcome.memory["seen"], outcome.memory["turn"]) == (1, 1, 3)
    assert (outcome.memory["origin"], outcome.memory["status"]) == ("stated", "current")
    assert outcome.memory["key"] == "preference|drink"


def test_it_confirms_the_same_value(propose_one):
    first = propose_one("Likes tea.")
    again = propose_one("  likes TEA")

    assert (again.action, again.rule) == ("reconfirmed", "same_value")
    assert again.memory["id"] == first.memory["id"]
    assert (again.memory["seen"], again.memory["version"], again.memory["text"]) == (2, 1, "Likes tea.")


def test_it_supersedes_another_value_and_keeps_the_old_one_as_history(propose_one, ada):
    first = propose_one("Likes tea.", metadata={"from": "import"}, aliases=("cuppa",), importance=4)
    second = propose_one("Likes coffee.")

    assert (second.action, second.rule) == ("superseded", "slot_changed")
    assert second.memory["id"] == first.memory["id"]
    assert (second.memory["version"], second.memory["seen"]) == (2, 1)
    assert second.previous["text"] == "Likes tea."
    assert second.previous["valid_to"] == second.memory["valid_from"]
    assert second.memory["metadata"] == {"from": "import"}
    assert (second.memory["aliases"], second.memory["importance"]) == (["cuppa"], 4)
    with acting_for(ada.person_id):
        old, new = MemoryVersion.objects.order_by("number")
    assert old.closes_at == new.valid_from
    assert old.closed_at is not None and new.closed_at is None


def test_it_takes_a_statement_back_and_the_slot_keeps_its_id(propose_one, ada):
    first = propose_one("Has a sister.", kind="fact", scope="personal", subject="sister")
    gone = propose_one(None, kind="fact", scope="personal", subject="sister", retract=True, source="I have no sister")
    assert (gone.action, gone.memory["status"]) == ("retracted", "closed")

    back = propose_one("Has a sister.", kind="fact", scope="personal", subject="sister")
    assert (back.action, back.memory["id"]) == ("new", first.memory["id"])
    assert back.memory["status"] == "current"


def test_it_keeps_what_has_ended_as_history_only(propose_one, remember, ada):
    current = remember("Eats meat.", subject="diet")
    past = propose_one("Was vegetarian.", subject="diet", valid_to=LAST_YEAR)

    assert (past.action, past.rule) == ("recorded", "ended")
    with acting_for(ada.person_id):
        memory = Memory.objects.get(pk=current["id"])
        assert memory.text == "Eats meat." and memory.version == 1
        assert set(MemoryVersion.objects.values_list("text", flat=True)) == {"Eats meat.", "Was vegetarian."}


def test_it_keeps_an_inference_waiting_until_the_person_says_it(propose_one):
    guess = propose_one("Likes jazz.", subject="music", source=None)
    assert (guess.action, guess.rule, guess.memory["status"]) == ("pending", "inferred", "pending")
    assert propose_one("Likes jazz.", subject="music", source=None).rule == "already_known"

    said = propose_one("Likes jazz.", subject="music", source="I love jazz")
    assert (said.action, said.memory["id"]) == ("new", guess.memory["id"])
    assert (said.memory["status"], said.memory["origin"], said.memory["seen"]) == ("current", "stated", 1)


def test_a_pending_value_leaves_the_review_when_what_stands_takes_it(propose_one, ada):
    propose_one("Likes rock.", subject="music")
    guess = propose_one("Likes jazz.", subject="music", source=None)
    said = propose_one("Likes jazz.", subject="music")

    assert said.action == "superseded" and said.memory["id"] != guess.memory["id"]
    with acting_for(ada.person_id):
        assert Memory.objects.get(pk=guess.memory["id"]).state == "closed"


@pytest.mark.parametrize("rule", ["paused", "secret", "forgotten", "not_durable"])
def test_it_logs_a_refusal_without_text_where_nothing_may_be_kept(rule, propose_one, remember, ada):
    text = "Likes green tea."
    if rule == "paused":
        ada_row = Scope.objects
        with acting_for(ada.person_id):
            ada_row.filter(name="personal").update(learning=False)
    if rule == "secret":
        text = "The password is hunter2."
    if rule == "forgotten":
        forget(remember(text)["id"], relearn="block", source="keep", actor=ada)
    outcome = propose_one(text, kind="mood" if rule == "not_durable" else "preference")

    assert (outcome.action, outcome.rule, outcome.memory) == ("rejected", rule, None)
    with acting_for(ada.person_id):
        decision = Decision.objects.latest("id")
    assert decision.rule == rule and decision.kind
    assert decision.text == (text if rule == "not_durable" else None)
    assert (decision.source is None) == (rule != "not_durable")


def test_a_refused_first_proposal_makes_no_scope(propose_one, ada):
    propose_one("Is in a hurry.", kind="mood", subject="atlas.now")
    with acting_for(ada.person_id):
        assert list(Scope.objects.values_list("name", flat=True)) == ["personal"]

    propose_one("Uses PostgreSQL.", kind="fact", subject="atlas.db")
    with acting_for(ada.person_id):
        assert set(Scope.objects.values_list("name", flat=True)) == {"personal", "atlas"}


def test_it_grants_stated_only_for_what_the_stored_turn_says(propose_one, ada):
    store_turns(session="s", scope=None, turns=[Turn(1, "user", "I really like tea")], actor=ada)

    wrong = propose_one("Likes coffee.", subject="hot", source="I like coffee", session="s", turn=1)
    assert (wrong.action, wrong.memory["origin"]) == ("pending", "inferred")
    right = propose_one("Likes tea.", subject="hot", source="I really like tea", session="s", turn=1)
    assert (right.action, right.memory["origin"]) == ("new", "stated")


def test_seen_is_the_number_of_confirmations(propose_one, remember, ada):
    for text in ("A.", "A.", "B.", "B.", "B.", "A."):
        memory = remember(text, subject="letter")
    assert memory["seen"] == 1
    remember("A.", subject="letter", importance=3)
    with acting_for(ada.person_id):
        head = Memory.objects.get(pk=memory["id"])
        assert head.seen == Confirmation.objects.filter(version=head.statement_id).count() == 2
        assert head.version == 4  # three values and one amendment


def test_it_refuses_what_was_forgotten_for_good_and_learns_its_neighbour(propose_one, remember, ada):
    memory = remember("Likes tea.")
    forget(memory["id"], relearn="block", source="keep", actor=ada)

    assert propose_one("LIKES\u200b  tea!").rule == "forgotten"
    assert propose_one("Likes tea.", kind="fact", scope="personal", subject="other").rule == "forgotten"
    assert propose_one("Likes mint tea.").action == "new"
    with acting_for(ada.person_id):
        assert Tombstone.objects.count() == 1


def test_a_forgotten_memory_may_be_learned_again_under_a_new_id(propose_one, remember, ada):
    memory = remember("Likes tea.")
    forget(memory["id"], relearn="allow", source="keep", actor=ada)
    again = propose_one("Likes tea.")
    assert again.action == "new" and again.memory["id"] != memory["id"]


def test_it_masks_secrets_in_sources_and_turns(propose_one, ada):
    said = "I use tea and my password is hunter2!x"
    outcome = propose_one("Likes tea.", source=said)
    store_turns(session="s", scope=None, turns=[Turn(1, "user", said)], actor=ada)

    assert "hunter2" not in outcome.memory["source"] and "I use tea" in outcome.memory["source"]
    with acting_for(ada.person_id):
        content = Episode.objects.get().content
    assert "hunter2" not in content and "I use tea" in content


def test_a_key_of_one_scope_writes_nowhere_else(propose_one, ada):
    from dataclasses import replace

    limited = replace(ada, scopes=frozenset({"atlas"}))
    with pytest.raises(NotFound):
        propose_one("Likes tea.", actor=limited)
    assert propose_one("Uses PostgreSQL.", kind="fact", subject="atlas.db", actor=limited).action == "new"


def test_a_word_that_took_nothing_back_still_counts_as_the_later_one(propose_one):
    fields = {"kind": "fact", "scope": "personal", "subject": "sister", "session": "s"}
    assert propose_one(None, retract=True, source="no, I have no sister", turn=5, **fields).rule == "nothing_to_retract"
    assert propose_one("Has a sister.", turn=3, **fields).rule == "outdated"
    assert propose_one("Has a sister.", turn=6, **fields).action == "new"
    assert propose_one("Has a brother.", kind="fact", scope="personal", subject="brother", turn=3).action == "new"


@pytest.mark.parametrize(
    ("before", "text", "action", "most"),
    [
        (None, "Likes tea.", "new", 8),
        # One of them asks whether the person disputed the new value once.
        ("Likes tea.", "Likes coffee.", "superseded", 10),
        ("Likes tea.", "Likes tea.", "reconfirmed", 7),
        ("Likes tea.", "The password is hunter2-zanzibar.", "rejected", 7),
    ],
    ids=["new", "superseded", "reconfirmed", "rejected"],
)
def test_it_takes_so_many_statements_however_much_there_is(before, text, action, most, propose_one):
    """Besides the one that waits until nobody else writes for this person."""

    def statements(subject):
        if before:
            propose_one(before, subject=subject)
        with CaptureQueriesContext(connection) as seen:
            assert propose_one(text, subject=subject).action == action
        return len(seen) - 1

    first = statements("drink")
    for number in range(20):
        propose_one(f"Likes tune {number}.", subject=f"tune {number}")
        propose_one(f"Likes dance {number}.", subject="dance")
    assert statements("beverage") == first <= most
