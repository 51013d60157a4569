"""What retrieval scans: hashed terms of the memories that may be sent, laid out by scope."""

from typing import TYPE_CHECKING, Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from accounts.models import Scope
from memoryapp.models.memory import Memory, MemoryVersion
from memoryapp.models.personal import Personal, PersonalManager
from memoryapp.policy.relevance.terms import ANALYSIS

DIMENSIONS = 1_000_000_000
"""pgvector's bound on the index of a sparse vector's element."""


def sparse_vector(weights: dict[int, float]) -> str:
    """pgvector's text form of a sparse vector; indices count from 1."""
    return "{" + ",".join(f"{index}:{weight:g}" for index, weight in sorted(weights.items())) + f"}}/{DIMENSIONS}"


if TYPE_CHECKING:
    _Field = models.Field[dict[int, float], Any]
else:
    _Field = models.Field


class SparseVectorField(_Field):
    """pgvector's `sparsevec`, written from a mapping of index to weight. It is only ever read inside SQL."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return f"sparsevec({DIMENSIONS})"

    def get_prep_value(self, value: Any) -> str:
        return sparse_vector(value)


class HalfVectorField(_Field):
    """pgvector's `halfvec` of any dimension. Written and read inside SQL only."""

    def db_type(self, connection: BaseDatabaseWrapper) -> str:
        return "halfvec"


class SearchEntry(Personal):
    """A part of one memory's terms, beside what retrieval needs to know before it looks at a text.

    One row holds at most `TERMS_PER_PART` terms, so that a covering index row stays under PostgreSQL's 2,704 bytes and
    a scope is read in one run of one index. Only current, paused and stale memories have entries. The database notes in
    `changed_in`, which Django does not know of, the transaction that last wrote a row, as it does for `TextVector`: who
    keeps a scope in memory asks what has changed since.
    """

    TERMS_PER_PART = 250

    memory = models.ForeignKey(Memory, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    part = models.SmallIntegerField(default=0)
    scope = models.ForeignKey(Scope, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    version = models.IntegerField()
    kind = models.CharField(max_length=64)
    state = models.CharField(max_length=16)
    pinned = models.BooleanField()
    confirmed_at = models.DateTimeField()
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True, help_text="The earlier of valid_to and expires_at.")
    terms = SparseVectorField()
    words = ArrayField(models.TextField(), help_text="In part 0: the words that `ScopeWord` counts for this memory.")
    analysis = models.SmallIntegerField(db_default=1, help_text="Which version made terms and words out of the text.")

    objects = PersonalManager()

    class Meta:
        constraints = [models.UniqueConstraint("memory", "part", name="search_part_once")]
        indexes = [
            # Empty, once all are made anew.
            models.Index(
                "person", "memory", name="search_by_former_analysis", condition=models.Q(analysis__lt=ANALYSIS)
            )
        ]


class ScopeWord(Personal):
    """One word of a scope and how many standing memories have it: what a request knows, and what a typo may mean."""

    pk = models.CompositePrimaryKey("scope", "word")
    scope = models.ForeignKey(Scope, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    # By code point, so that one first letter is one range of the primary key whatever the server's language is.
    word = models.TextField(db_collation="C")
    memories = models.IntegerField()

    objects = PersonalManager()


class TextVector(Personal):
    """What one value means to the embedding model: a vector for the version that first said it.

    Written without a vector, in the transaction of the write (`model` empty: it waits), and filled in afterwards; a row
    of another model than the one in use waits as well. A text that the model does not read has `dimension` 0. Not live:
    another value stands by now, and the row serves looks at the past.
    """

    statement = models.OneToOneField(
        MemoryVersion, models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="+"
    )
    memory = models.ForeignKey(Memory, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    scope = models.ForeignKey(Scope, models.DO_NOTHING, db_constraint=False, db_index=False, related_name="+")
    is_live = models.BooleanField()
    model = models.CharField(max_length=200, default="")
    dimension = models.SmallIntegerField(default=0)
    vector = HalfVectorField(null=True)

    objects = PersonalManager()

    class Meta:
        indexes = [
            models.Index("memory", name="vector_by_memory"),
            models.Index("model", name="vector_by_model"),
        ]
