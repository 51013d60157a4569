"""What only the person may do, on their own page."""

from collections.abc import Iterator
from contextlib import contextmanager

from accounts.actors import Actor
from memoryapp.services.errors import Conflict
from memoryapp.services.writing import Writer, writer_for


@contextmanager
def writing_as_person(actor: Actor) -> Iterator[Writer]:
    """A write transaction of the person themselves. Conflict `person_decides` for anybody else."""
    if actor.kind != "person":
        raise Conflict("person_decides", "Only the person can do this, on their own page.")
    with writer_for(actor) as writer:
        yield writer
