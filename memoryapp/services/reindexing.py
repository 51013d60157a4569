"""What an earlier version made of the memories' texts is made anew: an upgraded store finds them as a new one would."""

from contextlib import suppress
from itertools import groupby
from uuid import UUID

from django.db import connection

from accounts.actors import Actor
from memoryapp.database.isolation import wide_access
from memoryapp.models import Memory, SearchEntry
from memoryapp.policy.relevance.terms import ANALYSIS
from memoryapp.services.errors import NotFound
from memoryapp.services.indexing import index
from memoryapp.services.writing import writer_for

AT_ONCE = 50
"""So many memories are looked for at a time, and those of one person written while nobody else writes about them."""

_FIRST = UUID(int=0), UUID(int=0)


def reindex() -> None:
    """All of it, a few memories at a time. Ended in the midst, it goes on where it was when it is called again."""
    last = _FIRST
    while found := _after(*last):
        for person_id, memory_ids in groupby(found, key=lambda one: one[0]):
            with suppress(NotFound), writer_for(Actor("system", person_id=person_id)):
                # Of what was written or erased meanwhile nothing is left to be made anew.
                former = SearchEntry.objects.filter(
                    person_id=person_id, memory_id__in=[memory_id for _, memory_id in memory_ids], analysis__lt=ANALYSIS
                )
                for memory in Memory.objects.filter(pk__in=former.values("memory_id")):
                    index(memory)
        last = found[-1]


def is_due() -> bool:
    """Whether there is anything to be made anew."""
    return bool(_after(*_FIRST))


# The number stands in the statement, so that each plan of it knows the index of former ones.
_FORMER = f"""
select distinct person_id, memory_id from {SearchEntry._meta.db_table}
where analysis < {ANALYSIS} and (person_id, memory_id) > (%s, %s) order by person_id, memory_id limit %s
"""


def _after(person_id: UUID, memory_id: UUID) -> list[tuple[UUID, UUID]]:
    """The next of them, by person."""
    with wide_access("former_analysis"), connection.cursor() as cursor:
        cursor.execute(_FORMER, [person_id, memory_id, AT_ONCE])
        found: list[tuple[UUID, UUID]] = cursor.fetchall()
        return found
