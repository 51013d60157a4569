"""What the desk keeps and hands on: the log of decisions, the bundle of a case, the audit of accesses."""

import json
from dataclasses import replace
from uuid import UUID, uuid4

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Decision
from memoryapp.services.access_reports import questioned, settle
from memoryapp.services.case_bundle import case_bundle
from memoryapp.services.conversation import conversation_of
from memoryapp.services.decision_log import decision_log, logged_turns
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reports import question_access
from memoryapp.services.reveal import Item, reveal
from memoryapp.services.staff import set_role, staff_of
from memoryapp.services.staff_audit import Filters, accesses, chain_state, export_accesses
from tests.staffing import grant_on, hire, run_out, shown

pytestmark = pytest.mark.django_db


@pytest.fixture
def sol():
    return hire("sol")


@pytest.fixture
def vis():
    return hire("vis", "supervisor")


@pytest.fixture
def talk(propose_one, ada, remember):
    """A conversation out of which one thing was remembered, one waits and one was refused."""
    turns = [Turn(n, "user", f"Turn {n}: marzipan.") for n in (1, 2, 3)]
    store_turns(session="s-1", scope="personal", turns=turns, actor=ada)
    store_turns(session="s-2", scope="personal", turns=[Turn(1, "user", "Marzipan elsewhere.")], actor=ada)
    remember("Likes marzipan.", session="s-1", turn=1, source="Turn 1: marzipan.")
    propose_one("Bakes marzipan.", subject="bake", session="s-1", turn=2, source=None)
    propose_one("Is full of marzipan.", kind="mood", scope="personal", session="s-1", turn=3)
    propose_one("Is tired of marzipan.", kind="mood", scope="personal", session="s-2", turn=1)
    propose_one("Atlas ships marzipan.", kind="mood", scope="atlas", session="s-1", turn=3)
    return recall(ContextRequest(query="sweets", session="s-1"), actor=ada)


def refused(ada, session="s-1"):
    with acting_for(ada.person_id):
        return Decision.objects.filter(action="rejected", session=session, scope_name="personal").get().pk


def test_the_log_says_what_was_decided_and_no_word_of_it(talk, sol):
    grant = grant_on(talk["trace_id"], sol, reach="conversation")
    log = decision_log(grant.id, staff=sol)
    assert [(one.action, one.rule, one.turn) for one in log.entries] == [
        ("rejected", "not_durable", 3), ("pending", "inferred", 2), ("new", "empty_slot", 1),
    ]  # fmt: skip
    assert "arzipan" not in str(log) and "bake" not in str(log)
    reveal(grant.id, [Item("decision", log.entries[0].id)], staff=sol)
    first, second, _ = decision_log(grant.id, staff=sol).entries
    assert first.content.text == "Is full of marzipan." and second.content is None


@pytest.mark.parametrize(
    ("reach", "sessions"),
    [("answer", set()), ("conversation", {"s-1"}), ("person", {"s-1", "s-2"})],
    ids=["answer", "conversation", "person"],
)
def test_the_log_reaches_as_far_as_the_grant(talk, sol, ada, reach, sessions):
    grant = grant_on(talk["trace_id"], sol, reach=reach)
    assert {one.session for one in decision_log(grant.id, staff=sol).entries} == sessions
    outside = refused(ada, "s-2")
    if reach == "person":
        logged_turns(grant.id, outside, staff=sol)
        assert {one.session for one in decision_log(grant.id, staff=sol, session="s-2").entries} == {"s-2"}
    else:
        with pytest.raises(NotFound):
            logged_turns(grant.id, outside, staff=sol)


@pytest.mark.parametrize(
    ("answered", "actions"),
    [("all", 3), ("rejected", ["rejected"]), ("pending", ["pending"]), ("accepted", ["new"])],
    ids=["all", "rejected", "pending", "accepted"],
)
def test_the_log_is_filtered_and_paged(talk, sol, answered, actions):
    grant = grant_on(talk["trace_id"], sol, reach="conversation")
    whole = decision_log(grant.id, staff=sol, answered=answered).entries
    assert [one.action for one in whole] == actions or len(whole) == actions
    found, cursor = [], None
    while True:
        page = decision_log(grant.id, staff=sol, answered=answered, cursor=cursor, limit=1)
        found += page.entries
        if (cursor := page.older) is None:
            break
    assert [one.id for one in found] == [one.id for one in whole]


def test_from_a_proposal_to_its_turn_and_back(talk, sol, ada):
    grant = grant_on(talk["trace_id"], sol, reach="conversation")
    turns = logged_turns(grant.id, refused(ada), staff=sol)
    assert [(turn.turn, turn.is_source, turn.content) for turn in turns.turns] == [
        (1, False, None), (2, False, None), (3, True, None),
    ]  # fmt: skip
    assert [[one.action for one in turn.outcomes] for turn in turns.turns] == [["new"], ["pending"], ["rejected"]]
    assert turns.turns[1].outcomes[0].is_waiting and turns.turns[2].outcomes[0].id == turns.decision.id
    reveal(grant.id, [Item("message", turns.turns[2].id)], staff=sol)
    again = logged_turns(grant.id, refused(ada), staff=sol)
    assert [content.text for content in again.contents.values()] == ["Turn 3: marzipan."]


def test_the_person_goes_the_same_way(talk, ada, herself, ben):
    found = conversation_of(refused(ada), actor=herself)
    assert [turn.content for turn in found.turns] == [f"Turn {n}: marzipan." for n in (1, 2, 3)]
    assert {one.action for one in found.turns[2].outcomes} == {"rejected"}
    with pytest.raises(NotFound):
        conversation_of(refused(ada), actor=replace(ben, kind="person", key_id=None))


def test_the_log_ends_with_the_grant(talk, sol):
    grant = grant_on(talk["trace_id"], sol, reach="conversation")
    with pytest.raises(NotFound):
        decision_log(grant.id, staff=hire("kim"))
    assert decision_log(grant.id, staff=sol).entries
    run_out(grant, sol)
    with pytest.raises(Conflict):
        decision_log(grant.id, staff=sol)


def test_the_bundle_holds_no_word_but_the_revealed(talk, sol, ada, remember):
    trace_id = UUID(talk["trace_id"])
    bare = case_bundle(trace_id, staff=sol)
    assert "arzipan" not in json.dumps(bare) and "sweets" not in json.dumps(bare)
    (item,) = bare["items"]
    assert (item["verdict"], item["kind"], item["memory"]) == ("included", "preference", talk["memories"][0]["id"])
    assert len(item["digest"]) == 32 and bare["trace"]["floor"] == 0.3
    grant = grant_on(trace_id, sol)
    assert "arzipan" not in json.dumps(case_bundle(trace_id, staff=sol))
    shown(talk, grant, sol, "memory", "request")
    full = case_bundle(trace_id, staff=sol)
    assert full["items"][0]["content"]["text"] == "Likes marzipan." and full["trace"]["request"] == "sweets"
    assert full["items"][0]["digest"] == item["digest"]
    assert "block" not in full["trace"]
    run_out(grant, sol)
    assert "arzipan" not in json.dumps(case_bundle(trace_id, staff=sol))
    with acting_for(ada.person_id):
        assert AuditEvent.objects.filter(person_id=ada.person_id, verb="export_case").count() == 4


def test_digests_tell_equal_texts_of_one_person_only(sol, ada, ben, remember):
    digests = []
    for actor in (ada, ada, ben):
        remember("Likes marzipan.", actor=actor)
        trace = recall(ContextRequest(query="x"), actor=actor)
        digests.append(case_bundle(UUID(trace["trace_id"]), staff=sol)["items"][0]["digest"])
    assert digests[0] == digests[1] != digests[2]


def test_supervisors_see_what_everybody_did_and_others_their_own(talk, sol, vis, ada):
    kim = hire("kim")
    mine = grant_on(talk["trace_id"], sol)
    shown(talk, mine, sol, "request", "memory")
    grant_on(talk["trace_id"], kim, reason="emergency", ticket="", is_alone=True)
    assert [one.verb for one in accesses(Filters(), staff=kim).items] == ["break_glass"]
    everything = accesses(Filters(), staff=vis).items
    assert [(one.staff, one.verb, one.is_flagged) for one in everything] == [
        ("kim@example.org", "break_glass", True), ("sol@example.org", "view_memory", False),
        ("sol@example.org", "view_request", False), ("sol@example.org", "open_grant", False),
    ]  # fmt: skip
    for filters, count in (
        (Filters(sort="views"), 2),
        (Filters(sort="grants"), 2),
        (Filters(sort="emergencies"), 1),
        (Filters(staff_id=kim.id), 1),
        (Filters(ticket="T-17"), 3),
        (Filters(ticket="T-1"), 0),
        (Filters(person_id=ada.person_id), 4),
        (Filters(person_id=uuid4()), 0),
        (Filters(since=everything[0].at), 1),
        (Filters(until=everything[0].at), 3),
    ):
        assert len(accesses(filters, staff=vis).items) == count, filters
    first = accesses(Filters(), staff=vis, limit=3)
    assert [one.verb for one in accesses(Filters(), staff=vis, cursor=first.older).items] == ["open_grant"]
    assert [one.id for one in export_accesses(Filters(), staff=vis)] == [one.id for one in everything]
    assert accesses(Filters(), staff=vis).items[0].verb == "export_accesses"


def test_the_state_of_the_chains_is_read_from_them(talk, sol, ada):
    grant_on(talk["trace_id"], sol)
    whole = chain_state()
    assert whole.breaks == () and whole.chains >= 2 and whole.events > whole.chains
    with connection.cursor() as cursor, acting_for(ada.person_id):
        cursor.execute("set constraints all immediate")
        cursor.execute("alter table memoryapp_auditevent disable trigger user")
        cursor.execute("update memoryapp_auditevent set reason = 'nothing' where verb = 'open_grant'")
        cursor.execute("alter table memoryapp_auditevent enable trigger user")
    (broken,) = chain_state().breaks
    assert broken.person_id == ada.person_id


def test_a_questioned_access_comes_before_supervisors(talk, sol, vis, ada, herself):
    shown(talk, grant_on(talk["trace_id"], sol), sol, "request")
    with acting_for(ada.person_id):
        event = AuditEvent.objects.get(person_id=ada.person_id, verb="view_request")
    report = question_access(event.pk, actor=herself)
    with pytest.raises(NotFound):
        questioned(staff=sol)
    (found,) = questioned(staff=vis)
    assert (found.report.reference, found.access.staff, found.access.verb) == (
        report.reference, "sol@example.org", "view_request",
    )  # fmt: skip
    with pytest.raises(NotFound):
        settle(report.reference, "taken", staff=sol)
    settle(report.reference, "taken", staff=vis)
    settle(report.reference, "closed", staff=vis)
    assert questioned(staff=vis)[0].report.state == "closed"


def test_a_role_is_given_and_taken(ada):
    user = User.objects.get(pk=ada.person_id)
    assert staff_of(user) is None
    for role in ("support", "supervisor"):
        set_role(user, role, actor=Actor("system"))
        assert staff_of(User.objects.get(pk=user.pk)).roles == {role}
    set_role(user, None, actor=Actor("system"))
    assert staff_of(User.objects.get(pk=user.pk)) is None and not User.objects.get(pk=user.pk).is_staff
    with acting_for(ada.person_id):
        rows = AuditEvent.objects.filter(person_id=ada.person_id, verb="set_role").order_by("seq")
        assert [row.reason for row in rows] == ["support", "supervisor", "none"]


def test_the_command_gives_a_role_and_takes_it(capsys):
    call_command("set_role", "Nora@example.org", "support")
    user = User.objects.get(email__iexact="nora@example.org")
    assert staff_of(user).roles == {"support"}
    assert EmailAddress.objects.get(user=user).verified
    call_command("set_role", "nora@example.org", "none")
    assert staff_of(User.objects.get(pk=user.pk)) is None
    for wrong in (("nobody@example.org", "none"), ("nora", "support"), ("nora@example.org", "admin")):
        with pytest.raises(CommandError):
            call_command("set_role", *wrong)
