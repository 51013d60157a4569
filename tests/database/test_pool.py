"""A connection that lies in the pool is looked at before it is used, without a word to the server."""

import psycopg
import pytest
from django.db import connection

from memoryapp.database.pool import check

pytestmark = pytest.mark.django_db


@pytest.fixture
def pooled():
    with psycopg.connect(**connection.get_connection_params(), autocommit=True) as one:
        yield one


def last_heard_of(one):
    with connection.cursor() as cursor:
        cursor.execute("select pg_stat_clear_snapshot()")
        cursor.execute("select state_change from pg_stat_activity where pid = %s", [one.info.backend_pid])
        return cursor.fetchone()


def test_a_connection_that_stands_is_not_asked(pooled):
    pooled.execute("select 1")
    before = last_heard_of(pooled)
    check(pooled)
    assert last_heard_of(pooled) == before
    pooled.execute("select 1")
    assert last_heard_of(pooled) != before


def test_a_connection_that_the_server_has_ended_is_refused(pooled):
    with connection.cursor() as cursor:
        cursor.execute("select pg_terminate_backend(%s, 5000)", [pooled.info.backend_pid])
    with pytest.raises(psycopg.OperationalError):
        check(pooled)
