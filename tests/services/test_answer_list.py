"""The list of answers: latest first, narrowed by what the address says, a page at a time."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.actors import Actor
from memoryapp.services.agents import actor_of, ensure_person
from memoryapp.services.answer_list import AnswerFilters, answers
from memoryapp.services.errors import Invalid
from memoryapp.services.keys import create_key
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reports import report_answer
from memoryapp.services.switches import set_use
from memoryapp.services.traces import join_answer
from tests.alike import alike

pytestmark = pytest.mark.django_db


@pytest.fixture
def life(remember, ada, herself):
    """Four retrievals by two agents; the third used nothing, the last was not allowed to."""
    remember("Atlas uses PostgreSQL.", kind="fact", subject="db", scope="atlas")
    remember("Uses the metric system.", kind="fact", subject="units", scope="personal")
    other = ensure_person(actor_of(create_key("other", actor=Actor("system"))[0]), "ada")
    asked = {
        "db": recall(ContextRequest(scopes=("atlas",), query="Is PostgreSQL used?"), actor=ada),
        "units": recall(ContextRequest(query="metric system"), actor=other),
        "noise": recall(ContextRequest(scopes=("atlas",), query="zebra crossing"), actor=ada),
    }
    set_use(False, actor=herself)
    asked["off"] = recall(ContextRequest(query="metric"), actor=ada)
    ids = {name: uuid.UUID(one["trace_id"]) for name, one in asked.items()}
    join_answer(ids["db"], answer_id="ans/1 ü", model=None, text=None, actor=ada)
    report_answer(ids["units"], wrong="other", actor=herself)
    return ids, other


@alike(
    ("filters", "names"),
    [
        pytest.param({}, ["off", "noise", "units", "db"], id="all-latest-first"),
        pytest.param({"q": "POSTGRES"}, ["db"], id="words-of-the-request"),
        pytest.param({"q": "ans/1 ü"}, ["db"], id="the-agents-id-exactly"),
        pytest.param({"q": "ans/1"}, [], id="not-a-part-of-it"),
        pytest.param({"scope": "atlas"}, ["noise", "db"], id="scope"),
        pytest.param({"outcome": "used"}, ["units", "db"], id="used"),
        pytest.param({"outcome": "nothing"}, ["off", "noise"], id="nothing"),
        pytest.param({"outcome": "reported"}, ["units"], id="reported"),
        pytest.param({"scope": "atlas", "outcome": "nothing"}, ["noise"], id="both"),
        pytest.param({"since": datetime.now(UTC) + timedelta(days=1)}, [], id="since"),
    ],
)
def test_it_is_narrowed(filters, names, life, herself):
    ids, _ = life
    found = answers(AnswerFilters(**filters), actor=herself)
    assert [one.trace_id for one in found.rows] == [ids[name] for name in names]
    assert found.count == len(names)


def test_each_says_what_became_of_it(life, herself):
    ids, other = life
    found = answers(AnswerFilters(agent=other.key_id), actor=herself)
    assert [(one.agent, one.sent, one.offered) for one in found.rows] == [("other", 1, 1)]
    assert found.rows[0].report.startswith("R-")
    rows = {one.trace_id: one for one in answers(AnswerFilters(), actor=herself).rows}
    assert rows[ids["db"]].answer_id == "ans/1 ü" and rows[ids["db"]].report is None
    assert (rows[ids["noise"]].sent, rows[ids["noise"]].offered, rows[ids["off"]].notice) == (0, 2, "use_off")
    assert [(name, n) for _, name, n in found.agents] == [("bot", 3), ("other", 1)]
    assert found.scopes == [("atlas", 2), ("personal", 2)]


def test_pages_have_every_one_once(life, herself, ada):
    for number in range(5):
        recall(ContextRequest(query=f"more {number}"), actor=ada)
    seen, cursor = [], None
    while True:
        page = answers(AnswerFilters(), actor=herself, cursor=cursor, limit=2)
        seen += [one.trace_id for one in page.rows]
        assert page.count == 9
        cursor = page.older
        if cursor is None:
            break
    assert len(seen) == len(set(seen)) == 9 and seen == sorted(seen, reverse=True)
    with pytest.raises(Invalid):
        answers(AnswerFilters(), actor=herself, cursor="nonsense")


def test_others_see_their_own(life, ben, herself):
    stranger = replace(ben, kind="person", key_id=None)
    assert answers(AnswerFilters(), actor=stranger).rows == ()
    assert answers(AnswerFilters(q="PostgreSQL"), actor=stranger).count == 0
    assert answers(AnswerFilters(q="PostgreSQL"), actor=herself).count == 1


def test_it_reads_as_often_for_many(life, herself, ada):
    with CaptureQueriesContext(connection) as few:
        answers(AnswerFilters(q="e"), actor=herself)
    for number in range(30):
        recall(ContextRequest(query=f"more {number}"), actor=ada)
    with CaptureQueriesContext(connection) as many:
        answers(AnswerFilters(q="e"), actor=herself)
    assert len(many) == len(few)
