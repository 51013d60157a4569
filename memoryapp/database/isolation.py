"""Row-level isolation: which person a transaction acts for.

Every table with personal content has a forced policy on `app.person`, a setting of the transaction. Without
`acting_for` nothing is visible; wide access is a named context with a reason from `WideReason`.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Literal
from uuid import UUID

from django.db import connection, transaction
from psycopg import OperationalError
from psycopg.pq import Escaping, ExecStatus

WideReason = Literal[
    "audit_retention",
    "audit_size",
    "embedding",
    "former_analysis",
    "idempotency",
    "kept_for",
    "leak_figures",
    "leaks",
    "ledger",
    "ledger_since",
    "links",
    "retention",
    "staff_audit",
    "staff_grants",
    "staff_past",
    "staff_reports",
    "stale",
    "trace_retention",
    "trash",
    "uploads",
    "verify_audit",
]
"""Why a transaction may see the rows of many persons. Each has one caller."""

SYSTEM = UUID(int=0)
"""Stands for nobody: the audit chain of what concerns no person, such as service keys."""


@contextmanager
def acting_for(person_id: UUID) -> Iterator[None]:
    """A transaction that sees and writes exactly this person's rows. Nests, and restores the former person."""
    with _setting("app.person", str(person_id)):
        yield


@contextmanager
def acting_alone_for(person_id: UUID) -> Iterator[datetime]:
    """As `acting_for`, once nobody else is in such a transaction of this person. Yields the instant since then.

    The database's clock is one for all hosts. It is read after the lock: the target list goes left to right.
    """
    with acting_for(person_id):
        with connection.cursor() as cursor:
            cursor.execute(
                "select pg_advisory_xact_lock(hashtextextended(%s, 0)), clock_timestamp()", [f"person {person_id}"]
            )
            now: datetime = cursor.fetchone()[1]
        yield now


@contextmanager
def wide_access(reason: WideReason) -> Iterator[None]:
    """A transaction that sees every person's rows, for a reason that stands in the code."""
    with _setting("app.wide", reason):
        yield


@contextmanager
def under_grant(grant_id: UUID) -> Iterator[None]:
    """Inside `acting_for` the grant's person: content is read while that grant runs, and none is written."""
    with _setting("app.staff", str(grant_id)):
        yield


@contextmanager
def without_content() -> Iterator[None]:
    """Inside `acting_for`: as staff without a grant, to whom tables with content are empty.

    What they may know all the same, functions of the database tell.
    """
    with _setting("app.staff", str(SYSTEM)):
        yield


@contextmanager
def erasing(person_id: UUID) -> Iterator[None]:
    """Inside `acting_for(person_id)`: the append-only tables let this person's rows be deleted. For one service."""
    with _setting("app.erasing", str(person_id)):
        yield


@contextmanager
def _setting(name: str, value: str) -> Iterator[None]:
    nested = connection.in_atomic_block
    with transaction.atomic():
        if not nested:
            _begin_with(name, value)
            # The end of the transaction ends its settings, and a rollback undoes them.
            yield
        else:
            former = _set(name, value)
            yield
            _set(name, former)


def _begin_with(name: str, value: str) -> None:
    """Begins the transaction with the setting, in one message: cursors send two. Theirs go on in that transaction.

    A session's setting would leak by the pool.
    """
    with connection.wrap_database_errors:
        session = connection.connection.pgconn
        quoted = Escaping(session).escape_literal(value.encode())
        result = session.exec_(b"begin; set local %b = %b" % (name.encode(), quoted))
        if result.status != ExecStatus.COMMAND_OK:
            # There is nothing to refuse in it: the server is going, or gone.
            raise OperationalError(result.get_error_message())


def _set(name: str, value: str) -> str:
    """Sets it for the rest of the transaction and returns what it was."""
    with connection.cursor() as cursor:
        cursor.execute(
            "with former as materialized (select coalesce(current_setting(%s, true), '') as value)"
            " select former.value, set_config(%s, %s, true) from former",
            [name, name, value],
        )
        former: str = cursor.fetchone()[0]
        return former
