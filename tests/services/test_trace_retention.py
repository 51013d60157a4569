"""Retrievals go by whole months, with the answers that were given with them; younger ones stay."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from accounts.ids import instant_of, uuid7
from memoryapp.database.isolation import SYSTEM, acting_for
from memoryapp.models import Answer, AuditEvent, RetrievalTrace
from memoryapp.services.trace_retention import drop_old_traces, kept_until

# A table with pending checks cannot be dropped: each step is a transaction of its own, as in the daily round.
pytestmark = pytest.mark.django_db(transaction=True)

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


@pytest.fixture(autouse=True)
def three_months(settings):
    settings.MEMORY_TRACE_MONTHS = 3


@pytest.fixture
def ask_at(ada):
    """`ask_at(2026, 7, 31)`: a retrieval of that day with its answer."""

    def act(*day):
        trace_id = uuid7(int(datetime(*day, tzinfo=UTC).timestamp() * 1000))
        counts = {"offered": 0, "limit": 20, "withheld": {}, "used": {"tokens": 0, "chars": 0}}
        with acting_for(ada.opened):
            RetrievalTrace.objects.bulk_create([
                RetrievalTrace(
                    id=trace_id, created_at=instant_of(trace_id), person_id=ada.opened, agent_key_id=ada.key_id,
                    scopes=["personal"], floor=0.3, budget={"tokens": 800}, policy_version="1", scorer="lexical",
                    items="[]", counts=counts,
                )
            ])  # fmt: skip
            Answer.objects.create(
                person_id=ada.opened, agent_key_id=ada.key_id, answer_id=str(trace_id), trace_id=trace_id,
                text="said", recorded_at=NOW,
            )  # fmt: skip
        return trace_id

    return act


@pytest.fixture
def partition():
    def make(month):
        with connection.cursor() as cursor:
            cursor.execute("select create_trace_partition(%s::date)", [month])

    return make


def kept(ada):
    with acting_for(ada.opened):
        traces = set(RetrievalTrace.objects.values_list("id", flat=True))
        assert traces == set(Answer.objects.values_list("trace_id", flat=True))
    return traces


def has_partition(name):
    with connection.cursor() as cursor:
        cursor.execute("select to_regclass(%s)", [f"memoryapp_retrievaltrace_{name}"])
        return cursor.fetchone()[0] is not None


def test_whole_months_go_and_younger_ones_stay(partition, ask_at, ada):
    for month in ("2026-06-01", "2026-07-01", "2026-08-01"):
        partition(month)
    old = {ask_at(2026, 6, 1), ask_at(2026, 7, 31, 23, 59)}
    young = {ask_at(2026, 8, 1), ask_at(2026, 11, 29)}
    assert kept(ada) == old | young
    assert drop_old_traces(NOW) == ["2026-06", "2026-07"]
    assert kept(ada) == young
    assert (has_partition("2026_07"), has_partition("2026_08"), has_partition("rest")) == (False, True, True)
    with acting_for(SYSTEM):
        dropped = AuditEvent.objects.filter(verb="drop_traces").order_by("seq")
        assert [one.reason for one in dropped] == ["2026-06", "2026-07"]
    assert drop_old_traces(NOW) == []


def test_what_never_had_a_partition_goes_too(ask_at, ada):
    old, young = ask_at(2019, 1, 1), ask_at(2026, 9, 1)
    drop_old_traces(NOW)
    assert kept(ada) == {young} != {old}


@pytest.mark.parametrize(
    ("asked", "until"),
    [
        pytest.param((2026, 8, 1), (2026, 12, 1), id="first-of-a-month"),
        pytest.param((2026, 8, 31), (2026, 12, 1), id="last-of-a-month"),
        pytest.param((2026, 11, 30), (2027, 3, 1), id="over-the-year"),
    ],
)
def test_the_page_names_the_day_on_which_it_goes(asked, until, partition, ask_at, ada):
    at, end = datetime(*asked, tzinfo=UTC), datetime(*until, tzinfo=UTC)
    assert kept_until(at) == end
    partition(f"{at:%Y-%m-01}")
    trace_id = ask_at(*asked)
    drop_old_traces(end - timedelta(seconds=1))
    assert kept(ada) == {trace_id}
    drop_old_traces(end)
    assert kept(ada) == set()


def test_an_ill_named_table_is_left_alone(partition):
    with connection.cursor() as cursor:
        cursor.execute(
            "create table memoryapp_retrievaltrace_1999_01x partition of memoryapp_retrievaltrace"
            " for values from ('1999-01-01 00:00+00') to ('1999-02-01 00:00+00')"
        )
    try:
        drop_old_traces(NOW)
        assert has_partition("1999_01x")
    finally:
        with connection.cursor() as cursor:
            cursor.execute("drop table memoryapp_retrievaltrace_1999_01x")
