"""What the frameworks do anew for each test although it comes out the same: done once for all tests of a process."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

import pytest
from _pytest import runner
from django.core.management.color import no_style
from django.db import connection
from django.test import TransactionTestCase
from psycopg import _queries
from psycopg._preparing import PrepareManager
from whitenoise.middleware import WhiteNoiseMiddleware

_MADE_BY_MIGRATIONS = {"django_content_type", "auth_permission"}


@contextmanager
def quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        _look_for_static_files_once(patch)
        _empty_tables_alone(patch)
        _keep_what_is_prepared(patch)
        _read_long_statements_once(patch)
        patch.setattr(runner, "runtestprotocol", _with_room(runner.runtestprotocol))
        yield


def _look_for_static_files_once(patch: pytest.MonkeyPatch) -> None:
    """Every browser of a test makes the middleware anew, which would go through all static files each time."""
    found: dict[str, Any] = {}
    look = WhiteNoiseMiddleware.add_files_from_finders

    def look_once(middleware: WhiteNoiseMiddleware) -> None:
        if not found:
            look(middleware)
            found.update(middleware.files)
        middleware.files.update(found)

    patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", look_once)


def _empty_tables_alone(patch: pytest.MonkeyPatch) -> None:
    """What a test has committed goes; what the migrations wrote stays, and need not be written again."""

    def empty(case: TransactionTestCase) -> None:
        tables = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
        flush = connection.ops.sql_flush(no_style(), sorted(tables - _MADE_BY_MIGRATIONS))
        connection.ops.execute_sql_flush(flush)

    patch.setattr(TransactionTestCase, "_fixture_teardown", empty)


def _keep_what_is_prepared(patch: pytest.MonkeyPatch) -> None:
    """A rollback may have undone tables that prepared statements name, so psycopg forgets them all: at each test's end.

    Here they stay, as they do in a service that goes on for days.
    """
    patch.setattr(PrepareManager, "clear", lambda manager: False)
    patch.setattr(PrepareManager, "prepared_max", 500)


def _read_long_statements_once(patch: pytest.MonkeyPatch) -> None:
    """The places of parameters are looked for in each statement, which is remembered only where it has few of them."""
    patch.setattr(_queries, "MAX_CACHED_STATEMENT_LENGTH", 20_000)
    patch.setattr(_queries, "MAX_CACHED_STATEMENT_PARAMS", 200)
    patch.setattr(_queries, "_query2pg", lru_cache(maxsize=2_000)(_queries._query2pg_nocache))


def _with_room[**P, R](act: Callable[P, R]) -> Callable[P, R]:
    """For all that it calls. Python keeps frames in pieces of 16 kB: calls that go in and out at the end of one ask the
    system for memory and give it back each time, a tenth of all time. A frame that needs more gets a piece that holds
    it, a megabyte here, of which half is left for those above."""

    def roomy(*args: P.args, **kwargs: P.kwargs) -> R:
        return act(*args, **kwargs)

    roomy.__code__ = roomy.__code__.replace(co_stacksize=70_000)
    return roomy
