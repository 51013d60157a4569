"""What retrieval scans, for many memories at once that are new and stand."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from django.db import connection

from memoryapp.models import Memory, ScopeWord, SearchEntry, TextVector
from memoryapp.policy.relevance.terms import analyse, name_index, term_index
from memoryapp.services import embed_later
from memoryapp.services.indexing import entries_of

_COUNT = f"""
insert into {ScopeWord._meta.db_table} as known (person_id, scope_id, word, memories)
select %s, %s, word, times from unnest(%s::text[], %s::int[]) as counted (word, times) order by word
on conflict (scope_id, word) do update set memories = known.memories + excluded.memories
"""


def index_fresh(memories: Sequence[Memory]) -> None:
    """As `index` for each of them, in a few statements; none of them was indexed before."""
    if not memories:
        return
    entries: list[SearchEntry] = []
    words: dict[UUID, frozenset[str]] = {}
    for memory in memories:
        terms = analyse(memory.text, memory.subject, memory.aliases)
        words[memory.pk] = terms.words
        indices = sorted({*map(term_index, terms.words), *map(name_index, terms.names)})
        entries += entries_of(memory, indices, terms.words)
    SearchEntry.objects.bulk_create(entries)
    by_scope = sorted(memories, key=lambda memory: memory.scope_id)
    with connection.cursor() as cursor:
        for scope_id, theirs in groupby(by_scope, key=lambda memory: memory.scope_id):
            counted = Counter(word for memory in theirs for word in words[memory.pk])
            cursor.execute(_COUNT, [memories[0].person_id, scope_id, list(counted), list(counted.values())])
    TextVector.objects.bulk_create(
        TextVector(
            statement_id=memory.statement_id,
            person_id=memory.person_id,
            memory=memory,
            scope_id=memory.scope_id,
            is_live=True,
        )
        for memory in memories
    )
    embed_later.wake_after_commit()
