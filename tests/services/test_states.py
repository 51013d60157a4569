"""How a memory stands: pausing, confirming, pinning, who may undo whom, and what a proposal makes of each state."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import permutations
from uuid import UUID, uuid4

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import Confirmation, Decision, Memory, MemoryVersion
from memoryapp.models.memory import State
from memoryapp.services.correct import Changes, correct
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.forget import forget, restore
from memoryapp.services.reading import history, read_memory
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import confirm, pause, pin, resume, unpin
from memoryapp.services.traces import join_answer, read_trace
from memoryapp.services.writing import amend, writable_memory, writer_for

pytestmark = pytest.mark.django_db

NOW = datetime.now(UTC)
LAST_YEAR = NOW - timedelta(days=365)
NEXT_YEAR = NOW + timedelta(days=365)


def put(memory_id, actor, **fields):
    with writer_for(actor) as writer:
        memory = writable_memory(memory_id, writer)
        for name, value in fields.items():
            setattr(memory, name, value)
        amend(memory, writer)


def forget_it(memory_id, actor):
    return forget(memory_id, relearn="allow", source="keep", actor=actor)


@pytest.mark.parametrize(
    ("verb", "undo", "shown"),
    [
        pytest.param(pause, resume, {"status": "paused"}, id="pause"),
        pytest.param(pin, unpin, {"pinned": True}, id="pin"),
    ],
)
def test_a_verb_can_be_done_twice_and_undone(verb, undo, shown, remember, ada):
    before = remember("Likes tea.")
    once, twice = verb(before["id"], actor=ada), verb(before["id"], actor=ada)
    assert once == twice == before | shown | {"version": 2}
    undone, again = undo(before["id"], actor=ada), undo(before["id"], actor=ada)
    assert undone == again == before | {"version": 3}


def test_confirming_counts_and_moves_the_time_forward(remember, ada):
    before = remember("Likes tea.", occurred_at=LAST_YEAR, session="s", turn=3)
    after = confirm(before["id"], actor=ada)
    assert (after["seen"], after["version"], after["text"]) == (2, 1, "Likes tea.")
    assert after["confirmed_at"] > before["confirmed_at"]
    with acting_for(ada.person_id):
        assert Confirmation.objects.count() == 2
        assert Decision.objects.latest("id").rule == "same_value"
    # A clock that runs ahead puts nothing in the future.
    ahead = remember("Likes rice.", subject="food", occurred_at=datetime.now(UTC) + timedelta(minutes=4))
    assert confirm(ahead["id"], actor=ada)["confirmed_at"] >= ahead["confirmed_at"]
    assert datetime.fromisoformat(ahead["confirmed_at"]) <= datetime.now(UTC)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param({"state": State.STALE}, {"status": "current"}, id="stale"),
        pytest.param(
            {"state": State.STALE, "expires_at": NEXT_YEAR},
            {"status": "current", "expires_at": NEXT_YEAR.isoformat().replace("+00:00", "Z")},
            id="stale with an end to come",
        ),
        pytest.param(
            {"state": State.STALE, "expires_at": LAST_YEAR}, {"status": "current", "expires_at": None},
            id="stale and past its end",
        ),
        pytest.param({"expires_at": LAST_YEAR}, {"status": "current", "expires_at": None}, id="expired"),
        pytest.param(
            {"valid_from": LAST_YEAR, "valid_to": LAST_YEAR}, {"status": "current", "valid_to": None}, id="ended"
        ),
        pytest.param({"state": State.PAUSED}, {"status": "paused"}, id="paused"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("how", ["confirmed", "said again"])
def test_what_is_said_again_stands_again(how, before, after, remember, ada):
    memory = remember("Likes tea.")
    put(memory["id"], ada, **before)
    said = confirm(memory["id"], actor=ada) if how == "confirmed" else remember("Likes tea.")
    assert {name: said[name] for name in after} == after
    assert (said["id"], said["seen"]) == (memory["id"], 2)


def test_only_what_stands_changes_its_state(remember, propose_one, ada):
    guess = remember("Likes jazz.", subject="music", source=None)["id"]
    closed = remember("Likes tea.")["id"]
    propose_one(None, retract=True, source="I misspoke")
    for verb in (pause, resume, confirm, pin, unpin):
        with pytest.raises(Conflict) as caught:
            verb(guess, actor=ada)
        assert caught.value.code == "person_decides"
        with pytest.raises(Conflict) as caught:
            verb(closed, actor=ada)
        assert caught.value.code == "not_current"


# --- agents do not overrule people


@pytest.mark.parametrize("by", ["agent", "person"])
@pytest.mark.parametrize(
    ("deeds", "undo"),
    [
        pytest.param([pause], resume, id="pause"),
        pytest.param([pin], unpin, id="pin"),
        pytest.param([pin, unpin], pin, id="unpin"),
        pytest.param([forget_it], restore, id="forget"),
    ],
)
def test_an_agent_undoes_only_what_an_agent_did(deeds, undo, by, remember, ada, herself):
    memory_id = remember("Likes tea.")["id"]
    for deed in deeds:
        deed(memory_id, actor=ada if by == "agent" else herself)
    if by == "person":
        with pytest.raises(Conflict) as caught:
            undo(memory_id, actor=ada)
        assert caught.value.code == "person_decides"
        undo(memory_id, actor=herself)
    else:
        undo(memory_id, actor=ada)


@pytest.mark.parametrize("deed", [pause, pin, forget_it])
def test_the_person_undoes_what_an_agent_did(deed, remember, ada, herself):
    memory_id = remember("Likes tea.")["id"]
    deed(memory_id, actor=ada)
    {pause: resume, pin: unpin, forget_it: restore}[deed](memory_id, actor=herself)


@pytest.mark.parametrize("text", ["Likes tea.", "Likes coffee."])
def test_a_proposal_does_not_move_the_persons_pin(text, remember, ada, herself):
    memory_id = remember("Likes tea.")["id"]
    pin(memory_id, actor=herself)
    assert remember(text, pinned=False)["pinned"] is True
    unpin(memory_id, actor=herself)
    assert remember(text, pinned=True)["pinned"] is False
    assert remember(text, actor=herself, pinned=True, source=None)["pinned"] is True
    other = remember("Likes rice.", subject="food", pinned=True)
    assert remember("Likes rice.", subject="food", pinned=False)["pinned"] is False, other


def test_a_guess_does_not_replace_what_the_person_wrote(remember, propose_one, herself):
    written = remember("Likes tea.", actor=herself, source=None)
    assert written["origin"] == "corrected"
    assert propose_one("Likes coffee.", source=None).action == "pending"
    assert propose_one("Likes rum.", source="rum please", occurred_at=LAST_YEAR).rule == "outdated"
    said = propose_one("Likes milk.", source="milk please")
    assert (said.action, said.memory["origin"]) == ("superseded", "stated")


def test_what_the_person_says_again_on_their_page_is_theirs(remember, herself, ada):
    memory = remember("Likes tea.")
    again = remember("Likes tea.", actor=herself, source=None)
    assert (again["id"], again["origin"], again["seen"]) == (memory["id"], "corrected", 2)
    with pytest.raises(Conflict):
        correct(memory["id"], Changes(text="Likes rum."), expected_version=again["version"], actor=ada)


# --- what stands


def make(state, remember, propose_one, ada):
    """The slot in that state with the value "Likes tea."; the memory's id."""
    if state == "pending":
        return remember("Likes tea.", source=None)["id"]
    if state == "ended":
        return remember("Likes tea.", valid_to=LAST_YEAR)["id"]
    memory_id = remember("Likes tea.")["id"]
    match state:
        case "stale":
            put(memory_id, ada, state=State.STALE)
        case "expired":
            put(memory_id, ada, expires_at=LAST_YEAR)
        case "paused":
            pause(memory_id, actor=ada)
        case "retracted":
            propose_one(None, retract=True, source="I misspoke")
        case "forgotten":
            forget_it(memory_id, ada)
    return memory_id


@pytest.mark.parametrize(
    ("state", "text", "action", "same_id", "status", "seen"),
    [
        ("current", "Likes tea.", "reconfirmed", True, "current", 2),
        ("current", "Likes rum.", "superseded", True, "current", 1),
        ("stale", "Likes tea.", "reconfirmed", True, "current", 2),
        ("stale", "Likes rum.", "superseded", True, "current", 1),
        ("paused", "Likes tea.", "reconfirmed", True, "paused", 2),
        ("paused", "Likes rum.", "superseded", True, "paused", 1),
        ("expired", "Likes tea.", "reconfirmed", True, "current", 2),
        ("expired", "Likes rum.", "superseded", True, "current", 1),
        ("retracted", "Likes tea.", "new", True, "current", 1),
        ("retracted", "Likes rum.", "new", True, "current", 1),
        ("ended", "Likes tea.", "new", True, "current", 1),
        ("ended", "Likes rum.", "new", True, "current", 1),
        ("forgotten", "Likes tea.", "new", False, "current", 1),
        ("forgotten", "Likes rum.", "new", False, "current", 1),
        ("pending", "Likes tea.", "new", True, "current", 1),
        ("pending", "Likes rum.", "new", False, "current", 1),
    ],
)
def test_what_a_statement_makes_of_what_the_slot_holds(
    state, text, action, same_id, status, seen, remember, propose_one, ada
):
    memory_id = make(state, remember, propose_one, ada)
    outcome = propose_one(text)
    memory = outcome.memory
    assert (outcome.action, memory["status"], memory["text"]) == (action, status, text)
    assert (memory["id"] == memory_id) is same_id
    assert memory["origin"] == "stated" and memory["expires_at"] is None
    assert memory["seen"] == seen
    if state == "pending" and not same_id:
        assert read_memory(memory_id, actor=ada)["status"] == "pending"
    if (state, action) == ("paused", "superseded"):
        with acting_for(ada.person_id):
            assert Memory.objects.get(pk=memory_id).pending_rule == "slot_changed"  # shown on the review page
    assert ("Likes" in recall(ContextRequest(query="what does she like?"), actor=ada)["context"]) is (
        status == "current"
    )


def test_what_stood_takes_the_slot_again_rather_than_what_was_only_history(remember, propose_one):
    stood = remember("Likes tea.")["id"]
    remember("Liked milk.", valid_to=LAST_YEAR)
    propose_one(None, retract=True, source="I misspoke")
    assert remember("Likes rum.")["id"] == stood


def test_an_ended_validity_is_not_drawn_out_by_what_comes_after(remember, propose_one, ada):
    for subject, after in (("a", {"text": "Likes rum."}), ("b", {"text": None, "retract": True, "source": "no more"})):
        memory = remember("Likes tea.", subject=subject)
        put(memory["id"], ada, valid_from=LAST_YEAR, valid_to=LAST_YEAR + timedelta(days=9))
        propose_one(subject=subject, **after)
        first = history(memory["id"], actor=ada, cursor=None, limit=9)["results"][-1]
        assert first["valid_to"] == (LAST_YEAR + timedelta(days=9)).isoformat().replace("+00:00", "Z")


def test_a_retraction_answers_the_guess_that_asked_for_it(remember, propose_one, ada):
    remember("Likes tea.")
    guess = propose_one(None, retract=True, source=None).memory["id"]
    propose_one(None, retract=True, source="I misspoke")
    assert read_memory(guess, actor=ada)["status"] == "closed"


# --- order of arrival

TEXTS = ("Likes tea.", "Likes coffee.", "Likes milk.")


@pytest.mark.parametrize("by", ["time", "turn"])
def test_the_later_word_wins_in_any_order_of_arrival(by, remember, propose_one, ada):
    for number, order in enumerate(permutations(enumerate(TEXTS))):
        for place, text in order:
            said = {"occurred_at": LAST_YEAR + timedelta(hours=place)}
            if by == "turn":
                # The instants run the other way, and must not count within a session.
                said = {"session": "s", "turn": place, "occurred_at": LAST_YEAR - timedelta(hours=place)}
            propose_one(text, subject=f"drink {number}", **said)
        with acting_for(ada.person_id):
            memory = Memory.objects.get(subject=f"drink {number}")
            versions = MemoryVersion.objects.filter(memory=memory).order_by("number")
            assert (memory.text, memory.state) == (TEXTS[-1], "current")
            assert [version.closes_at is None for version in versions][-1]
            assert all(version.closes_at is not None for version in list(versions)[:-1])


def test_an_earlier_word_confirms_but_moves_nothing_back(remember):
    later = remember("Likes tea.", occurred_at=NOW, session="s", turn=9)
    again = remember("Likes tea.", occurred_at=LAST_YEAR, session="s", turn=2)
    assert (again["seen"], again["turn"], again["confirmed_at"]) == (2, 9, later["confirmed_at"])


def test_the_slot_remembers_when_it_was_spoken_of_after_it_was_emptied(remember, propose_one, ada):
    remember("Likes tea.", occurred_at=NOW - timedelta(hours=3))
    propose_one(None, retract=True, source="I misspoke", occurred_at=NOW - timedelta(hours=1))
    assert propose_one("Likes coffee.", occurred_at=NOW - timedelta(hours=2)).rule == "outdated"
    forget_it(remember("Likes milk.", occurred_at=NOW)["id"], ada)
    assert propose_one("Likes coffee.", occurred_at=NOW - timedelta(minutes=1)).rule == "outdated"
    assert propose_one("Likes coffee.", occurred_at=NOW + timedelta(minutes=1)).action == "new"


# --- strangers

VERBS = {
    "read": lambda i, actor: read_memory(i, actor=actor),
    "history": lambda i, actor: history(i, actor=actor, cursor=None, limit=9),
    "correct": lambda i, actor: correct(i, Changes(importance=2), expected_version=1, actor=actor),
    "pause": lambda i, actor: pause(i, actor=actor),
    "resume": lambda i, actor: resume(i, actor=actor),
    "confirm": lambda i, actor: confirm(i, actor=actor),
    "pin": lambda i, actor: pin(i, actor=actor),
    "unpin": lambda i, actor: unpin(i, actor=actor),
    "forget": lambda i, actor: forget_it(i, actor),
}
READS = ("read", "history")


@pytest.mark.parametrize("verb", VERBS)
def test_it_is_not_there_for_a_stranger(verb, remember, ada, ben):
    memory_id = remember("Uses PostgreSQL.", kind="fact", subject="atlas.db")["id"]
    before = read_memory(memory_id, actor=ada)
    strangers = [ben, replace(ben, kind="person"), replace(ada, scopes=frozenset({"personal"}))]
    if verb not in READS:
        strangers.append(replace(ada, can_write=False))
    for actor in strangers:
        with pytest.raises(NotFound):
            VERBS[verb](memory_id, actor)
    with pytest.raises(NotFound):
        VERBS[verb](uuid4(), ada)
    assert read_memory(memory_id, actor=ada) == before
    VERBS[verb](memory_id, ada)


def test_what_was_forgotten_and_traces_are_not_there_for_a_stranger(remember, ada, ben):
    memory_id = remember("Likes tea.")["id"]
    trace_id = UUID(recall(ContextRequest(query="tea"), actor=ada)["trace_id"])
    forget_it(memory_id, ada)
    for actor in (ben, replace(ben, kind="person")):
        for act in (
            lambda actor=actor: restore(memory_id, actor=actor),
            lambda actor=actor: read_trace(trace_id, actor=actor),
            lambda actor=actor: join_answer(trace_id, answer_id="a", model=None, text=None, actor=actor),
        ):
            with pytest.raises(NotFound):
                act()
    with pytest.raises(NotFound):
        restore(memory_id, actor=replace(ada, can_write=False))
    assert restore(memory_id, actor=ada)["id"] == memory_id
