"""The order of writers: one at a time per person."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from accounts.ids import behind
from memoryapp.database.isolation import acting_alone_for


@contextmanager
def writing_for(person_id: UUID) -> Iterator[datetime]:
    """A transaction that acts for the person and is its only writer. Yields the instant after the lock was taken.

    Other patterns (insert or do nothing, upsert, row locks) deadlock when two batches come in opposite orders.
    """
    with acting_alone_for(person_id) as now:
        # The next statement sees what the writer before us committed: READ COMMITTED takes a new snapshot.
        yield now - behind()
