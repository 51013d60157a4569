"""Keeping what retrieval scans in step with a memory's head, in the same transaction."""

from collections import Counter
from collections.abc import Sequence
from itertools import batched, groupby

from django.db import connection
from django.db.models import Model

from memoryapp.models import Memory, ScopeWord, SearchEntry, TextVector
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.relevance.terms import ANALYSIS, analyse, name_index, term_index
from memoryapp.services import embed_later
from memoryapp.services.rows import Statement, insert

_COUNT = f"""
insert into {ScopeWord._meta.db_table} as known (person_id, scope_id, word, memories)
select %s, %s, word, times from unnest(%s::text[], %s::int[]) as counted (word, times) order by word
on conflict (scope_id, word) do update set memories = known.memories + excluded.memories
"""
_DISCOUNT = f"""
update {ScopeWord._meta.db_table} set memories = memories - 1 where scope_id = %s and word = any(%s) and memories > 1
"""
_DROP = f"delete from {ScopeWord._meta.db_table} where scope_id = %s and word = any(%s) and memories <= 1"
_WAIT_FOR_VECTOR = f"""
insert into {TextVector._meta.db_table} as known (
    statement_id, person_id, memory_id, scope_id, is_live, model, dimension
) values (%s, %s, %s, %s, true, '', 0)
on conflict (statement_id) do update set is_live = true, scope_id = excluded.scope_id
    where not known.is_live or known.scope_id <> excluded.scope_id
"""
_CONFIRM = f"update {SearchEntry._meta.db_table} set confirmed_at = %s where memory_id = %s"
_NOT_LIVE = f"""
update {TextVector._meta.db_table} set is_live = false
where memory_id = %s and is_live and statement_id is distinct from %s::uuid
"""
_NO_VECTOR = f"delete from {TextVector._meta.db_table} where memory_id = %s"


def unindex(memory: Memory) -> None:
    """Takes the memory out of what its scope is searched by. To be called before it goes to another scope."""
    gone = _discounting(memory, _take_out(memory))
    if gone:
        insert(also=gone)


def confirming(memory: Memory) -> Statement:
    """Takes over when the memory was last confirmed, where nothing else of it has changed."""
    return _CONFIRM, (memory.confirmed_at, memory.pk)


def insert_indexed(memory: Memory, *rows: Model) -> None:
    """Inserts a new memory, with these rows, and what it is found by."""
    entries, words = _found_by(memory)
    insert(memory, *rows, *entries, also=[*_counting(memory, words), *_vector_for(memory)])


def index(memory: Memory) -> None:
    """Writes the memory's search entries anew, and counts its words in its scope; none unless it stands undisputed."""
    before = _take_out(memory)
    entries, words = _found_by(memory)
    counts = [*_discounting(memory, before - words), *_counting(memory, words - before)]
    insert(*entries, also=[*counts, *_vector_for(memory), _other_vectors(memory)])


def _found_by(memory: Memory) -> tuple[list[SearchEntry], frozenset[str]]:
    """Its search entries, not saved, and the words that are counted; none unless it stands undisputed."""
    if memory.state not in LIVING or memory.disputed:
        return [], frozenset()
    return entries_of(memory)


def _counting(memory: Memory, words: frozenset[str]) -> list[Statement]:
    return [(_COUNT, (memory.person_id, memory.scope_id, sorted(words), [1] * len(words)))] if words else []


def _vector_for(memory: Memory) -> list[Statement]:
    """A standing memory has a row for the vector of its value."""
    if memory.state not in LIVING:
        return []
    embed_later.wake_after_commit()
    return [(_WAIT_FOR_VECTOR, (memory.statement_id, memory.person_id, memory.pk, memory.scope_id))]


def _other_vectors(memory: Memory) -> Statement:
    """Those of its former values serve looks at the past; what is forgotten has none."""
    if memory.state == State.FORGOTTEN:
        return _NO_VECTOR, (memory.pk,)
    return _NOT_LIVE, (memory.pk, memory.statement_id if memory.state in LIVING else None)


def _discounting(memory: Memory, words: frozenset[str]) -> list[Statement]:
    if not words:
        return []
    gone = (memory.scope_id, sorted(words))
    return [(_DROP, gone), (_DISCOUNT, gone)]


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
            analysis=ANALYSIS,
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
