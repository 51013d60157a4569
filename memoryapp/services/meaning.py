"""The embedder in use, and the vectors of requests."""

from dataclasses import dataclass, field
from functools import cache, lru_cache

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from memoryapp.embedding import Embedder, MiniLM, Remote, Unavailable, Vector
from memoryapp.policy.relevance.parts import parts_of

KEPT_REQUESTS = 2_000
"""Vectors of the latest requests that a process keeps: an agent asks the same in several scopes, and again."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of a request and of its parts, and the model they are of.

    `numbers` has one row for each, rounded like those that are stored. No `vectors`: a language that the model does
    not read.
    """

    model: str
    vectors: tuple[Vector, ...]
    numbers: NDArray[np.float32] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", np.array(self.vectors, np.float16).astype(np.float32))

    @property
    def dimension(self) -> int:
        return len(self.vectors[0]) if self.vectors else 0


@cache
def embedder() -> Embedder | None:
    """The one that the settings name, once per process; None where words alone decide."""
    match settings.MEMORY_EMBEDDER:
        case "minilm":
            return MiniLM()
        case "openai":
            return Remote(
                url=settings.MEMORY_EMBEDDING_URL,
                model=settings.MEMORY_EMBEDDING_MODEL,
                key=settings.MEMORY_EMBEDDING_KEY,
                timeout_seconds=settings.MEMORY_EMBEDDING_TIMEOUT_SECONDS,
                dimension=settings.MEMORY_EMBEDDING_DIMENSION,
            )
        case _:
            return None


def model_in_use() -> str:
    """Empty without an embedder."""
    in_use = embedder()
    return in_use.model if in_use else ""


def meaning_of(query: str | None) -> Meaning | None:
    """None without a request or an embedder. Raises Unavailable."""
    return _meaning_of(query.strip()) if query and query.strip() and embedder() else None


@lru_cache(maxsize=KEPT_REQUESTS)
def _meaning_of(query: str) -> Meaning:
    in_use = embedder()
    assert in_use is not None
    vectors = [vector for vector in in_use.embed([query, *parts_of(query)]) if vector]
    return Meaning(in_use.model, tuple(vectors))


def half_vector(vector: Vector) -> str:
    """pgvector's text form."""
    return "[" + ",".join(f"{value:.5g}" for value in vector) + "]"


__all__ = ["Meaning", "Unavailable", "embedder", "half_vector", "meaning_of", "model_in_use"]
