"""What a scope is searched by, as arrays: dates, hashed words and vectors of its memories, and the list of all words
that the scope knows. No text of a memory, nor which memory has which word.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from sys import intern
from typing import Any, Self
from uuid import UUID

import numpy as np
from django.db import connection
from numpy.typing import NDArray
from psycopg.pq import Format

from memoryapp.models.memory import State

ROW = np.dtype(
    [
        ("high", "u8"),
        ("low", "u8"),
        ("version", "i4"),
        ("kind", "O"),
        ("state", "O"),
        ("is_current", "?"),
        ("is_always_on", "?"),
        ("confirmed_at", "i8"),
        ("valid_from", "i8"),
        ("valid_until", "i8"),
        ("has_vector", "?"),
    ]
)
"""One memory. `high` and `low` are its id, instants are microseconds since 2000."""
_START = datetime(2000, 1, 1, tzinfo=UTC)
_HALF = 2**64

# The rows come packed: what takes long is not to read them but to make an object of each. Short vectors lie in a
# covering index, long ones beside it. Of one model all have one dimension, unless a service changed it: what has
# another is found by its words.
_READ = """
select * from (
    select count(*), string_agg(uuid_send(memory_id), ''), string_agg(int2send(part), ''),
        string_agg(int4send(version), ''), array_agg(kind), array_agg(state), array_agg(kind = 'preference' or pinned),
        string_agg(timestamptz_send(confirmed_at), ''), string_agg(timestamptz_send(valid_from), ''),
        string_agg(timestamptz_send(coalesce(valid_until, 'infinity')), ''), string_agg(packed, ''),
        string_agg(int4send(octet_length(packed)), '')
    from (
        select *, sparsevec_send(terms) as packed from memoryapp_searchentry
        where person_id = %(person)s and scope_id = %(scope)s {only}
        order by memory_id, part
    ) entry
) entries, (
    select string_agg(uuid_send(memory_id), ''), string_agg(halfvec_send(vector), ''),
        string_agg(int4send(vector_dims(vector)), '')
    from (
        select memory_id, vector from memoryapp_textvector where person_id = %(person)s
            and scope_id = %(scope)s and is_live and model = %(model)s and dimension <= 1200 {only}
        union all
        select memory_id, vector from memoryapp_textvector where person_id = %(person)s
            and scope_id = %(scope)s and is_live and model = %(model)s and dimension > 1200 {only}
    ) live where vector is not null
) vectors, (
    select array_agg(word) from memoryapp_scopeword where person_id = %(person)s and scope_id = %(scope)s
) vocabulary
"""
_ONLY = "and memory_id in (select unnest(%(only)s::uuid[]))"


@dataclass(frozen=True, slots=True, eq=False)
class ScopeIndex:
    """The memories of one scope that have search entries, one in each of `rows`, with what they are found by.

    `vectors` has a row for each, of zeros where there is none. `terms` are the places of all their words in ascending
    order, `row_of_term` says for each which memory has it. `words` is the scope's vocabulary by first letter.
    """

    rows: NDArray[Any]
    vectors: NDArray[np.float32]
    terms: NDArray[np.int32]
    row_of_term: NDArray[np.int32]
    words: dict[str, list[str]]

    @classmethod
    def read(cls, person_id: UUID, scope_id: UUID, model: str, only: Collection[UUID] | None = None) -> Self:
        """As the tables have it, or what they have of `only` these memories. No `model`: no vectors."""
        wanted = {"person": person_id, "scope": scope_id, "model": model, "only": only and list(only)}
        condition = "" if only is None else _ONLY
        with packed_cursor() as cursor:
            cursor.execute(_READ.format(only=condition), wanted)
            *entries, ids, packed, dimensions, vocabulary = cursor.fetchone()
        rows, terms, row_of_term = _unpacked(*entries)
        vectors = np.zeros((len(rows), 0), np.float32)
        if ids:
            vectors = _by_row(rows, *_of_one_dimension(ids, packed, dimensions))
        words: dict[str, list[str]] = {}
        for word in vocabulary or ():
            words.setdefault(word[:1], []).append(word)
        return cls(rows, vectors, terms, row_of_term, words)

    def with_newer(self, newer: "ScopeIndex", of: Collection[UUID]) -> "ScopeIndex":
        """What `newer` says of these memories in place of what was known of them. Its vectors, where it has any, are of
        the same dimension.
        """
        high, low = np.array([divmod(one.int, _HALF) for one in of], np.uint64).T
        stays = ~(np.equal.outer(self.rows["high"], high) & np.equal.outer(self.rows["low"], low)).any(axis=1)
        term_stays = stays[self.row_of_term]
        row_now = np.cumsum(stays, dtype=np.int32) - 1
        terms = np.concatenate([self.terms[term_stays], newer.terms])
        row_of_term = [row_now[self.row_of_term[term_stays]], newer.row_of_term + np.int32(stays.sum())]
        order = np.argsort(terms, kind="stable")
        vectors = newer.vectors if newer.dimension else np.zeros((len(newer.rows), self.dimension), np.float32)
        return ScopeIndex(
            rows=np.concatenate([self.rows[stays], newer.rows]),
            vectors=np.concatenate([self.vectors[stays], vectors]),
            terms=terms[order],
            row_of_term=np.concatenate(row_of_term)[order],
            words=newer.words,
        )

    @property
    def dimension(self) -> int:
        """Of the vectors; 0 where there are none."""
        return int(self.vectors.shape[1])

    @property
    def size(self) -> int:
        """Bytes, or so: of a word its letters and what Python adds, and what an index takes that holds nothing."""
        arrays = (self.rows, self.vectors, self.terms, self.row_of_term)
        return 2_000 + sum(one.nbytes for one in arrays) + 64 * sum(map(len, self.words.values()))

    def rows_with(self, terms: Sequence[int]) -> Iterator[tuple[int, NDArray[np.int32]]]:
        """Of these words or names, told by their places, those that are known: which of them, and who has it."""
        sought = np.array(terms, np.int32)
        first, after = (np.searchsorted(self.terms, sought, side).tolist() for side in ("left", "right"))
        for number, (start, end) in enumerate(zip(first, after, strict=True)):
            if start < end:
                yield number, self.row_of_term[start:end]


def microseconds(instant: datetime) -> int:
    return (instant - _START) // timedelta(microseconds=1)


@contextmanager
def packed_cursor() -> Iterator[Any]:
    """A cursor whose results come in PostgreSQL's binary form: packed columns are half as long, and arrays quick."""
    with connection.cursor() as cursor:
        cursor.cursor.format = Format.BINARY
        yield cursor


def unpacked_vectors(packed: bytes, dimension: int) -> NDArray[np.float32]:
    """Of `halfvec_send`: four bytes before the numbers of each vector."""
    return np.frombuffer(packed, ">f2").reshape(-1, dimension + 2)[:, 2:].astype(np.float32)


def cosines(vectors: NDArray[np.float32], meant: NDArray[np.float32]) -> NDArray[np.float32]:
    """The largest cosine of each vector with those of a request and its parts.

    Summed row by row, so that a vector's figure does not depend on which others lie beside it.
    """
    products: NDArray[np.float32] = np.stack([np.einsum("ij,j->i", vectors, one) for one in meant])
    return products.max(axis=0)


def _unpacked(
    count: int, ids: bytes, parts: bytes, versions: bytes, kinds: list[str], states: list[str], always: list[bool],
    confirmed: bytes, valid_from: bytes, valid_until: bytes, terms: bytes, lengths: bytes,
) -> tuple[NDArray[Any], NDArray[np.int32], NDArray[np.int32]]:  # fmt: skip
    """The rows, and their terms in ascending order with the row that has each."""
    if not count:
        return np.empty(0, ROW), np.empty(0, np.int32), np.empty(0, np.int32)
    is_first = np.frombuffer(parts, ">i2") == 0
    entries = np.empty(count, ROW)
    entries["high"], entries["low"] = np.frombuffer(ids, ">u8").reshape(-1, 2).T
    entries["version"] = np.frombuffer(versions, ">i4")
    # Each row's would be a text of its own.
    entries["kind"], entries["state"] = list(map(intern, kinds)), list(map(intern, states))
    entries["is_current"] = entries["state"] == State.CURRENT
    entries["is_always_on"] = always
    for name, packed in (("confirmed_at", confirmed), ("valid_from", valid_from), ("valid_until", valid_until)):
        entries[name] = np.frombuffer(packed, ">i8")
    entries["has_vector"] = False
    places, entry_of_place = _unpacked_terms(terms, lengths)
    row_of_place = (np.cumsum(is_first, dtype=np.int32) - 1)[entry_of_place]
    order = np.argsort(places, kind="stable")
    return entries[is_first], places[order], row_of_place[order]


def _unpacked_terms(packed: bytes, octets: bytes) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The places in each vector, and which vector they are of; `octets` has the length of each.

    `sparsevec_send` gives the dimensions, how many numbers there are, nothing, their places, and the numbers (all one).
    """
    numbers, words = np.frombuffer(packed, ">i4"), np.frombuffer(octets, ">i4") // 4
    lengths = (words - 3) // 2
    starts = np.cumsum(words) - words + 3
    vector_of_place = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
    at = np.arange(lengths.sum()) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    # pgvector counts from 0 there, and from 1 in its text form.
    return numbers[at].astype(np.int32) + np.int32(1), vector_of_place


def _of_one_dimension(ids: bytes, packed: bytes, dimensions: bytes) -> tuple[bytes, NDArray[np.float32]]:
    """The ids and vectors of the largest dimension."""
    each = np.frombuffer(dimensions, ">i4")
    largest = int(each.max())
    if (each < largest).any():
        ends = np.cumsum(4 + 2 * each).tolist()
        of_it = np.flatnonzero(each == largest).tolist()
        ids = b"".join(ids[16 * place : 16 * place + 16] for place in of_it)
        packed = b"".join(packed[ends[place] - 4 - 2 * largest : ends[place]] for place in of_it)
    return ids, unpacked_vectors(packed, largest)


def _by_row(rows: NDArray[Any], ids: bytes, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The vectors in the order of the rows, which are told that they have one."""
    row_of = {pair: row for row, pair in enumerate(zip(rows["high"].tolist(), rows["low"].tolist(), strict=True))}
    places = [row_of.get((high, low), -1) for high, low in np.frombuffer(ids, ">u8").reshape(-1, 2).tolist()]
    taken = np.array(places)
    by_row = np.zeros((len(rows), vectors.shape[1]), np.float32)
    by_row[taken[taken >= 0]] = vectors[taken >= 0]
    rows["has_vector"][taken[taken >= 0]] = True
    return by_row
