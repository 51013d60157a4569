"""Without a running grant the database itself shows the desk no content, and what it tells all the same holds none."""

import re
from uuid import UUID

import pytest
from django.apps import apps
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.database.isolation import acting_for, without_content
from memoryapp.models import Decision, Memory
from memoryapp.services.reports import report_answer
from memoryapp.services.states import pause
from tests.support.conftest import CANARY

pytestmark = pytest.mark.django_db

WITH_CONTENT = [
    "answer", "confirmation", "decision", "dispute", "episode", "idempotencyrecord", "memory", "memoryversion",
    "retrievaltrace", "scopeword", "searchentry", "textvector", "tombstone", "upload",
]  # fmt: skip
RECORDS = {
    "auditcheckpoint", "auditevent", "audithead", "bulkrun", "grant", "receipt", "report", "retention",
    "reveal", "staffproposal",
}  # fmt: skip
TELLS = {"desk_trace", "desk_latest", "desk_answers", "desk_fates", "pauses_of", "desk_digests"}
WORDS = {"text", "source", "content", "query", "subject", "subject_key", "aliases", "reason", "metadata", "terms"}


def count(table):
    with connection.cursor() as cursor:
        cursor.execute(f"select count(*) from memoryapp_{table}")
        return cursor.fetchone()[0]


def counts():
    return {table: count(table) for table in WITH_CONTENT}


def test_without_a_grant_every_table_with_content_is_empty(trace, ada):
    with acting_for(ada.person_id):
        hers = counts()
        with without_content():
            assert counts() == dict.fromkeys(WITH_CONTENT, 0)
        assert counts() == hers
    for table in ("answer", "decision", "episode", "memory", "memoryversion", "retrievaltrace", "searchentry"):
        assert hers[table] > 0, table


def test_nothing_is_changed_without_content(trace, ada):
    with acting_for(ada.person_id):
        with without_content():
            assert Memory.objects.update(pinned=True) == 0
        assert Memory.objects.update(pinned=True) > 0 and Decision.objects.exists()


def test_every_personal_table_is_one_or_the_other():
    personal = {
        model._meta.db_table.removeprefix("memoryapp_")
        for model in apps.get_app_config("memoryapp").get_models()
        if any(field.name in ("person", "person_id") for field in model._meta.get_fields())
    }
    assert personal - RECORDS == set(WITH_CONTENT)


def test_what_is_told_has_no_column_for_words():
    with connection.cursor() as cursor:
        cursor.execute(
            "select proname::text, array_agg(name) from pg_proc,"
            " unnest(proargnames, proargmodes) as argument (name, mode)"
            " where (proname like 'desk%' or proname = 'pauses_of') and mode = 't' group by proname"
        )
        columns = dict(cursor.fetchall())
    assert columns.keys() == TELLS
    for name, told in columns.items():
        assert WORDS.isdisjoint(told), name


def calls(trace):
    """Every call that tells the desk something, with its values."""
    ids, numbers = [UUID(one["id"]) for one in trace["memories"]], [one["version"] for one in trace["memories"]]
    trace_id = UUID(trace["trace_id"])
    return {
        "desk_trace(%s, instant_of(%s))": [trace_id, trace_id],
        "desk_latest(9)": [],
        "desk_answers(%s, 9)": [trace_id],
        "desk_fates(%s, %s)": [ids, numbers],
        "pauses_of(%s, %s)": [ids, [9] * len(ids)],
        "desk_digests(%s, %s, %s, %s)": [ids, numbers, b"a" * 64, b"b" * 64],
    }


def told(call, values):
    with connection.cursor() as cursor:
        cursor.execute(f"select * from {call}", values)
        return cursor.fetchall()


def test_what_is_told_holds_no_word(trace, ada, herself):
    pause(trace["memories"][0]["id"], actor=herself)
    assert {call.split("(")[0] for call in calls(trace)} == TELLS
    with acting_for(ada.person_id), without_content():
        for call, values in calls(trace).items():
            rows = told(call, values)
            assert rows != [], call
            # The names of scopes are told: a grant is for scopes. They are masked before anybody sees them.
            assert CANARY not in repr(rows).casefold().replace(f"{CANARY}-trip", ""), call
        assert counts() == dict.fromkeys(WITH_CONTENT, 0), "the reading ends with the function"


def test_they_tell_of_the_open_person_only(trace, ben, herself):
    pause(trace["memories"][0]["id"], actor=herself)
    with acting_for(ben.person_id), without_content():
        for call, values in calls(trace).items():
            assert {value for row in told(call, values) for value in row} <= {None, False}, call


def test_the_desk_reads_no_table_with_content_before_a_grant(sols, trace, page_of, herself, open_grant):
    report = report_answer(UUID(trace["trace_id"]), wrong="untrue", actor=herself)
    with_content = re.compile(rf"\bmemoryapp_({'|'.join(WITH_CONTENT)})\b")

    def reads():
        return [query["sql"] for query in queries if with_content.search(query["sql"])]

    with CaptureQueriesContext(connection) as queries:
        for name in ("ans-1", trace["trace_id"], report.reference, "zanzibar-talk", "ada"):
            assert sols.post("/support/", {"name": name}).status_code == 303, name
        for address in ("", "?poll=1", "grant/", "bundle.json", "print/"):
            assert sols.get(page_of + address).status_code == 200, address
        grant_id = open_grant()
    assert len(queries) > 50 and reads() == []
    item = f"request:{trace['trace_id']}"
    with CaptureQueriesContext(connection) as queries:
        assert sols.post(f"/support/grants/{grant_id}/show/", {"item": item}).status_code == 303
        sols.get(page_of)
    assert reads() != []
