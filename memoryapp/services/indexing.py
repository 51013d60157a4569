"""Keeping what retrieval scans in step with a memory's head, in the same transaction."""

from collections import Counter
from collections.abc import Sequence
from itertools import batched, groupby

from django.db import connection

from memoryapp.models import Memory, ScopeWord, SearchEntry, TextVector
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.relevance.terms import analyse, name_index, term_index
from memoryapp.services import embed_later

_COUNT = f"""
insert into {ScopeWord._meta.db_table} as known (person_id, scope_id, word, memories)
select %s, %s, word, times from unnest(%s::text[], %s::int[]) as counted (word, times) order by word
on conflict (scope_id, word) do update set memories = known.memories + excluded.memories
"""
_DISCOUNT = f"""
update {ScopeWord._meta.db_table} set memories = memories - 1 where scope_id = %s and word = any(%s)
"""
_DROP = f"delete from {ScopeWord._meta.db_table} where scope_id = %s and word = any(%s) and memories = 0"
_WAIT_FOR_VECTOR = f"""
with other as (
    update {TextVector._meta.db_table} set is_live = false
    where memory_id = %(memory)s and statement_id <> %(statement)s and is_live
)
insert into {TextVector._meta.db_table} as known (
    statement_id, person_id, memory_id, scope_id, is_live, model, dimension
) values (%(statement)s, %(person)s, %(memory)s, %(scope)s, true, '', 0)
on conflict (statement_id) do update set is_live = true, scope_id = excluded.scope_id
    where not known.is_live or known.scope_id <> excluded.scope_id
"""


def unindex(memory: Memory) -> None:
    """Takes the memory out of what its scope is searched by. To be called before it goes to another scope."""
    _count(memory, gone=sorted(_take_out(memory)), fresh=[])


def confirm(memory: Memory) -> None:
    """Takes over when the memory was last confirmed, where nothing else of it has changed."""
    SearchEntry.objects.filter(memory_id=memory.pk).update(confirmed_at=memory.confirmed_at)


def index(memory: Memory) -> None:
    """Writes the memory's search entries anew, and counts its words in its scope; none unless it stands undisputed."""
    before = _take_out(memory)
    words: frozenset[str] = frozenset()
    if memory.state in LIVING and not memory.disputed:
        entries, words = entries_of(memory)
        SearchEntry.objects.bulk_create(entries)
    _count(memory, gone=sorted(before - words), fresh=sorted(words - before))
    _keep_vector(memory)


def _keep_vector(memory: Memory) -> None:
    """A standing memory has a row for the vector of its value, what is forgotten has none."""
    if memory.state in LIVING:
        parameters = {
            "statement": memory.statement_id,
            "person": memory.person_id,
            "memory": memory.pk,
            "scope": memory.scope_id,
        }
        with connection.cursor() as cursor:
            cursor.execute(_WAIT_FOR_VECTOR, parameters)
        embed_later.wake_after_commit()
    elif memory.state == State.FORGOTTEN:
        TextVector.objects.filter(memory=memory).delete()
    else:
        TextVector.objects.filter(memory=memory).update(is_live=False)


def _count(memory: Memory, *, gone: list[str], fresh: list[str]) -> None:
    with connection.cursor() as cursor:
        if gone:
            cursor.execute(_DISCOUNT, [memory.scope_id, gone])
            cursor.execute(_DROP, [memory.scope_id, gone])
        if fresh:
            cursor.execute(_COUNT, [memory.person_id, memory.scope_id, fresh, [1] * len(fresh)])


def _take_out(memory: Memory) -> frozenset[str]:
    """Deletes the memory's entries and returns the words that they counted."""
    with connection.cursor() as cursor:
        cursor.execute(f"delete from {SearchEntry._meta.db_table} where memory_id = %s returning words", [memory.pk])
        return frozenset(word for (words,) in cursor.fetchall() for word in words)


def entries_of(memory: Memory) -> tuple[list[SearchEntry], frozenset[str]]:
    """The memory's search entries, not saved, and the words that they count."""
    terms = analyse(memory.text, memory.subject, memory.aliases)
    indices = sorted({*map(term_index, terms.words), *map(name_index, terms.names)})
    ends = [end for end in (memory.valid_to, memory.expires_at) if end]
    entries = [
        SearchEntry(
            person_id=memory.person_id,
            memory_id=memory.pk,
            part=part,
            scope_id=memory.scope_id,
            version=memory.version,
            kind=memory.kind,
            state=memory.state,
            pinned=memory.pinned,
            confirmed_at=memory.confirmed_at,
            valid_from=memory.valid_from,
            valid_until=min(ends, default=None),
            terms=dict.fromkeys(some, 1.0),
            words=sorted(terms.words) if part == 0 else [],
        )
        # A memory without any word still has a part, so that it is counted, and sent when it is always on.
        for part, some in enumerate(batched(indices, SearchEntry.TERMS_PER_PART) if indices else [()])
    ]
    return entries, terms.words


def index_fresh(memories: Sequence[Memory]) -> None:
    """As `index` for each of them, in a few statements; none of them was indexed before."""
    if not memories:
        return
    made = {memory.pk: entries_of(memory) for memory in memories}
    SearchEntry.objects.bulk_create(entry for entries, _ in made.values() for entry in entries)
    by_scope = sorted(memories, key=lambda memory: memory.scope_id)
    with connection.cursor() as cursor:
        for scope_id, theirs in groupby(by_scope, key=lambda memory: memory.scope_id):
            times = Counter(word for memory in theirs for word in made[memory.pk][1])
            cursor.execute(_COUNT, [memories[0].person_id, scope_id, list(times), list(times.values())])
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
