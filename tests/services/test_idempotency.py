"""One answer for one key: repeated calls act once, and what was forgotten since is not told again."""

from dataclasses import asdict
from datetime import timedelta

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import IdempotencyRecord, Memory
from memoryapp.services.errors import Conflict, Invalid
from memoryapp.services.forget import forget, restore
from memoryapp.services.idempotency import KEPT, once
from memoryapp.services.keys import create_key
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall

pytestmark = pytest.mark.django_db


@pytest.fixture
def call(ada):
    """Calls with an idempotency key; `act` gives a status and a body."""

    def make(act, *, key="k", fingerprint=b"f" * 32, key_id=ada.key_id, person_id=ada.person_id):
        return once(key_id=key_id, key=key, fingerprint=fingerprint, act=lambda: (*act(), person_id))

    return make


@pytest.fixture
def tea(ada):
    def act(text="Likes tea.", **fields):
        (outcome,) = propose(
            [Proposal(kind="preference", subject="drink", text=text, source=text, **fields)], actor=ada
        )
        return 201, asdict(outcome)

    return act


def seen(actor):
    with acting_for(actor.person_id):
        return list(Memory.objects.values_list("text", "seen"))


def test_a_repeated_call_acts_once(call, tea, ada):
    first, second = call(tea), call(tea)
    assert first[:2] == second[:2]
    assert (first[2], second[2]) == (False, True)
    assert seen(ada) == [("Likes tea.", 1)]
    call(tea, key="another")
    assert seen(ada) == [("Likes tea.", 2)]


def test_another_body_is_refused(call, tea, ada):
    call(tea)
    with pytest.raises(Invalid) as caught:
        call(tea, fingerprint=b"g" * 32)
    assert caught.value.field == "Idempotency-Key"
    assert seen(ada) == [("Likes tea.", 1)]


def test_another_agent_key_is_another_key(call, tea, ada):
    from accounts.actors import Actor

    other, _ = create_key("other", actor=Actor("system"))
    assert [call(tea)[2], call(tea, key_id=other.id, fingerprint=b"g" * 32)[2]] == [False, False]
    assert seen(ada) == [("Likes tea.", 2)]


def test_what_failed_may_be_tried_again(call, tea, ada):
    def fail():
        tea()
        raise Conflict("not_now", "Not now.")

    with pytest.raises(Conflict):
        call(fail)
    assert seen(ada) == []
    assert call(lambda: (409, {"title": "Conflict"}))[0] == 409
    assert call(tea)[2] is False
    assert seen(ada) == [("Likes tea.", 1)]


def test_a_response_is_kept_for_a_day(call, tea, ada):
    call(tea)
    with acting_for(ada.person_id):
        record = IdempotencyRecord.objects.get()
        IdempotencyRecord.objects.update(created_at=record.created_at - KEPT + timedelta(minutes=1))
    assert call(tea)[2] is True
    with acting_for(ada.person_id):
        IdempotencyRecord.objects.update(created_at=record.created_at - KEPT)
    assert call(tea, fingerprint=b"g" * 32)[2] is False
    assert seen(ada) == [("Likes tea.", 2)]


def test_a_call_about_nobody_is_kept_too(call):
    body = {"context": "", "memories": [], "trace_id": None}
    assert call(lambda: (200, body), person_id=None) == (200, body, False)
    assert call(lambda: (200, {}), person_id=None) == (200, body, True)


def test_what_was_forgotten_since_is_not_told(call, tea, ada):
    first = call(lambda: tea("Likes tea.", reason="she said tea", metadata={"tea": "green"}, aliases=("green tea",)))
    call(lambda: tea("Likes coffee."), key="second")
    memory_id = first[1]["memory"]["id"]
    assert call(tea)[:2] == first[:2]

    forget(memory_id, relearn="allow", source="keep", actor=ada)
    for key in ("k", "second"):
        _, body, replayed = call(tea, key=key)
        assert replayed and body["memory"]["id"] == memory_id
        assert (body["memory"]["text"], body["memory"]["forgotten"]) == (None, True)
        assert "tea" not in str(body).casefold()
    restore(memory_id, actor=ada)
    assert call(tea)[:2] == first[:2]


def test_a_replayed_batch_hides_only_what_was_forgotten(call, ada):
    def batch():
        proposals = [
            Proposal(kind="preference", subject=subject, text=f"Likes {subject}.", source="said")
            for subject in ("tea", "rice")
        ]
        return 200, {"results": [{"index": i, **asdict(o)} for i, o in enumerate(propose(proposals, actor=ada))]}

    first = call(batch)[1]["results"]
    forget(first[0]["memory"]["id"], relearn="allow", source="keep", actor=ada)
    again = call(batch)[1]["results"]
    assert again[0]["memory"]["text"] is None
    assert again[1] == first[1]


def test_a_replayed_context_is_rebuilt(call, tea, ada, remember):
    remember("Likes rice.", subject="food")
    memory_id = tea()[1]["memory"]["id"]

    def ask():
        return 200, recall(ContextRequest(query="tea and rice", explain=True), actor=ada)

    first = call(ask)[1]
    assert call(ask)[1] == first and "Likes tea." in first["context"]
    forget(memory_id, relearn="allow", source="keep", actor=ada)
    again = call(ask)[1]
    assert "Likes rice." in again["context"] and "[not shown: forgotten]" in again["context"]
    assert "Likes tea." not in str(again)
    assert {one["id"]: one["text"] for one in again["considered"]}[memory_id] is None


def test_metadata_that_looks_like_a_memory_is_left_alone(call, tea):
    looks = {"id": "not an id", "text": "theirs", "deep": {"id": 1, "text": 2}}
    first = call(lambda: tea(metadata=looks))
    assert call(tea)[:2] == first[:2]
    assert first[1]["memory"]["metadata"] == looks
