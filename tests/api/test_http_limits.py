from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection

from memoryapp.services.rate_limit import count_call


def test_it_sets_no_limit_by_default(api, settings):
    assert settings.MEMORY_RATE_LIMIT_PER_MINUTE == 0
    assert {api.get("/me").status_code for _ in range(5)} == {200}


@pytest.fixture
def within_one_minute(db):
    """The window ends with the minute of the database's clock: waits for the next one when little is left."""
    with connection.cursor() as cursor:
        cursor.execute("select pg_sleep(case when extract(second from clock_timestamp()) > 55 then 5.1 else 0 end)")


def test_it_refuses_calls_beyond_the_limit_and_says_when_to_come_back(api, key_of, settings, within_one_minute):
    settings.MEMORY_RATE_LIMIT_PER_MINUTE = 3
    assert [api.get("/me").status_code for _ in range(5)] == [200, 200, 200, 429, 429]
    refused = api.post("/memories", {"user": "ada", "kind": "preference", "subject": "units", "text": "Metric."})
    assert refused.status_code == 429
    assert 1 <= int(refused["Retry-After"]) <= 60
    assert refused["Content-Type"] == "application/problem+json"
    assert key_of("other").get("/memories", user="ada").json()["count"] == 0


def test_it_counts_anew_in_the_next_minute(api, settings, within_one_minute):
    settings.MEMORY_RATE_LIMIT_PER_MINUTE = 1
    assert [api.get("/me").status_code for _ in range(2)] == [200, 429]
    with connection.cursor() as cursor:
        cursor.execute("update accounts_ratewindow set minute = minute - 1")
    assert [api.get("/me").status_code for _ in range(2)] == [200, 429]


@pytest.mark.django_db(transaction=True)
def test_it_counts_exactly_when_calls_come_together(key_of, settings, within_one_minute):
    settings.MEMORY_RATE_LIMIT_PER_MINUTE = 10
    key = key_of().key

    def call(_):
        try:
            return count_call(key.id)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as threads:
        waits = list(threads.map(call, range(25)))
    assert waits.count(None) == 10
    assert all(1 <= wait <= 60 for wait in waits if wait is not None)
