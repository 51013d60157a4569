"""Grants: a reason, a scope and an end; nothing is read outside of one, whoever asks the database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from django.db import DatabaseError, ProgrammingError, connection, transaction

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for, under_grant
from memoryapp.models import (
    AuditEvent,
    Decision,
    Dispute,
    Episode,
    Grant,
    Memory,
    MemoryVersion,
    RetrievalTrace,
    TextVector,
    Upload,
)
from memoryapp.services import desk, grant_view
from memoryapp.services.correct import Changes, correct
from memoryapp.services.errors import Conflict, Invalid, NotFound
from memoryapp.services.forget import forget
from memoryapp.services.grants import (
    answer_grant,
    ask_grant,
    end_grant,
    grants_at_desk,
    open_to_person,
    second_grant,
)
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reveal import Item, reveal
from memoryapp.services.states import pause
from memoryapp.services.traces import join_answer
from tests.staffing import grant_on, hire, run_out, shown, wanted

pytestmark = pytest.mark.django_db

WORDS = "Marzipan is her secret vice."


@pytest.fixture
def sol():
    return hire("sol")


@pytest.fixture
def kim():
    return hire("kim")


@pytest.fixture
def trace(remember, ada):
    remember(WORDS, subject="sweets", source="marzipan is my secret vice")
    found = recall(ContextRequest(query="what sweets"), actor=ada)
    join_answer(UUID(found["trace_id"]), answer_id="a-1", model="m", text="You like marzipan.", actor=ada)
    return found


def verbs(actor):
    with acting_for(actor.person_id):
        events = AuditEvent.objects.filter(person_id=actor.person_id, object_type="grant").order_by("seq")
        return [(event.verb, event.actor_kind, event.reason) for event in events]


def texts_seen_by(actor, grant_id):
    with acting_for(actor.opened), under_grant(grant_id):
        assert [row.text for row in MemoryVersion.objects.all()] == [row.text for row in Memory.objects.all()]
        with connection.cursor() as cursor:
            cursor.execute("select text from memoryapp_memory")
            return [text for (text,) in cursor.fetchall()]


def test_it_runs_for_its_minutes_and_says_why(trace, sol, ada):
    grant = grant_on(trace["trace_id"], sol, minutes=30)
    assert (grant.state, grant.minutes, grant.is_flagged) == ("running", 30, False)
    assert 29 * 60 < grant.seconds_left <= 30 * 60
    assert verbs(ada) == [("open_grant", "staff", "wrong_answer T-17")]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"minutes": 0}, "minutes"),
        ({"minutes": 61}, "minutes"),
        ({"ticket": ""}, "ticket"),
        ({"ticket": "ask Ada"}, "ticket"),
        ({"ticket": "T" * 41}, "ticket"),
        ({"reason": "curious"}, "reason"),
        ({"reach": "all"}, "reach"),
        ({"scopes": ()}, "scopes"),
        ({"scopes": ("atlas",)}, "scopes"),
    ],
    ids=lambda value: str(value),
)
def test_it_refuses_what_says_too_little_or_takes_too_much(trace, sol, ada, fields, field):
    with pytest.raises(Invalid) as refused:
        grant_on(trace["trace_id"], sol, **fields)
    assert refused.value.field == field
    assert verbs(ada) == []


def test_it_is_nobody_elses_and_on_nothing_unknown(trace, sol, kim, ada, ben, remember):
    grant = grant_on(trace["trace_id"], sol)
    for act in (
        lambda: reveal(grant.id, [Item("request", UUID(trace["trace_id"]))], staff=kim),
        lambda: end_grant(grant.id, by=kim),
        lambda: end_grant(grant.id, by=replace(ben, kind="person", key_id=None)),
        lambda: ask_grant(grant.id, UUID(trace["trace_id"]), wanted(), staff=kim),
        lambda: grant_on(uuid4(), sol),
        lambda: grant_on(trace["trace_id"], hire("vis", "supervisor")),
    ):
        with pytest.raises(NotFound):
            act()
    assert grants_at_desk(staff=kim) == ((), ())
    assert [one.id for one in grants_at_desk(staff=sol)[0]] == [grant.id]


def test_the_same_form_twice_is_one_grant(trace, sol, ada):
    grant_id = uuid4()
    for _ in range(2):
        assert ask_grant(grant_id, UUID(trace["trace_id"]), wanted(), staff=sol).id == grant_id
    assert len(verbs(ada)) == 1


def test_the_database_shows_content_under_a_running_grant_only(trace, sol, ada, herself):
    grant = grant_on(trace["trace_id"], sol)
    assert texts_seen_by(ada, grant.id) == [WORDS]
    assert texts_seen_by(ada, uuid4()) == []
    end_grant(grant.id, by=herself)
    assert texts_seen_by(ada, grant.id) == []
    again = grant_on(trace["trace_id"], sol)
    assert texts_seen_by(ada, again.id) == [WORDS]
    run_out(again, sol)
    assert texts_seen_by(ada, again.id) == []
    with acting_for(ada.person_id), under_grant(again.id):
        assert not RetrievalTrace.objects.exists() and not Decision.objects.exists() and not Episode.objects.exists()
        assert Grant.objects.exists()
    with acting_for(ada.person_id):
        assert Memory.objects.get().text == WORDS


def test_a_grant_opens_nobody_else(trace, sol, ada, ben, remember):
    remember("Ben likes rum.", actor=ben)
    grant = grant_on(trace["trace_id"], sol)
    assert texts_seen_by(ben, grant.id) == []


def test_nothing_is_written_under_a_grant(trace, sol, ada):
    grant = grant_on(trace["trace_id"], sol)
    with acting_for(ada.person_id), under_grant(grant.id):
        assert Memory.objects.update(text="changed") == 0
        with pytest.raises(ProgrammingError), transaction.atomic():
            MemoryVersion.objects.create(
                **{
                    field.attname: getattr(MemoryVersion.objects.get(), field.attname)
                    for field in MemoryVersion._meta.concrete_fields
                }
                | {"id": uuid4(), "number": 9}
            )
    with acting_for(ada.person_id):
        assert Memory.objects.update(pinned=True) == 1


def test_nothing_beside_a_memory_is_written_under_a_grant(trace, sol, ada, remember):
    grant, memory_id = grant_on(trace["trace_id"], sol), UUID(remember("Likes tea.", subject="drink")["id"])
    mine = {"id": uuid4(), "person_id": ada.person_id}
    rows = [
        Dispute(**mine, memory_id=memory_id, version=1, actor_kind="staff", opened_at=datetime.now(UTC)),
        Upload(**mine, content=b"", counted={}, decided="", created_at=datetime.now(UTC)),
    ]
    with acting_for(ada.person_id):
        with under_grant(grant.id):
            for row in rows:
                with pytest.raises(ProgrammingError), transaction.atomic():
                    row.save(force_insert=True)
        for row in rows:
            row.save(force_insert=True)
        with under_grant(grant.id):
            assert Dispute.objects.count() == Upload.objects.count() == 1
            assert Dispute.objects.update(text="changed") == Upload.objects.all().delete()[0] == 0
            assert TextVector.objects.count() > 0 and TextVector.objects.update(is_live=False) == 0


def test_the_one_door_is_shut_for_staff_outside_their_grant(trace, sol, ada, remember):
    remember("Atlas uses Oracle.", kind="fact", scope="atlas", subject="db")
    grant = grant_on(trace["trace_id"], sol)
    reader = sol.about(ada.person_id, grant_id=grant.id, scopes=["personal"])
    with acting_for(ada.person_id):
        assert not Memory.objects.visible_to(reader).exists()
        assert not Memory.objects.visible_to(sol.about(ada.person_id)).exists()
        with under_grant(grant.id):
            assert [row.text for row in Memory.objects.visible_to(reader)] == [WORDS]
            assert not Memory.objects.writable_by(reader).exists()
            assert not Memory.objects.visible_to(sol.about(ada.person_id)).exists()


@pytest.mark.parametrize("with_grant", [False, True], ids=["without", "under a grant"])
def test_staff_change_no_memory(trace, sol, ada, with_grant):
    memory = trace["memories"][0]
    grant = grant_on(trace["trace_id"], sol)
    actor = sol.about(ada.person_id, grant_id=grant.id if with_grant else None)
    for act in (
        lambda: correct(UUID(memory["id"]), Changes(text="changed"), expected_version=1, actor=actor),
        lambda: forget(UUID(memory["id"]), relearn="allow", source="keep", actor=actor),
        lambda: pause(UUID(memory["id"]), actor=actor),
    ):
        with pytest.raises(NotFound):
            act()
    with acting_for(ada.person_id):
        assert Memory.objects.get().text == WORDS


def test_a_grant_is_kept_as_it_was_asked_for(trace, sol, ada):
    grant_on(trace["trace_id"], sol)
    with acting_for(ada.person_id):
        for fields in ({"reason": "privacy"}, {"minutes": 60}, {"scopes": ["atlas"]}, {"ticket": "T-1"}):
            with pytest.raises(DatabaseError), transaction.atomic():
                Grant.objects.update(**fields)
        with pytest.raises(DatabaseError), transaction.atomic():
            Grant.objects.all().delete()


def test_the_person_ends_it(trace, sol, ada, herself):
    grant = grant_on(trace["trace_id"], sol)
    assert [one.id for one in open_to_person(actor=herself)] == [grant.id]
    assert end_grant(grant.id, by=herself).ended_by == "person"
    assert end_grant(grant.id, by=herself).state == "ended"
    assert open_to_person(actor=herself) == ()
    assert verbs(ada)[1:] == [("end_grant", "person", "wrong_answer T-17")]
    with pytest.raises(Conflict):
        shown(trace, grant, sol, "request")


def test_it_waits_for_the_person_where_the_deployment_says_so(trace, sol, ada, herself, settings):
    settings.MEMORY_SUPPORT_APPROVAL = True
    first, other = (grant_on(trace["trace_id"], sol) for _ in range(2))
    assert (first.state, first.waits_for) == ("waiting", "person")
    with pytest.raises(Conflict):
        shown(trace, first, sol, "request")
    with pytest.raises(Conflict):
        answer_grant(first.id, allow=True, actor=sol.about(ada.person_id))
    assert answer_grant(first.id, allow=True, actor=herself).state == "running"
    assert answer_grant(other.id, allow=False, actor=herself).state == "ended"
    shown(trace, first, sol, "request")
    for grant in (first, other):
        with pytest.raises(Conflict):
            answer_grant(grant.id, allow=True, actor=herself)
    assert [one[0] for one in verbs(ada)] == ["ask_grant", "ask_grant", "allow_grant", "refuse_grant"]


def test_an_emergency_waits_for_a_second_staff_member_and_not_for_the_person(trace, sol, kim, ada, settings):
    settings.MEMORY_SUPPORT_APPROVAL = True
    grant = grant_on(trace["trace_id"], sol, reason="emergency", ticket="")
    assert (grant.state, grant.waits_for) == ("waiting", "second")
    assert [one.id for one in grants_at_desk(staff=kim)[1]] == [grant.id]
    assert grants_at_desk(staff=sol)[1] == ()
    with pytest.raises(NotFound):
        second_grant(grant.id, staff=sol)
    seconded = second_grant(grant.id, staff=kim)
    assert (seconded.state, seconded.is_flagged) == ("running", False)
    assert verbs(ada) == [("ask_grant", "staff", "emergency"), ("second_grant", "staff", "emergency")]
    with pytest.raises(Conflict):
        second_grant(grant.id, staff=kim)


def test_an_emergency_of_one_alone_is_flagged(trace, sol, ada, herself):
    grant = grant_on(trace["trace_id"], sol, reason="emergency", ticket="", is_alone=True)
    assert grant.is_running and grant.is_flagged
    assert open_to_person(actor=herself)[0].is_flagged
    assert verbs(ada) == [("break_glass", "staff", "emergency")]
    assert not grant_on(trace["trace_id"], sol, is_alone=True).is_flagged


def test_what_nobody_answers_lapses(trace, sol, ada, herself, settings, monkeypatch):
    settings.MEMORY_SUPPORT_APPROVAL = True
    grant = grant_on(trace["trace_id"], sol)
    assert [one.id for one in open_to_person(actor=herself)] == [grant.id]
    monkeypatch.setattr(grant_view, "LAPSES_AFTER", timedelta(0))
    assert open_to_person(actor=herself) == ()
    with pytest.raises(Conflict):
        answer_grant(grant.id, allow=True, actor=herself)


def test_nobody_grants_themselves_their_own_memory(sol, bot, remember):
    own = replace(bot, person_id=sol.id)
    remember("Sol likes jazz.", actor=own)
    trace = recall(ContextRequest(query="jazz"), actor=own)
    with pytest.raises(Conflict):
        grant_on(trace["trace_id"], sol)
    with pytest.raises(NotFound):
        desk.case(UUID(trace["trace_id"]), staff=sol)
    assert desk.find(trace["trace_id"], staff=sol) == ()


def test_each_reveal_is_noted_once_with_its_purpose(trace, sol, ada):
    grant = grant_on(trace["trace_id"], sol)
    for _ in range(2):
        shown(trace, grant, sol, "request", "answer", "block", "memory", "source")
    with acting_for(ada.person_id):
        events = AuditEvent.objects.filter(person_id=ada.person_id, verb__startswith="view_").order_by("seq")
        noted = [(event.verb, event.object_type, event.actor_id, event.reason) for event in events]
    assert noted == [
        (f"view_{what}", about, sol.id, "wrong_answer T-17")
        for what, about in (
            ("request", "trace"), ("answer", "answer"), ("block", "trace"), ("memory", "memory"), ("source", "memory"),
        )
    ]  # fmt: skip


@pytest.mark.parametrize("what", ["memory", "source", "request", "answer", "block", "decision", "message"])
def test_it_reveals_nothing_that_the_grant_does_not_cover(trace, sol, ada, remember, what):
    other = remember("Atlas uses Oracle.", kind="fact", scope="atlas", subject="db")
    foreign = recall(ContextRequest(query="oracle", scopes=("atlas",)), actor=ada)
    grant = grant_on(trace["trace_id"], sol)
    with acting_for(ada.person_id):
        ids = {
            "memory": UUID(other["id"]),
            "source": UUID(other["id"]),
            "decision": Decision.objects.latest("id").pk,
            "message": uuid4(),
        }
    item = Item(what, ids.get(what, UUID(foreign["trace_id"])), 1 if what in ("memory", "source") else 0)
    with pytest.raises(NotFound):
        reveal(grant.id, [item], staff=sol)
    shown(trace, grant, sol, "memory")


def test_a_scope_that_the_grant_does_not_name_stays_closed(sol, ada, remember):
    remember(WORDS, subject="sweets")
    other = remember("Atlas stores sweets in Oracle.", kind="fact", scope="atlas", subject="db")
    trace = recall(ContextRequest(query="sweets oracle", scopes=("atlas",), floor=0.0), actor=ada)
    assert len(trace["memories"]) == 2
    grant = grant_on(trace["trace_id"], sol, scopes=("personal",))
    with pytest.raises(NotFound):
        reveal(grant.id, [Item("memory", UUID(other["id"]), 1)], staff=sol)
    with pytest.raises(NotFound):
        shown(trace, grant, sol, "block")
    wider = grant_on(trace["trace_id"], sol, scopes=("personal", "atlas"))
    shown(trace, wider, sol, "memory", "block")
    contents = desk.case(UUID(trace["trace_id"]), staff=sol).contents
    assert {content.text for item, content in contents.items() if item.what == "memory"} == {
        WORDS, "Atlas stores sweets in Oracle.",
    }  # fmt: skip
    block = contents[Item("block", UUID(trace["trace_id"]))].text
    assert block == trace["context"]


def test_what_is_forgotten_is_shown_to_nobody(trace, sol, ada, herself):
    grant = grant_on(trace["trace_id"], sol)
    items = shown(trace, grant, sol, "memory", "source", "block")
    before = desk.case(UUID(trace["trace_id"]), staff=sol).contents
    assert before[items[0]].text == WORDS
    forget(UUID(trace["memories"][0]["id"]), relearn="allow", source="keep", actor=herself)
    after = desk.case(UUID(trace["trace_id"]), staff=sol).contents
    assert "arzipan" not in str(after) and list(after) == [items[2]]
    with pytest.raises(NotFound):
        shown(trace, grant_on(trace["trace_id"], sol), sol, "memory")


def test_the_desk_shows_no_word_without_a_grant(trace, sol, ada):
    trace_id = UUID(trace["trace_id"])
    found = desk.case(trace_id, staff=sol)
    assert found.grant is None and found.contents == {}
    assert "arzipan" not in str(found) and "sweets" not in str(found)
    assert (found.trace.items[0].verdict, found.trace.items[0].kind) == ("included", "preference")
    grant = grant_on(trace_id, sol)
    shown(trace, grant, sol, "memory")
    (content,) = desk.case(trace_id, staff=sol).contents.values()
    assert (content.text, content.subject) == (WORDS, "sweets")
    assert desk.case(trace_id, staff=hire("kim")).contents == {}
    run_out(grant, sol)
    over = desk.case(trace_id, staff=sol)
    assert "arzipan" not in str(over) and over.grants[0].state == "over"


def test_looking_at_the_record_is_noted_once_in_a_while(trace, sol, kim, ada):
    for _ in range(3):
        desk.case(UUID(trace["trace_id"]), staff=sol)
    desk.case(UUID(trace["trace_id"]), staff=kim)
    with acting_for(ada.person_id):
        looks = AuditEvent.objects.filter(person_id=ada.person_id, verb="view_record")
        assert sorted(looks.values_list("actor_id", flat=True)) == sorted([sol.id, kim.id])


def test_it_finds_by_exact_name_and_browses_nobody(trace, sol, ada, herself, remember, propose_one):
    from memoryapp.services.reports import report_answer

    with_session = recall(ContextRequest(query="sweets", session="sess-1"), actor=ada)
    report = report_answer(UUID(trace["trace_id"]), wrong="untrue", actor=herself)
    ids = {
        "a-1": [trace["trace_id"]],
        trace["trace_id"]: [trace["trace_id"]],
        f" {trace['trace_id'].upper()} ": [trace["trace_id"]],
        report.reference: [trace["trace_id"]],
        report.reference.lower().replace("-", " "): [trace["trace_id"]],
        "sess-1": [with_session["trace_id"]],
        "ada": [with_session["trace_id"], trace["trace_id"]],
    }
    for name, expected in ids.items():
        assert [str(one.trace_id) for one in desk.find(name, staff=sol)] == expected, name
    for name in ("a", "a-", "A-1", "a-1%", "%", "", "sess", "Ada", str(uuid4()), "marzipan", "\0", "a" * 300):
        assert desk.find(name, staff=sol) == (), name
    assert desk.find("a-1", staff=hire("vis", "supervisor")) == ()


def test_an_actor_of_the_desk_is_recorded_by_role(trace, sol, ada):
    grant_on(trace["trace_id"], sol)
    with acting_for(ada.person_id):
        event = AuditEvent.objects.filter(person_id=ada.person_id).latest("seq")
    assert (event.actor_kind, event.actor_id) == ("staff", sol.id)
    assert event.at <= datetime.now(UTC)
    assert isinstance(ada, Actor)
