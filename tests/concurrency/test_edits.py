"""Edits, retries and forgetting that meet in flight."""

from collections import Counter
from dataclasses import replace
from uuid import UUID

import pytest

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Confirmation, IdempotencyRecord, Memory, MemoryVersion
from memoryapp.models.memory import LIVING
from memoryapp.services.correct import Changes, correct
from memoryapp.services.errors import Conflict, NotFound, StaleVersion
from memoryapp.services.first_write import writing_about
from memoryapp.services.forget import forget
from memoryapp.services.idempotency import once
from memoryapp.services.proposal import Outcome, Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import confirm, pause
from memoryapp.services.traces import join_answer, read_trace

pytestmark = pytest.mark.django_db(transaction=True)

TEA = Proposal(kind="preference", subject="drink", text="Likes tea.", source="I like tea")


def test_it_lets_one_of_16_corrections_of_a_version_through(ada, remember, at_once):
    memory = remember("Likes tea.")

    def edit(number):
        return lambda: correct(memory["id"], Changes(text=f"Likes {number}."), expected_version=1, actor=ada)

    outcomes = at_once(*map(edit, range(16)))

    (won,) = (outcome for outcome in outcomes if isinstance(outcome, Outcome))
    stale = [outcome for outcome in outcomes if isinstance(outcome, StaleVersion)]
    assert len(stale) == 15
    assert {error.current["text"] for error in stale} == {won.memory["text"]}
    with acting_for(ada.person_id):
        assert Memory.objects.get().text == won.memory["text"]
        assert MemoryVersion.objects.count() == 2


def test_it_writes_once_for_12_calls_with_one_idempotency_key(bot, at_once):
    def act():
        def write(actor):
            (outcome,) = propose([TEA], actor=actor)
            return 201, {"action": outcome.action, "memory": outcome.memory}, actor.person_id

        return writing_about(bot, "carol", write)

    answers = at_once(*[lambda: once(key_id=bot.key_id, key="k", fingerprint=b"f" * 32, act=act)] * 12)

    assert Counter(replayed for _, _, replayed in answers) == {False: 1, True: 11}
    assert [answer[:2] for answer in answers] == [answers[0][:2]] * 12
    with acting_for(User.objects.get(external_id="carol").id):
        assert Memory.objects.get().seen == Confirmation.objects.count() == 1
        assert IdempotencyRecord.objects.count() == 1


def test_it_never_sends_what_was_forgotten_before(ada, remember, at_once):
    ask = ContextRequest(query="tea")
    for _ in range(4):
        memory_id = remember("Likes tea.")["id"]
        *answers, gone = at_once(
            *[lambda: recall(ask, actor=ada)] * 3,
            lambda memory_id=memory_id: forget(memory_id, relearn="allow", source="keep", actor=ada),
        )
        assert gone["status"] == "forgotten"
        assert all("context" in answer for answer in answers), answers
        assert recall(ask, actor=ada)["context"] == ""
        for answer in answers:
            assert "tea" not in read_trace(UUID(answer["trace_id"]), actor=ada)["context"]
    remember("Likes tea.")
    assert "Likes tea." in recall(ask, actor=ada)["context"]


@pytest.mark.parametrize("relearn", ["allow", "block"])
def test_it_forgets_against_a_proposal_in_flight(relearn, ada, remember, at_once):
    for number in range(4):
        subject = f"drink {number}"
        memory_id = remember(f"Likes tea {number}.", subject=subject)["id"]
        proposal = replace(TEA, text=f"Likes tea {number}.", subject=subject)
        said, gone = at_once(
            lambda proposal=proposal: propose([proposal], actor=ada)[0],
            lambda memory_id=memory_id: forget(memory_id, relearn=relearn, source="keep", actor=ada),
        )
        assert gone["status"] == "forgotten"
        with acting_for(ada.person_id):
            assert Memory.objects.get(pk=memory_id).state == "forgotten"
            living = Memory.objects.filter(subject=subject, state__in=LIVING)
            came_later = said.action == "new"
            assert [str(memory.pk) for memory in living] == ([said.memory["id"]] if came_later else [])
        assert said.action in (("new", "reconfirmed") if relearn == "allow" else ("rejected", "reconfirmed"))


def test_it_forgets_once_among_other_verbs(ada, remember, at_once):
    memory_id = remember("Likes tea.")["id"]
    calls = [
        *[lambda: forget(memory_id, relearn="allow", source="keep", actor=ada)] * 4,
        *[lambda: confirm(memory_id, actor=ada)] * 4,
        *[lambda: pause(memory_id, actor=ada)] * 4,
    ]
    outcomes = at_once(*calls)
    assert sum(isinstance(outcome, NotFound) for outcome in outcomes[:4]) == 3
    assert all(isinstance(outcome, (dict, NotFound)) for outcome in outcomes)
    with acting_for(ada.person_id):
        memory = Memory.objects.get()
        confirmed = sum(isinstance(outcome, dict) for outcome in outcomes[4:8])
        assert (memory.state, memory.seen) == ("forgotten", 1 + confirmed)


def test_it_joins_one_answer_to_a_trace(ada, remember, at_once):
    remember("Likes tea.")
    trace_id = UUID(recall(ContextRequest(query="tea"), actor=ada)["trace_id"])

    def join(number):
        return lambda: join_answer(trace_id, answer_id=f"a{number % 2}", model=None, text=None, actor=ada)

    joined = at_once(*map(join, range(8)))
    assert sum(isinstance(outcome, dict) for outcome in joined) == 4
    assert sum(isinstance(outcome, Conflict) for outcome in joined) == 4
    assert read_trace(trace_id, actor=ada)["answer"]["answer_id"] in ("a0", "a1")
