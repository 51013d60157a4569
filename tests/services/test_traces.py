"""Traces: what was sent comes back byte for byte, save what may not be shown any more; and the answers behind them."""

from dataclasses import replace
from uuid import UUID

import pytest

from accounts.actors import Actor
from accounts.ids import uuid7
from memoryapp.database.isolation import acting_for
from memoryapp.models import Answer, Memory
from memoryapp.services.agents import actor_of
from memoryapp.services.correct import Changes, correct
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.forget import forget, restore
from memoryapp.services.keys import create_key
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pause, pin, resume
from memoryapp.services.traces import join_answer, read_answer, read_trace

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(ada):
    """A retrieval; its trace's id and the block."""

    def act(query="tea and rice", *scopes, actor=ada, **fields):
        response = recall(ContextRequest(query=query, scopes=scopes, **fields), actor=actor)
        return UUID(response["trace_id"]), response["context"]

    return act


def join(trace_id, answer_id="a1", *, actor, model=None, text=None):
    return join_answer(trace_id, answer_id=answer_id, model=model, text=text, actor=actor)


def test_it_shows_the_whole_retrieval(remember, ada):
    memory = remember("Likes tea.")
    response = recall(ContextRequest(query="tea, my password is hunter2!x", floor=0.25, budget_chars=900), actor=ada)
    shown = read_trace(UUID(response["trace_id"]), actor=ada)
    same = ("context", "withheld", "used", "floor", "budget", "notice")
    assert {name: shown[name] for name in same} == {name: response[name] for name in same}
    assert (shown["id"], shown["agent"], shown["user"]) == (response["trace_id"], "bot", "ada")
    assert (shown["scopes"], shown["as_of"], shown["answer"]) == (["personal"], None, None)
    assert shown["policy_version"] and shown["scorer"].startswith("lexical")
    assert shown["query"].startswith("tea, ") and "hunter2" not in shown["query"]
    assert [(one["id"], one["version"], one["text"], one["verdict"]) for one in shown["considered"]] == [
        (memory["id"], 1, "Likes tea.", "included")
    ]


def test_it_lists_the_losers(remember, ada, sent):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Lunch is at noon.", kind="fact", subject="atlas.lunch")
    trace_id, _ = sent("does atlas use PostgreSQL?", "atlas")
    verdicts = {one["key"]: one["verdict"] for one in read_trace(trace_id, actor=ada)["considered"]}
    assert verdicts == {"fact|atlas.db": "included", "fact|atlas.lunch": "below_floor"}


def test_it_is_as_it_was_after_any_later_change(remember, propose_one, ada, sent):
    memory_id = remember("Likes tea.")["id"]
    trace_id, block = sent()
    remember("Likes tea.", importance=3)
    correct(memory_id, Changes(text="Likes coffee."), expected_version=2, actor=ada)
    pin(memory_id, actor=ada)
    remember("Likes rice.", subject="food")
    propose_one(None, retract=True, source="I misspoke")
    assert "Likes tea." in block
    assert read_trace(trace_id, actor=ada)["context"] == block


@pytest.mark.parametrize("why", ["forgotten", "paused", "disputed"])
def test_what_may_not_be_shown_is_a_marked_gap_until_it_may_again(why, remember, ada, sent):
    memory_id = remember("Likes tea.")["id"]
    remember("Likes rice.", subject="food")
    trace_id, block = sent()

    def dispute(value):
        with acting_for(ada.person_id):
            Memory.objects.filter(pk=memory_id).update(disputed=value)

    do, undo = {
        "forgotten": (
            lambda: forget(memory_id, relearn="allow", source="keep", actor=ada),
            lambda: restore(memory_id, actor=ada),
        ),
        "paused": (lambda: pause(memory_id, actor=ada), lambda: resume(memory_id, actor=ada)),
        "disputed": (lambda: dispute(True), lambda: dispute(False)),
    }[why]
    do()
    assert read_trace(trace_id, actor=ada)["context"] == block.replace("- Likes tea. (", f"- [not shown: {why}] (")
    undo()
    assert read_trace(trace_id, actor=ada)["context"] == block


def test_a_trace_as_of_an_instant_is_rebuilt_too(remember, ada, sent):
    from datetime import UTC, datetime

    remember("Likes tea.")
    then = datetime.now(UTC)
    remember("Likes coffee.")
    trace_id, block = sent("what to drink, tea?", as_of=then)
    assert "Likes tea." in block and "coffee" not in block
    shown = read_trace(trace_id, actor=ada)
    assert (shown["context"], shown["as_of"]) == (block, then.isoformat().replace("+00:00", "Z"))


def test_a_key_of_some_scopes_reads_only_traces_that_drew_on_them(remember, ada, sent):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    limited = replace(ada, scopes=frozenset({"atlas"}))
    own, block = sent("PostgreSQL", "atlas", actor=limited)
    assert read_trace(own, actor=limited)["context"] == block
    assert read_trace(sent("PostgreSQL", "atlas")[0], actor=limited)["context"] == block

    remember("Prefers PostgreSQL.", subject="database")  # personal: serves in every scope
    wide, _ = sent("PostgreSQL", "atlas")
    for trace_id in (wide, sent("PostgreSQL", "beacon")[0], sent("PostgreSQL")[0]):
        read_trace(trace_id, actor=ada)
        with pytest.raises(NotFound):
            read_trace(trace_id, actor=limited)


def test_there_is_no_trace_of_an_unknown_id(ada):
    for unknown in (uuid7(), UUID(int=0), UUID(int=2**128 - 1)):
        with pytest.raises(NotFound):
            read_trace(unknown, actor=ada)


def test_an_answer_is_joined_once(remember, ada, sent):
    remember("Likes tea.")
    trace_id, _ = sent()
    joined = join(trace_id, model="m", text="Have some tea.", actor=ada)
    assert joined == {"trace_id": str(trace_id), "answer_id": "a1", "model": "m"}
    assert join(trace_id, model="m", text="Have some tea.", actor=ada) == joined
    for other in ({"answer_id": "a2"}, {"model": "n"}, {"text": "Have a coffee."}):
        with pytest.raises(Conflict) as caught:
            join(trace_id, **({"model": "m", "text": "Have some tea."} | other), actor=ada)
        assert caught.value.code == "answer_taken"
    assert read_trace(trace_id, actor=ada)["answer"] == {"answer_id": "a1", "model": "m"}
    with acting_for(ada.person_id):
        assert Answer.objects.get().text == "Have some tea."


def test_an_answer_may_rest_on_several_traces_of_one_person(remember, bot, ada, ben, sent):
    remember("Likes tea.")
    first, second, of_ben = sent()[0], sent()[0], sent(actor=ben)[0]
    for trace_id in (first, second):
        join(trace_id, actor=ada)
    with pytest.raises(Conflict):
        join(of_ben, actor=ben)
    for actor in (bot, ada):  # whom it concerns need not be known beforehand
        assert [one["id"] for one in read_answer("a1", actor=actor)["traces"]] == [str(first), str(second)]
    for answer_id, actor in (("a1", ben), ("a2", bot), ("a1", replace(ada, key_id=None, kind="person"))):
        with pytest.raises(NotFound):
            read_answer(answer_id, actor=actor)


def test_answer_ids_of_two_keys_do_not_meet(remember, ada, sent):
    other_key, _ = create_key("other", actor=Actor("system"))
    other = replace(actor_of(other_key), person_id=ada.person_id)
    first, second = sent()[0], sent(actor=other)[0]
    join(first, actor=ada)
    join(second, actor=other)
    assert [one["id"] for one in read_answer("a1", actor=ada)["traces"]] == [str(first)]
    assert [one["id"] for one in read_answer("a1", actor=other)["traces"]] == [str(second)]


def test_a_read_only_key_joins_answers_and_secrets_in_them_are_masked(remember, ada, sent):
    trace_id, _ = sent()
    join(trace_id, text="Sure. The password is hunter2!x", actor=replace(ada, can_write=False))
    with acting_for(ada.person_id):
        text = Answer.objects.get().text
    assert text.startswith("Sure.") and "hunter2" not in text
