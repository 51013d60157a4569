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
from psycopg.errors import error_from_result
from psycopg.pq import ConnStatus, Escaping, ExecStatus, TransactionStatus

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
    if connection.in_atomic_block:
        with _savepoint_with(name, value):
            yield
    else:
        with transaction.atomic():
            _tell(b"set local %b = %b", _bare(name), _quoted(value))
            # The end of the transaction ends its settings, and a rollback undoes them.
            yield


@contextmanager
def _savepoint_with(name: str, value: str) -> Iterator[None]:
    """As `transaction.atomic` inside a transaction, with the setting in the messages of the savepoint.

    It is Django's block, which rolls back to the savepoint that stands in `savepoint_ids`, and forgets what was to be
    done on commit; with none there it leaves the server alone.
    """
    with transaction.atomic(savepoint=False):
        connection.savepoint_state += 1
        savepoint = f"setting{connection.savepoint_state}"
        former = _tell(
            # The target list goes left to right.
            b"savepoint %b; select current_setting(%b, true), set_config(%b, %b, true)",
            _bare(savepoint), _quoted(name), _quoted(name), _quoted(value),
        )  # fmt: skip
        connection.savepoint_ids[-1] = savepoint
        yield
        if not connection.needs_rollback:
            _tell(b"set local %b = %b; release savepoint %b", _bare(name), _quoted(former), _bare(savepoint))
            connection.savepoint_ids[-1] = None  # type: ignore[call-overload]  # as Django does


def _tell(message: bytes, *parts: bytes) -> str:
    """Sends statements as one message, for which a cursor needs one each. Returns the last one's first value, or "".

    As cursors do, it begins the transaction when nothing was said in it yet; theirs go on in it. Whatever is set here
    is the transaction's: a session's setting would leak by the pool.
    """
    connection.validate_no_broken_transaction()
    with connection.wrap_database_errors:
        session = connection.connection.pgconn
        begin = b"begin; " if session.transaction_status == TransactionStatus.IDLE else b""
        result = session.exec_(begin + message % parts)
        if result.status not in (ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK):
            is_gone = session.status == ConnStatus.BAD
            raise OperationalError(result.get_error_message()) if is_gone else error_from_result(result)
        return (result.get_value(0, 0) or b"").decode()


def _bare(name: str) -> bytes:
    return name.encode()


def _quoted(value: str) -> bytes:
    return bytes(Escaping(connection.connection.pgconn).escape_literal(value.encode()))
