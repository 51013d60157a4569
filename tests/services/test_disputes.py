"""Dispute, restrict, object: what the person says against a memory keeps it from every assistant until they decide."""

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Dispute, SearchEntry
from memoryapp.services.by_person import EditFields
from memoryapp.services.correct import Changes, correct
from memoryapp.services.detail import memory_detail
from memoryapp.services.disputes import dispute, undispute
from memoryapp.services.edit import edit
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.forget import forget, restore
from memoryapp.services.reading import read_memory
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reviewing import keep, keep_corrected, reject
from memoryapp.services.states import confirm, pause
from memoryapp.services.switches import set_learning, set_use
from memoryapp.services.traces import read_trace
from memoryapp.services.waiting import waiting
from tests.dashboard.conftest import signed_in
from tests.rich import bring, file_of

pytestmark = pytest.mark.django_db

MINE = "I like both."


@pytest.fixture
def tea(remember):
    remember("Likes jazz.", subject="music")
    return UUID(remember("Likes tea.")["id"])


def sent(actor, **fields):
    return recall(ContextRequest(**({"query": "tea and jazz"} | fields)), actor=actor)


def outcomes(actor):
    with acting_for(actor.opened):
        return list(Dispute.objects.order_by("opened_at").values_list("outcome", "text"))


def test_it_is_sent_nowhere_until_it_is_decided(tea, ada, herself):
    before, trace = datetime.now(UTC), sent(ada)["trace_id"]
    assert "Likes tea." in read_trace(UUID(trace), actor=ada)["context"]
    assert dispute(tea, text=MINE, actor=herself)["disputed"] is True
    ways = [{}, {"query": None}, {"as_of": before}, {"query": None, "as_of": before}, {"floor": 0.0, "explain": True}]
    for fields in ways:
        found = sent(ada, **fields)
        assert "Likes tea." not in str(found) and "Likes jazz." in found["context"], fields
    replayed = read_trace(UUID(trace), actor=ada)["context"]
    assert "Likes tea." not in replayed and "Likes jazz." in replayed
    with acting_for(ada.opened):
        assert SearchEntry.objects.count() == 1
    undispute(tea, actor=herself)
    for fields in ways[:2]:
        assert "Likes tea." in sent(ada, **fields)["context"]
    assert read_trace(UUID(trace), actor=ada)["context"].count("Likes tea.") == 1


def test_the_persons_own_words_are_kept_beside_it(tea, ada, herself):
    dispute(tea, text=MINE, actor=herself)
    assert memory_detail(tea, actor=herself).dispute == MINE
    (item,) = waiting(actor=herself).items
    assert (item.why, item.own_words, item.memory.text) == ("disputed", MINE, "Likes tea.")
    dispute(tea, text="Neither.", actor=herself)
    dispute(tea, actor=herself)
    assert outcomes(ada) == [(None, "Neither.")]
    dispute(tea, text="My key is sk-proj-" + "a1B2" * 12, actor=herself)
    assert "a1B2a1B2" not in str(outcomes(ada))


DECISIONS = [
    pytest.param(lambda tea, h: keep(tea, actor=h), "kept", "Likes tea.", True, id="it is right after all"),
    pytest.param(lambda tea, h: confirm(tea, actor=h), "kept", "Likes tea.", True, id="confirmed"),
    pytest.param(lambda tea, h: undispute(tea, actor=h), "withdrawn", "Likes tea.", True, id="taken back"),
    pytest.param(
        lambda tea, h: keep_corrected(tea, "Likes mate.", actor=h), "replaced", "Likes mate.", True, id="corrected"
    ),
    pytest.param(
        lambda tea, h: keep_corrected(tea, "Likes tea.", actor=h), "kept", "Likes tea.", True, id="the same words"
    ),
    pytest.param(lambda tea, h: reject(tea, actor=h), "rejected", "Likes tea.", False, id="rejected"),
]


@pytest.mark.parametrize(("decide", "outcome", "text", "is_sent"), DECISIONS)
def test_the_person_decides(decide, outcome, text, is_sent, tea, ada, herself):
    dispute(tea, actor=herself)
    decide(tea, herself)
    assert outcomes(ada) == [(outcome, None)]
    assert (text in sent(ada)["context"]) == is_sent
    assert waiting(actor=herself).count == 0
    assert read_memory(tea, actor=ada)["disputed"] is False


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(lambda tea, ada: undispute(tea, actor=ada), id="undispute"),
        pytest.param(lambda tea, ada: confirm(tea, actor=ada), id="confirm"),
        pytest.param(lambda tea, ada: dispute(tea, text="No.", actor=ada), id="other words"),
        pytest.param(
            lambda tea, ada: correct(tea, Changes(text="Likes rum."), expected_version=1, actor=ada), id="correct"
        ),
    ],
)
def test_no_agent_decides_for_the_person(act, tea, ada, herself):
    dispute(tea, text=MINE, actor=herself)
    with pytest.raises(Conflict) as caught:
        act(tea, ada)
    assert caught.value.code == "person_decides"
    assert outcomes(ada) == [(None, MINE)] and "Likes tea." not in str(sent(ada))


def test_an_agent_may_dispute_for_the_person_and_take_its_own_back(tea, ada):
    dispute(tea, text=MINE, actor=ada)
    assert "Likes tea." not in str(sent(ada))
    undispute(tea, actor=ada)
    assert "Likes tea." in sent(ada)["context"]


@pytest.mark.parametrize("words", [MINE, None])
def test_what_an_agent_disputed_is_the_persons_once_they_do_too(words, tea, ada, herself):
    dispute(tea, text="No.", actor=ada)
    dispute(tea, text=words, actor=herself)
    dispute(tea, text=words, actor=herself)
    for act in (undispute, confirm):
        with pytest.raises(Conflict):
            act(tea, actor=ada)
    with pytest.raises(Conflict):
        dispute(tea, text="Yes.", actor=ada)
    assert outcomes(ada) == [(None, words or "No.")] and "Likes tea." not in str(sent(ada))
    with acting_for(ada.opened):
        events = AuditEvent.objects.filter(verb="dispute").order_by("seq")
        assert list(events.values_list("actor_kind", flat=True)) == ["agent", "person"]
    undispute(tea, actor=herself)
    assert "Likes tea." in sent(ada)["context"]


@pytest.mark.parametrize("by_person", [True, False], ids=["the person disputes it", "an agent does"])
def test_a_guess_that_is_disputed_is_not_sent_because_it_is_said(by_person, propose_one, ada, herself):
    guess = UUID(propose_one("Likes rum.", subject="spirit", source=None).memory["id"])
    dispute(guess, actor=herself if by_person else ada)
    assert propose_one("Likes rum.", subject="spirit").memory["status"] == "current"
    assert ("Likes rum." in sent(ada, query="rum")["context"]) == (not by_person)
    assert outcomes(ada) == [(None if by_person else "kept", None)]
    assert waiting(actor=herself).count == by_person


@pytest.mark.parametrize("stands", [True, False], ids=["in the place of another", "after one that was taken back"])
@pytest.mark.parametrize("by_person", [True, False], ids=["the person disputes it", "an agent does"])
def test_nor_where_its_words_come_into_another_ones_place(by_person, stands, remember, propose_one, ada, herself):
    remember("Likes gin.", subject="spirit")
    guess = UUID(propose_one("Likes rum.", subject="spirit", source=None).memory["id"])
    dispute(guess, text=MINE, actor=herself if by_person else ada)
    if not stands:
        propose_one(None, subject="spirit", retract=True, source="no gin any more")
    said = propose_one("Likes rum.", subject="spirit")
    assert (said.action, said.memory["disputed"]) == ("superseded" if stands else "new", by_person)
    assert ("Likes rum." in sent(ada, query="rum")["context"]) == (not by_person)
    assert outcomes(ada) == [(None if by_person else "kept", MINE)]
    assert [one.own_words for one in waiting(actor=herself).items] == ([MINE] if by_person else [])
    if by_person:
        confirm(UUID(said.memory["id"]), actor=herself)
        assert "Likes rum." in sent(ada, query="rum")["context"]


def test_what_is_said_again_stays_disputed_and_what_is_said_otherwise_stands(tea, propose_one, ada, herself):
    dispute(tea, actor=herself)
    assert propose_one("Likes tea.").action == "reconfirmed"
    assert "Likes tea." not in str(sent(ada))
    assert propose_one("Likes coffee.").action == "superseded"
    assert "Likes coffee." in sent(ada, query="coffee")["context"] and outcomes(ada) == [("replaced", None)]


BEFORE, AFTER = -1, 1
"""Hours from the dispute."""


def _said_otherwise(at, propose_one, ada, tea):
    propose_one("Likes coffee.", occurred_at=at)


def _taken_back(at, propose_one, ada, tea):
    propose_one(None, retract=True, source="no tea for me", occurred_at=at)


def _corrected(at, propose_one, ada, tea):
    store_turns(session="s", scope=None, turns=[Turn(9, "user", "Coffee now, please.", at)], actor=ada)
    with suppress(Conflict):
        correct(tea, Changes(text="Likes coffee.", source="Coffee now"), expected_version=1, actor=ada)


def _corrected_with_its_own_message(at, propose_one, ada, tea):
    propose_one("Likes tea.", source="Coffee rather than tea.", occurred_at=at)
    with suppress(Conflict):
        correct(tea, Changes(text="Likes coffee.", source="Coffee rather"), expected_version=1, actor=ada)


@pytest.mark.parametrize("when", [BEFORE, AFTER], ids=["said before the dispute", "said since"])
@pytest.mark.parametrize(
    "act", [_said_otherwise, _taken_back, _corrected, _corrected_with_its_own_message], ids=lambda act: act.__name__[1:]
)
def test_an_agent_settles_a_dispute_by_what_was_said_since_only(act, when, remember, propose_one, ada, herself):
    """Who wants it settled finds a message: one from before the dispute is not what the person says about it now."""
    hours = timedelta(hours=1)
    now = datetime.now(UTC)
    tea = UUID(remember("Likes tea.", occurred_at=now - 9 * hours)["id"])
    dispute(tea, text=MINE, actor=herself)
    with acting_for(ada.opened):
        Dispute.objects.update(opened_at=now - 2 * hours)
    act(now - 2 * hours + when * hours, propose_one, ada, tea)
    settled = when == AFTER
    assert (outcomes(ada)[0][0] is not None) == settled
    assert read_memory(tea, actor=ada)["disputed"] is not settled
    assert "Likes tea." not in sent(ada)["context"]
    assert ("Likes coffee." in sent(ada, query="coffee")["context"]) == (settled and act is not _taken_back)


def _by_another_value(tea, propose_one, ada, herself):
    propose_one("Likes coffee.")
    propose_one("likes  TEA")


def _by_forgetting_it(tea, propose_one, ada, herself):
    forget(tea, relearn="allow", source="keep", actor=ada)
    propose_one("Likes tea.")


def _by_correcting_twice(tea, propose_one, ada, herself):
    correct(tea, Changes(text="Likes coffee.", source="I said coffee"), expected_version=1, actor=ada)
    correct(tea, Changes(text="Likes tea."), expected_version=2, actor=ada)


def _by_taking_it_back(tea, propose_one, ada, herself):
    propose_one(None, retract=True, source="no tea")
    propose_one("Likes tea.")


def _by_a_file_from_before(tea, propose_one, ada, herself):
    forget(tea, relearn="allow", source="keep", actor=ada)
    bring(FILE["content"], ada)


FILE = {}
STEPS = [_by_another_value, _by_forgetting_it, _by_correcting_twice, _by_taking_it_back, _by_a_file_from_before]


@pytest.mark.parametrize("kept_first", [False, True], ids=["never decided", "kept by the person"])
@pytest.mark.parametrize("by_person", [True, False], ids=["the person disputed it", "an agent did"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__[1:])
def test_no_second_step_of_an_agent_brings_it_back(step, by_person, kept_first, tea, propose_one, ada, herself):
    if step is _by_a_file_from_before and not kept_first:
        FILE["content"] = file_of(herself)
    dispute(tea, text=MINE, actor=herself if by_person else ada)
    if kept_first:
        keep(tea, actor=herself)
    if step is _by_a_file_from_before and kept_first:
        FILE["content"] = file_of(herself)
    step(tea, propose_one, ada, herself)
    still = by_person and not kept_first
    assert ("tea." in sent(ada)["context"].lower() or "TEA" in sent(ada)["context"]) != still
    assert [one.own_words for one in waiting(actor=herself).items] == ([MINE] if still else [])


def test_what_the_person_wrote_themselves_since_is_not_disputed_any_more(tea, propose_one, ada, herself):
    dispute(tea, text=MINE, actor=herself)
    keep_corrected(tea, "Likes coffee.", actor=herself)
    edit(tea, replace(EDITED, text="Likes tea."), expected_version=2, actor=herself)
    propose_one("Likes rum.")
    propose_one("Likes tea.")
    assert "Likes tea." in sent(ada)["context"]


EDITED = EditFields(text="", kind="preference", subject="drink", scope="personal")


def test_a_guess_is_disputed_before_it_is_ever_kept(remember, ada, herself):
    guess = UUID(remember("Likes rum.", subject="spirit", source=None)["id"])
    dispute(guess, text="I do not drink.", actor=herself)
    assert [one.own_words for one in waiting(actor=herself).items] == ["I do not drink."]
    reject(guess, actor=herself)
    assert outcomes(ada) == [("rejected", "I do not drink.")]


def test_a_disputed_one_comes_back_disputed_and_is_erased_with_its_dispute(tea, ada, herself):
    dispute(tea, text=MINE, actor=herself)
    forget(tea, relearn="allow", source="keep", actor=herself)
    assert waiting(actor=herself).count == 0
    restore(tea, actor=herself)
    assert "Likes tea." not in str(sent(ada)) and waiting(actor=herself).count == 1
    forget(tea, relearn="allow", source="keep", actor=herself)
    erase_now(tea, actor=herself)
    assert outcomes(ada) == []


def test_what_stands_no_more_is_not_disputed_and_nothing_of_others_is(tea, remember, propose_one, ben, herself):
    theirs = remember("Ben likes gin.", actor=ben)
    with pytest.raises(NotFound):
        dispute(theirs["id"], actor=herself)
    propose_one(None, retract=True, source="I said no such thing")
    with pytest.raises(Conflict):
        dispute(tea, actor=herself)


def test_its_pages(tea, ada, herself, ben):
    browser, stranger = signed_in(herself), signed_in(replace(ben, kind="person", key_id=None, key_name=None))
    assert "Likes tea." in browser.get(f"/memories/{tea}/dispute/").text
    assert stranger.get(f"/memories/{tea}/dispute/").status_code == 404
    assert stranger.post(f"/memories/{tea}/dispute/", {"text": "x"}).status_code == 404
    assert browser.post(f"/memories/{tea}/dispute/", {"text": "x" * 2001}).status_code == 422
    assert browser.post(f"/memories/{tea}/dispute/", {"text": MINE, "on": "memory"}).status_code == 303
    for address in (f"/memories/{tea}/", "/review/"):
        assert MINE in browser.get(address).text and "ou dispute this" in browser.get(address).text
    assert browser.post(f"/memories/{tea}/undispute/", {"on": "memory"}).status_code == 303
    assert MINE not in browser.get("/review/").text
    assert "Likes tea." in sent(ada)["context"]


def test_restricting_and_objecting(tea, propose_one, ada, herself):
    """Paused: kept, not sent. Learning off: refused, what is stored stays. Use off: nothing is sent, with a reason."""
    pause(tea, actor=herself)
    assert "Likes tea." not in sent(ada)["context"] and sent(ada)["withheld"]["paused"] == 1
    set_learning(False, actor=herself)
    assert (propose_one("Likes rum.", subject="spirit").rule, read_memory(tea, actor=ada)["status"]) == (
        "paused", "paused",
    )  # fmt: skip
    set_use(False, actor=herself)
    assert (sent(ada)["context"], sent(ada)["notice"]) == ("", "use_off")


def test_off_by_default(tea, propose_one, remember, ada):
    """A guess is not used before the person keeps it, and no scope serves where it was not named."""
    assert propose_one("Likes rum.", subject="spirit", source=None).action == "pending"
    remember("Atlas uses Redis for tea.", kind="fact", scope="atlas", subject="cache")
    found = sent(ada, query="rum redis tea", floor=0.0)
    assert "rum" not in found["context"] and "Redis" not in str(found["memories"]) and "Likes tea." in found["context"]
    assert "Redis" in sent(ada, query="redis", scopes=("atlas",))["context"]
