"""Real threads on the real database, each with its own connection."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection


@pytest.fixture
def many_connections(transactional_db):
    """A pool in which no thread has to give up waiting, however slow the machine is."""
    pool = connection.pool
    size, timeout = (pool.min_size, pool.max_size), pool.timeout
    pool.resize(1, 32)
    pool.timeout = 60
    yield
    pool.resize(*size)
    pool.timeout = timeout


@pytest.fixture
def at_once(many_connections):
    """Starts all calls at the same moment and gives what each returned or raised, in their order."""

    def act(*calls):
        start = threading.Barrier(len(calls))

        def run(call):
            start.wait()
            try:
                return call()
            except Exception as error:  # noqa: BLE001 what was raised is a result to look at
                return error
            finally:
                connection.close()

        with ThreadPoolExecutor(len(calls)) as threads:
            return list(threads.map(run, calls))

    return act
