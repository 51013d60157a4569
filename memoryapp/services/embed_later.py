"""Vectors of memories, made after the write: rows that wait are the to-do, so that no restart loses any.

Each web worker has one thread for it. A lock lets one of them work at a time, also on several machines.
"""

import logging
import threading
from collections.abc import Sequence
from itertools import groupby
from uuid import UUID

from django.db import DatabaseError, InterfaceError, connection, transaction

from memoryapp.database.isolation import acting_for, wide_access
from memoryapp.embedding import Embedder, MiniLM, Remote, Unavailable, Vector
from memoryapp.services.meaning import embedder, half_vector, meaning_of

log = logging.getLogger(__name__)

AT_ONCE = 32
"""Texts per transaction."""
CAUGHT_UP = 64
"""So many vectors a retrieval makes itself that comes before the background did: a quarter of a second at most."""
_LOOK_SECONDS = 30.0
"""So often it is looked without being woken: another process may have written."""
_SOON_SECONDS = 0.5
_SETTLE_SECONDS = 2.0
"""The model loads when the service has started, or with the first who needs it."""
_LOCK = 7_018_221_432

_WAITING = """
select vector.person_id, vector.statement_id, version.text from (
    select person_id, statement_id from memoryapp_textvector where (model < %(model)s or model > %(model)s) {whose}
    order by model limit %(most)s
) vector join memoryapp_memoryversion version on version.id = vector.statement_id order by 1, 2
"""
_FILL = """
update memoryapp_textvector as row set model = %s, dimension = made.dimension, vector = made.vector::halfvec
from unnest(%s::uuid[], %s::int[], %s::text[]) as made (statement_id, dimension, vector)
where row.statement_id = made.statement_id
"""

_wake = threading.Event()
_started = threading.Lock()


def start() -> None:
    """Begins to work off what waits, in the background, and loads the model there. Once per process."""
    if embedder() is not None and _started.acquire(blocking=False):
        threading.Thread(target=_run, name="embed", daemon=True).start()


def wake_after_commit() -> None:
    if embedder() is not None:
        transaction.on_commit(_wake_up)


def _wake_up() -> None:
    """Of no effect in a process without the thread, such as a command: what it wrote waits for a web worker."""
    _wake.set()


def embed_waiting() -> int | None:
    """One batch of what waits. How many rows it filled; None when another process is at it. Raises Unavailable."""
    in_use = embedder()
    if in_use is None:
        return 0
    with wide_access("embedding"), connection.cursor() as cursor:
        cursor.execute("select pg_try_advisory_xact_lock(%s)", [_LOCK])
        if not cursor.fetchone()[0]:
            return None
        cursor.execute(_WAITING.format(whose=""), {"model": in_use.model, "most": AT_ONCE})
        rows: list[tuple[UUID, UUID, str]] = cursor.fetchall()
        vectors = _embed(in_use, [text for _, _, text in rows])
        for person_id, theirs in groupby(zip(rows, vectors, strict=True), key=lambda pair: pair[0][0]):
            _fill(person_id, in_use.model, [(row[1], vector) for row, vector in theirs])
        return len(rows)


def can_catch_up() -> bool:
    """Whether vectors are at hand within milliseconds."""
    return isinstance(embedder(), MiniLM)


def catch_up(person_id: UUID) -> None:
    """Makes up to `CAUGHT_UP` vectors of this person at once: what was just said is found by the next request."""
    in_use = embedder()
    assert in_use is not None
    with acting_for(person_id), connection.cursor() as cursor:
        cursor.execute(
            _WAITING.format(whose="and person_id = %(person)s"),
            {"model": in_use.model, "most": CAUGHT_UP, "person": person_id},
        )
        rows = cursor.fetchall()
    vectors = in_use.embed([text for _, _, text in rows])
    _fill(person_id, in_use.model, [(row[1], vector) for row, vector in zip(rows, vectors, strict=True)])


def _embed(in_use: Embedder, texts: Sequence[str]) -> list[Vector | None]:
    if isinstance(in_use, Remote):
        return in_use.embed(texts, is_patient=True) if texts else []
    return in_use.embed(texts)


def _fill(person_id: UUID, model: str, made: Sequence[tuple[UUID, Vector | None]]) -> None:
    with acting_for(person_id), connection.cursor() as cursor:
        ids = [statement_id for statement_id, _ in made]
        written = [vector and half_vector(vector) for _, vector in made]
        cursor.execute(_FILL, [model, ids, [len(vector or ()) for _, vector in made], written])


def _run() -> None:
    _wake.wait(_SETTLE_SECONDS)
    try:
        meaning_of("hello")
    except Unavailable as error:
        log.warning("%s", error)
    while True:
        _wake.clear()
        try:
            filled = embed_waiting()
        except (Unavailable, DatabaseError, InterfaceError) as error:
            # The rows still wait. An Unavailable says why and names nobody.
            log.warning("vectors have to wait: %s", error if isinstance(error, Unavailable) else type(error).__name__)
            filled = 0
        connection.close()
        if filled != AT_ONCE:
            _wake.wait(_SOON_SECONDS if filled is None else _LOOK_SECONDS)
