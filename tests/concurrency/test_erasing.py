"""Forgetting and erasing that meet other calls in flight: whatever comes first, nothing comes back."""

import threading
from uuid import UUID

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import User
from memoryapp.database.isolation import acting_for, wide_access
from memoryapp.models import Memory, MemoryVersion, Receipt, RetrievalTrace
from memoryapp.models.memory import State
from memoryapp.services import erase_person, erase_stores
from memoryapp.services.agents import open_person
from memoryapp.services.audit import verify
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.first_write import writing_about
from memoryapp.services.forget import forget
from memoryapp.services.proposal import Outcome, Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall

pytestmark = pytest.mark.django_db(transaction=True)

TEA = Proposal(kind="preference", subject="drink", text="Likes tea.", source="I like tea")


@pytest.fixture(autouse=True)
def ledger(settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"


def rows_left(person_id):
    with acting_for(person_id):
        return {name: count for name, count in erase_stores.left(person_id).items() if count}


def begin(actor, count):
    return lambda: erase_person.begin(expected_count=count, actor=actor)


def test_what_is_recalled_after_a_forget_does_not_hold_it(ada, remember, at_once):
    memory = remember("Likes tea.")
    other = remember("Likes jazz.", subject="music")
    forgotten = threading.Event()

    def let_go():
        forget(UUID(memory["id"]), relearn="block", source="keep", actor=ada)
        forgotten.set()

    def ask():
        is_after = forgotten.is_set()
        return is_after, recall(ContextRequest(query="tea"), actor=ada)["context"]

    def ask_often():
        return [ask() for _ in range(6)]

    _, *asked = at_once(let_go, *[ask_often] * 7)
    asked = [one for some in asked for one in some]
    assert any(is_after for is_after, _ in asked)
    assert all("Likes jazz." in context for _, context in asked)
    assert [context for is_after, context in asked if is_after and "Likes tea." in context] == []
    assert other and "Likes tea." not in recall(ContextRequest(query="tea"), actor=ada)["context"]


def test_a_forget_and_a_write_of_the_same_value_leave_it_forgotten_or_refuse_it(ada, remember, at_once):
    memory = remember("Likes tea.")
    outcomes = at_once(
        lambda: forget(UUID(memory["id"]), relearn="block", source="keep", actor=ada),
        *[lambda: propose([TEA], actor=ada)[0]] * 15,
    )
    assert [one for one in outcomes if isinstance(one, Exception)] == []
    said = {(one.action, one.rule) for one in outcomes[1:]}
    assert said <= {("reconfirmed", "same_value"), ("rejected", "forgotten")}
    with acting_for(ada.person_id):
        assert Memory.objects.get().state == State.FORGOTTEN
    assert propose([TEA], actor=ada)[0].rule == "forgotten"
    neighbour = Proposal(kind="preference", subject="drink", text="Likes coffee.", source="coffee")
    assert propose([neighbour], actor=ada)[0].action == "new"
    assert list(verify()) == []


def test_of_eight_erasures_one_is_begun(ada, remember, at_once):
    remember("Likes tea.")
    outcomes = at_once(*[begin(ada, 1)] * 8)
    assert [type(one) for one in outcomes if not isinstance(one, UUID)] == [NotFound] * 7
    at_once(*[work_now] * 6)
    receipt = Receipt.objects.get()
    assert receipt.done_at is not None
    assert receipt.erased == {name: count for name, count in receipt.counted.items() if count}
    assert rows_left(ada.person_id) == {}
    assert list(verify()) == []


def test_erasing_against_proposals_leaves_nothing_of_the_old_person(ada, ben, bot, remember, at_once):
    remember("Likes tea.")
    remember("Likes rum.", actor=ben)

    def say(number):
        proposal = Proposal(kind="preference", subject=f"s{number}", text=f"Likes {number}.", source="x")
        return lambda: writing_about(bot, "ada", lambda actor: propose([proposal], actor=actor)[0])

    def erase():
        while True:
            with acting_for(ada.person_id):
                count = Memory.objects.count()
            try:
                receipt_id = erase_person.begin(expected_count=count, actor=ada)
            except Conflict:
                continue
            work_now()
            return receipt_id

    receipt_id, *outcomes = at_once(erase, *map(say, range(12)))
    unexpected = [one for one in outcomes if not isinstance(one, Outcome | NotFound | IntegrityError)]
    assert unexpected == []
    work_now()
    assert Receipt.objects.get(pk=receipt_id).done_at is not None
    assert rows_left(ada.person_id) == {} and not User.objects.filter(pk=ada.person_id).exists()
    # Who is named so now is somebody new, who has what was said afterwards and nothing else.
    anew = open_person(bot, "ada")
    kept = {outcome.memory["id"] for outcome in outcomes if isinstance(outcome, Outcome)}
    if anew is not None:
        with acting_for(anew.person_id):
            assert {str(pk) for pk in Memory.objects.values_list("pk", flat=True)} <= kept
            assert not Memory.objects.filter(text="Likes tea.").exists()
    with acting_for(ben.person_id):
        assert Memory.objects.get().text == "Likes rum."
    assert list(verify()) == []


def test_a_trace_that_is_in_flight_while_its_person_goes_is_not_left(ada, remember, many_connections):
    """The retrieval has read and written, and not yet committed, when the last row is about to be deleted."""
    remember("Likes tea.")
    written, go_on = threading.Event(), threading.Event()
    came = []

    def ask():
        try:
            with transaction.atomic():
                recall(ContextRequest(query="tea"), actor=ada)
                written.set()
                go_on.wait(20)
        except IntegrityError as error:
            came.append(error)
        finally:
            connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    assert written.wait(20)
    begin(ada, 1)()
    work_now()
    go_on.set()
    thread.join(20)
    assert len(came) == 1
    assert rows_left(ada.person_id) == {}
    with wide_access("verify_audit"):
        assert not RetrievalTrace.objects.exists() and not MemoryVersion.objects.exists()
