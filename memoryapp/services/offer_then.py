"""What a retrieval had to choose from at an instant: the versions that were known and valid then."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection
from django.db.models import Q

from memoryapp.models import MemoryVersion
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.relevance.scorer import Document, Scorer
from memoryapp.policy.retrieval import Remembered
from memoryapp.policy.types import Offered, Score
from memoryapp.services.offer import Ask, Offer, always_on
from memoryapp.services.scope_index import cosines, packed_cursor, unpacked_vectors

_COSINES = """
select statement_id, halfvec_send(vector) from memoryapp_textvector
where statement_id = any(%(statements)s) and model = %(model)s and dimension = %(dimension)s
"""
# As arrays: of a list of so many parameters there is a most.
_SAID = """
select version_id, count(*), max(said_at) from memoryapp_confirmation
where version_id = any(%s) and recorded_at <= %s group by version_id
"""
_BARRED = """
select id from memoryapp_memory where id = any(%s) and (state in ('forgotten', 'paused') or disputed)
"""


@dataclass(frozen=True, slots=True)
class _Known:
    """A version that lived then, how often and when last its value was said by then."""

    version: MemoryVersion
    seen: int
    confirmed_at: datetime
    cosine: float | None = None

    @property
    def document(self) -> Document:
        version = self.version
        return Document(version.text, version.subject, tuple(version.aliases), version.kind, self.cosine)

    def is_valid_at(self, instant: datetime) -> bool:
        ends = (self.version.valid_to, self.version.expires_at)
        return self.version.valid_from <= instant and all(end is None or instant < end for end in ends)


def offer_then(ask: Ask, scorer: Scorer) -> Offer:
    """Scores by their texts the versions that stood and were valid then; offers what may still be sent today.

    What has been forgotten, paused or disputed since still weighs as it did, so that the others score as they did.
    """
    known = _known(ask)
    valid = [one for one in known if one.is_valid_at(ask.now)]
    current = [one for one in valid if one.version.state == State.CURRENT]
    others = [one for one in valid if one.version.state != State.CURRENT and ask.wants(one.version.kind)]
    barred, offer = _barred(current), Offer()
    for one, score in zip(current, scorer.score(ask.query, *_documents(current, known)), strict=True):
        if one.version.memory_id not in barred and ask.wants(one.version.kind):
            offer.offered.append(_offered(one, score, ask))
    as_if_current = scorer.score(ask.query, *_documents([*others, *current], known)) if others else []
    for one, score in zip(others, as_if_current, strict=False):
        if always_on(one.version.kind, pinned=one.version.pinned) or score.relevance >= ask.floor:
            offer.withhold(one.version.memory_id, one.version.number, one.version.state)
    return offer


def _documents(weighed: Sequence[_Known], known: Sequence[_Known]) -> tuple[list[Document], list[Document]]:
    """The documents to weigh, and those besides them."""
    ids = {one.version.pk for one in weighed}
    return [one.document for one in weighed], [one.document for one in known if one.version.pk not in ids]


def remembered_then(ask: Ask) -> tuple[list[Remembered], Offer]:
    """What could have opened a session then. How often each had been used by then is not kept: none counts as used."""
    valid = [one for one in _known(ask) if one.is_valid_at(ask.now) and ask.wants(one.version.kind)]
    barred, offer = _barred(valid), Offer()
    remembered = []
    for one in valid:
        if one.version.state != State.CURRENT:
            if always_on(one.version.kind, pinned=one.version.pinned):
                offer.withhold(one.version.memory_id, one.version.number, one.version.state)
        elif one.version.memory_id not in barred:
            remembered.append(Remembered(_offered(one, None, ask)))
    return remembered, offer


def _known(ask: Ask) -> list[_Known]:
    rows = MemoryVersion.objects.filter(
        Q(closed_at__isnull=True) | Q(closed_at__gt=ask.now),
        person_id=ask.person_id,
        scope__in=ask.scopes,
        recorded_at__lte=ask.now,
        state__in=LIVING,
    )
    versions = list(rows.order_by("memory_id"))
    statements = list({version.statement_id for version in versions})
    with connection.cursor() as cursor:
        cursor.execute(_SAID, [statements, ask.now])
        said = {statement: (seen, last) for statement, seen, last in cursor.fetchall()}
    cosines = _cosines(ask, statements)
    return [_Known(version, *said[version.statement_id], cosines.get(version.statement_id)) for version in versions]


def _cosines(ask: Ask, statements: Sequence[UUID]) -> dict[UUID, float]:
    meaning = ask.meaning()
    if meaning is None or not meaning.dimension:
        return {}
    wanted = {"statements": list(statements), "model": meaning.model, "dimension": meaning.dimension}
    with packed_cursor() as cursor:
        cursor.execute(_COSINES, wanted)
        rows = cursor.fetchall()
    vectors = unpacked_vectors(b"".join(packed for _, packed in rows), meaning.dimension)
    return dict(zip((statement for statement, _ in rows), cosines(vectors, meaning.numbers).tolist(), strict=True))


def _barred(known: Sequence[_Known]) -> set[UUID]:
    """What may not be sent any more: forgotten, paused or disputed since."""
    with connection.cursor() as cursor:
        cursor.execute(_BARRED, [[one.version.memory_id for one in known]])
        return {memory_id for (memory_id,) in cursor.fetchall()}


def _offered(one: _Known, score: Score | None, ask: Ask) -> Offered:
    version = one.version
    why = always_on(version.kind, pinned=version.pinned)
    rank = ask.rank(version.scope_id)
    return Offered(
        memory_id=version.memory_id,
        version=version.number,
        kind=version.kind,
        scope=ask.scopes[rank].name,
        subject=version.subject,
        subject_key=version.subject_key,
        text=version.text,
        confirmed_at=one.confirmed_at,
        seen=one.seen,
        scope_rank=rank,
        pinned=version.pinned,
        score=None if why else score,
        why=why,
        importance=version.importance,
    )
