"""Staff propose, the person decides: on the review page, or by what they agreed to in the ticket."""

from uuid import UUID, uuid4

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Memory, MemoryVersion, StaffProposal
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import Conflict, Invalid, NotFound, Refused
from memoryapp.services.forget import forget, restore
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.staff_proposals import (
    Change,
    accept_proposal,
    change_by_consent,
    decline_proposal,
    propose_change,
    waiting_proposals,
    withdraw,
)
from memoryapp.services.waiting import waiting_count
from tests.staffing import grant_on, hire, run_out, shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def sol():
    return hire("sol")


@pytest.fixture
def trace(remember, ada):
    remember("Likes tea.")
    return recall(ContextRequest(query="tea"), actor=ada)


@pytest.fixture
def memory_id(trace):
    return UUID(trace["memories"][0]["id"])


@pytest.fixture
def grant(trace, sol):
    found = grant_on(trace["trace_id"], sol)
    shown(trace, found, sol, "memory")
    return found


@pytest.fixture
def propose(grant, memory_id, sol):
    def act(text="Likes coffee.", version=1):
        proposal_id = uuid4()
        propose_change(proposal_id, grant.id, Change(memory_id, version, text), staff=sol)
        return proposal_id

    return act


def said(ada):
    with acting_for(ada.person_id):
        head = Memory.objects.get()
        return head.text, head.state


def events(ada, *verbs):
    with acting_for(ada.person_id):
        rows = AuditEvent.objects.filter(person_id=ada.person_id, verb__in=verbs).order_by("seq")
        return [(row.verb, row.actor_kind, row.reason) for row in rows]


@pytest.mark.parametrize(
    ("text", "verb", "after"),
    [("Likes coffee.", "correct", ("Likes coffee.", "current")), (None, "forget", ("Likes tea.", "forgotten"))],
    ids=["correct", "forget"],
)
def test_the_person_accepts_it(propose, ada, herself, text, verb, after):
    proposal_id = propose(text)
    assert said(ada) == ("Likes tea.", "current")
    (waits,) = waiting_proposals(actor=herself)
    assert (waits.id, waits.verb, waits.text, waits.ticket, waits.is_outdated) == (
        proposal_id, verb, text, "T-17", False,
    )  # fmt: skip
    assert waiting_count(actor=herself) == 1
    accept_proposal(proposal_id, actor=herself)
    assert said(ada) == after
    assert (waiting_proposals(actor=herself), waiting_count(actor=herself)) == ((), 0)
    with acting_for(ada.person_id):
        assert MemoryVersion.objects.latest("number").actor_kind == "person"
        assert StaffProposal.objects.get().text is None
    with pytest.raises(Conflict):
        accept_proposal(proposal_id, actor=herself)


def test_the_person_declines_it(propose, ada, herself):
    decline_proposal(propose(), actor=herself)
    assert said(ada) == ("Likes tea.", "current")
    assert events(ada, "propose_correction", "decline_proposal") == [
        ("propose_correction", "staff", "wrong_answer T-17"), ("decline_proposal", "person", None),
    ]  # fmt: skip


def test_nobody_else_answers_it(propose, ada, ben, sol, grant, herself):
    from dataclasses import replace

    proposal_id = propose()
    for actor, error in (
        (replace(ben, kind="person", key_id=None), NotFound),
        (sol.about(ada.person_id), Conflict),
        (ada, Conflict),
    ):
        for act in (accept_proposal, decline_proposal):
            with pytest.raises(error):
                act(proposal_id, actor=actor)
    assert said(ada) == ("Likes tea.", "current")
    withdraw(proposal_id, staff=sol, grant_id=grant.id)
    assert waiting_proposals(actor=herself) == ()


def test_staff_propose_only_on_what_they_were_shown_while_they_may(propose, trace, memory_id, sol, ada, grant):
    unseen = grant_on(trace["trace_id"], sol)
    change = Change(memory_id, 1, "Likes coffee.")
    with pytest.raises(NotFound):
        propose_change(uuid4(), unseen.id, change, staff=sol)
    with pytest.raises(NotFound):
        propose_change(uuid4(), grant.id, change, staff=hire("kim"))
    with pytest.raises(Conflict):
        propose(version=2)
    propose()
    with pytest.raises(Conflict):
        propose()
    run_out(grant, sol)
    with pytest.raises(Conflict):
        propose_change(uuid4(), grant.id, change, staff=sol)


@pytest.mark.parametrize(
    ("text", "error"), [(" ", Invalid), ("Password is hunter2-Xy99!", Refused)], ids=["empty", "a secret"]
)
def test_a_proposal_says_something_and_carries_no_secret(propose, ada, text, error):
    with pytest.raises(error):
        propose(text)
    with acting_for(ada.person_id):
        assert not StaffProposal.objects.exists()


def test_the_same_form_twice_is_one_proposal(grant, memory_id, sol, ada, herself):
    proposal_id = uuid4()
    for _ in range(2):
        propose_change(proposal_id, grant.id, Change(memory_id, 1, "Likes coffee."), staff=sol)
    assert len(waiting_proposals(actor=herself)) == 1


def test_it_says_when_the_memory_has_changed_since(propose, remember, herself):
    propose()
    remember("Likes mate.")
    (waits,) = waiting_proposals(actor=herself)
    assert (waits.is_outdated, waits.memory.text) == (True, "Likes mate.")


@pytest.mark.parametrize("text", ["Likes coffee.", None], ids=["correct", "forget"])
def test_what_the_person_agreed_to_is_done_and_says_so(grant, memory_id, sol, ada, herself, text):
    proposal_id = uuid4()
    for _ in range(2):
        change_by_consent(proposal_id, grant.id, Change(memory_id, 1, text), StaffProposal.Consent.CALL, staff=sol)
    assert said(ada) == (("Likes coffee.", "current") if text else ("Likes tea.", "forgotten"))
    assert events(ada, "act_by_consent") == [("act_by_consent", "staff", "call wrong_answer T-17")]
    with acting_for(ada.person_id):
        assert MemoryVersion.objects.latest("number").actor_kind == "staff"
        assert Memory.objects.get().origin == ("corrected" if text else "stated")
    assert waiting_proposals(actor=herself) == ()
    if text is None:
        with pytest.raises(Conflict):
            restore(memory_id, actor=ada)
        restore(memory_id, actor=herself)
        assert said(ada) == ("Likes tea.", "current")


def test_without_a_ticket_there_is_no_consent(trace, memory_id, sol, ada):
    grant = grant_on(trace["trace_id"], sol, reason="emergency", ticket="", is_alone=True)
    shown(trace, grant, sol, "memory")
    with pytest.raises(Invalid):
        change_by_consent(uuid4(), grant.id, Change(memory_id, 1, None), StaffProposal.Consent.CALL, staff=sol)
    assert said(ada) == ("Likes tea.", "current")


def test_consent_ends_with_what_it_was_for(grant, memory_id, sol, ada):
    with pytest.raises(Refused):
        change_by_consent(
            uuid4(), grant.id, Change(memory_id, 1, "Card 4111 1111 1111 1111"), StaffProposal.Consent.CALL, staff=sol
        )
    assert said(ada) == ("Likes tea.", "current") and events(ada, "act_by_consent") == []


def test_what_is_forgotten_waits_no_more_and_erasing_takes_its_words(propose, memory_id, herself, ada):
    propose("Likes marzipan.")
    forget(memory_id, relearn="allow", source="keep", actor=herself)
    assert (waiting_proposals(actor=herself), waiting_count(actor=herself)) == ((), 0)
    with acting_for(ada.person_id):
        assert StaffProposal.objects.get().text == "Likes marzipan."
    erase_now(memory_id, actor=herself)
    with acting_for(ada.person_id):
        assert not StaffProposal.objects.exists()
