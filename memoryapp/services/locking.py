"""The order of writers: one at a time per person."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from django.db import connection

from accounts.ids import behind
from memoryapp.database.isolation import acting_for


@contextmanager
def writing_for(person_id: UUID) -> Iterator[datetime]:
    """A transaction that acts for the person and is its only writer. Yields the instant after the lock was taken.

    Other patterns (insert or do nothing, upsert, row locks) deadlock when two batches come in opposite orders.
    """
    with acting_for(person_id):
        with connection.cursor() as cursor:
            # The database's clock is one for all hosts. It is read after the lock: the target list goes left to right.
            cursor.execute(
                "select pg_advisory_xact_lock(hashtextextended(%s, 0)), clock_timestamp()", [f"person {person_id}"]
            )
            now: datetime = cursor.fetchone()[1] - behind()
        # The next statement sees what the writer before us committed: READ COMMITTED takes a new snapshot.
        yield now
