"""The embedder in use, and the vectors of requests."""

from dataclasses import dataclass
from functools import cache, lru_cache

from django.conf import settings

from memoryapp.embedding import Embedder, MiniLM, Remote, Unavailable, Vector
from memoryapp.policy.relevance.parts import parts_of

KEPT_REQUESTS = 2_000
"""Vectors of the latest requests that a process keeps: an agent asks the same in several scopes, and again."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The vectors of a request and of its parts in pgvector's text form, and the model they are of.

    No `vectors`: a language that the model does not read.
    """

    model: str
    dimension: int
    vectors: tuple[str, ...]


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


def meaning_of(query: str | None) -> Meaning | None:
    """None without a request or an embedder. Raises Unavailable."""
    return _meaning_of(query.strip()) if query and query.strip() and embedder() else None


@lru_cache(maxsize=KEPT_REQUESTS)
def _meaning_of(query: str) -> Meaning:
    in_use = embedder()
    assert in_use is not None
    vectors = [vector for vector in in_use.embed([query, *parts_of(query)]) if vector]
    return Meaning(in_use.model, len(vectors[0]) if vectors else 0, tuple(map(half_vector, vectors)))


def half_vector(vector: Vector) -> str:
    """pgvector's text form."""
    return "[" + ",".join(f"{value:.5g}" for value in vector) + "]"


__all__ = ["Meaning", "Unavailable", "embedder", "half_vector", "meaning_of"]
