"""Reports: what a person puts to support or to the supervisors, under a reference that can be read out."""

import uuid
from dataclasses import replace

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Report
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reports import move_report, normal_reference, question_access, report_answer, reports

pytestmark = pytest.mark.django_db


@pytest.fixture
def trace_id(remember, ada):
    remember("Likes tea.")
    return uuid.UUID(recall(ContextRequest(query="tea"), actor=ada)["trace_id"])


@pytest.fixture
def stranger(ben):
    return replace(ben, kind="person", key_id=None)


def owner_of(reference):
    with connection.cursor() as cursor:
        cursor.execute("select report_owner(%s)", [reference])
        return cursor.fetchone()[0]


def verbs(actor):
    with acting_for(actor.opened):
        return [(e.verb, e.reason) for e in AuditEvent.objects.order_by("seq") if e.object_type == "report"]


def test_an_answer_is_reported_once_until_it_is_closed(trace_id, herself):
    first = report_answer(trace_id, wrong="untrue", actor=herself)
    assert (first.about, first.wrong, first.state, first.trace_id) == ("answer", "untrue", "open", trace_id)
    assert report_answer(trace_id, wrong="missing", actor=herself) == first
    move_report(first.id, "closed", actor=Actor("system", herself.person_id))
    second = report_answer(trace_id, wrong="missing", actor=herself)
    assert second.reference != first.reference
    assert [one.reference for one in reports(actor=herself)] == [second.reference, first.reference]
    assert verbs(herself) == [("report_answer", "untrue"), ("close_report", None), ("report_answer", "missing")]


def test_the_reference_says_whose_it_is_and_is_found_however_it_is_typed(trace_id, herself):
    reference = report_answer(trace_id, wrong="other", actor=herself).reference
    assert owner_of(reference) == herself.person_id
    assert owner_of("R-0000-0000") is None
    assert normal_reference(f"  {reference.lower().replace('-', ' ')} ") == reference
    assert normal_reference(reference[2:]) == reference


@pytest.mark.parametrize(
    ("typed", "stored"),
    [
        pytest.param("r-7k4m-2qxd", "R-7K4M-2QXD", id="small"),
        pytest.param("R–7K4M–2QXD", "R-7K4M-2QXD", id="dashes-of-a-mail-program"),
        pytest.param("R-OK4M-IQXL", "R-0K4M-1QX1", id="letters-for-digits"),
        pytest.param("RK4M2QXD", "R-RK4M-2QXD", id="begins-with-r-itself"),
        pytest.param("R-7K4M-2QX", None, id="too-short"),
        pytest.param("R-7K4M-2Q*D", None, id="no-letter"),
        pytest.param("", None, id="empty"),
    ],
)
def test_a_reference_as_typed(typed, stored):
    assert normal_reference(typed) == stored


def test_an_access_of_others_can_be_questioned_and_an_own_deed_not(trace_id, herself, ada):
    with acting_for(ada.opened):
        theirs = AuditEvent.objects.get(verb="propose")
    questioned = question_access(theirs.pk, actor=herself)
    assert (questioned.about, questioned.event_id, questioned.trace_id) == ("access", theirs.pk, None)
    assert question_access(theirs.pk, actor=herself) == questioned
    assert question_access(trace_id, actor=herself).trace_id == trace_id
    # One is about the answer, the other about the access.
    assert report_answer(trace_id, wrong="other", actor=herself).about == "answer"
    with acting_for(ada.opened):
        own = AuditEvent.objects.filter(verb="report_answer").get()
    with pytest.raises(Conflict, match="own_deed"):
        question_access(own.pk, actor=herself)


def test_others_can_neither_report_nor_see_it(trace_id, herself, stranger, ada):
    report_answer(trace_id, wrong="other", actor=herself)
    for act in (report_answer, question_access):
        fields = {"wrong": "other"} if act is report_answer else {}
        with pytest.raises(NotFound):
            act(trace_id, actor=stranger, **fields)
        with pytest.raises(Conflict, match="person_decides"):
            act(trace_id, actor=ada, **fields)
    assert reports(actor=stranger) == () and len(reports(actor=herself)) == 1
    assert Report.objects.count() == 0
    with pytest.raises(NotFound):
        move_report(reports(actor=herself)[0].id, "taken", actor=stranger)


def test_a_closed_report_stays_closed(trace_id, herself):
    report = report_answer(trace_id, wrong="other", actor=herself)
    desk = Actor("system", herself.person_id)
    assert move_report(report.id, "taken", actor=desk).state == "taken"
    assert move_report(report.id, "closed", actor=desk).state == "closed"
    assert move_report(report.id, "closed", actor=desk).state == "closed"
    with pytest.raises(Conflict, match="report_closed"):
        move_report(report.id, "taken", actor=desk)


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param({"about": "answer", "wrong": None}, id="answer-without-a-word-on-what-is-wrong"),
        pytest.param({"about": "answer", "wrong": "other", "trace_id": None}, id="answer-without-trace"),
        pytest.param({"about": "access", "event_id": uuid.UUID(int=1)}, id="access-to-two-things"),
        pytest.param({"about": "access", "trace_id": None}, id="access-to-nothing"),
        pytest.param({"about": "access", "state": "lost"}, id="unknown-state"),
    ],
)
def test_the_database_holds_what_a_report_is(fields, trace_id, herself):
    report = report_answer(trace_id, wrong="other", actor=herself)
    move_report(report.id, "closed", actor=Actor("system", herself.person_id))
    with pytest.raises(IntegrityError), acting_for(herself.opened), transaction.atomic():
        row = Report.objects.get()
        row.pk, row.reference = uuid.uuid4(), "R-0000-0000"
        for name, value in ({"wrong": None} | fields).items():
            setattr(row, name, value)
        row.save(force_insert=True)
