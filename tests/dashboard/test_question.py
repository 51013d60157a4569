"""Questioning an access on the activity page."""

import re

import pytest

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Report
from memoryapp.services import audit
from memoryapp.services.locking import writing_for
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reports import move_report, reports

pytestmark = pytest.mark.django_db


@pytest.fixture
def trace_id(remember, ada):
    remember("Likes tea.")
    return recall(ContextRequest(query="tea"), actor=ada)["trace_id"]


@pytest.fixture
def looked(ada):
    """The id of a look that a member of staff had."""
    with writing_for(ada.opened) as now:
        audit.record("view_memory", "memory", None, actor=Actor("staff", person_id=ada.opened), at=now)
        return AuditEvent.objects.get(verb="view_memory").pk


def line(shown, entry_id):
    return shown.split(f'id="e-{entry_id}"')[1].split("</li>")[0]


def test_a_look_and_a_use_can_be_questioned_and_a_change_not(hers, trace_id, looked, ada):
    shown = hers.get("/activity/").content.decode()
    with acting_for(ada.opened):
        change = AuditEvent.objects.get(verb="propose").pk
    assert "Question this access" in line(shown, looked)
    assert "Question this access" in line(shown, trace_id)
    assert "Question this access" not in line(shown, change)


@pytest.mark.parametrize("which", ["look", "use"])
def test_it_is_put_to_the_supervisors_under_a_reference(which, hers, trace_id, looked, herself):
    entry = looked if which == "look" else trace_id
    asked = hers.press(f"/activity/{entry}/question/", {"what": "all"})
    shown = asked.content.decode()
    reference = re.search(r"R-[0-9A-Z]{4}-[0-9A-Z]{4}", line(shown, entry))[0]
    assert "Question this access" not in line(shown, entry) and asked["X-Focus"] == f"e-{entry}"
    assert f"with the supervisors, as {reference}." in shown.split('hx-target="#status"')[1]
    (report,) = reports(actor=herself)
    assert (report.reference, report.about) == (reference, "access")
    hers.press(f"/activity/{entry}/question/", {"what": "all"})
    assert len(reports(actor=herself)) == 1
    move_report(report.id, "closed", actor=Actor("system", herself.person_id))
    again = line(hers.get("/activity/").content.decode(), entry)
    assert reference in again and "Closed" in again and "Question this access" in again


def test_without_scripts_it_comes_back_to_the_same_line(hers, trace_id):
    asked = hers.post(f"/activity/{trace_id}/question/", {"what": "uses", "older": ""})
    assert (asked.status_code, asked["Location"]) == (303, f"/activity/?what=uses#e-{trace_id}")
    assert hers.get(f"/activity/{trace_id}/question/").status_code == 302


def test_a_stranger_cannot(his, hers, trace_id, looked, herself):
    for entry in (trace_id, looked):
        assert his.post(f"/activity/{entry}/question/").status_code == 404
    assert reports(actor=herself) == () and Report.objects.count() == 0
    assert hers.post(f"/activity/{looked}/question/").status_code == 303


def test_a_use_leads_to_its_answer(hers, trace_id):
    assert f'href="/answers/{trace_id}/"' in hers.get("/activity/?what=uses").content.decode()
