"""The embedder in use, and the vectors of requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from typing import Self

import numpy as np
from django.conf import settings
from numpy.typing import NDArray

from memoryapp.embedding import Embedder, MiniLM, Remote, Unavailable, Vector
from memoryapp.policy.relevance.parts import parts_of
from memoryapp.services.shelf import Shelf

_MOST_BYTES = 8_000_000
"""What a process keeps of requests, some 4,000 of the built-in model: an agent asks the same in several scopes, and
again.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Meaning:
    """The vectors of a request and of its parts, one in each of `numbers`, and the model they are of.

    They are rounded like those that are stored. There are none for a language that the model does not read.
    """

    model: str
    numbers: NDArray[np.float32]

    @classmethod
    def of(cls, model: str, vectors: Sequence[Vector]) -> Self:
        dimension = len(vectors[0]) if vectors else 0
        return cls(model, np.array(vectors, np.float16).astype(np.float32).reshape(len(vectors), dimension))

    @property
    def dimension(self) -> int:
        """Of the vectors; 0 where there are none."""
        return int(self.numbers.shape[1])


_shelf = Shelf[bytes, Meaning](lambda: _MOST_BYTES)


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
    query, in_use = (query or "").strip(), embedder()
    if not query or in_use is None:
        return None
    meaning = _shelf.take(_digest(query))
    if meaning is None:
        vectors = [vector for vector in in_use.embed([query, *parts_of(query)]) if vector]
        meaning = Meaning.of(in_use.model, vectors)
        _shelf.put(_digest(query), meaning, 500 + meaning.numbers.nbytes)
    return meaning


def is_at_hand(query: str | None) -> bool:
    """Whether the request was read lately."""
    return _shelf.take(_digest((query or "").strip())) is not None


def _digest(query: str) -> bytes:
    """The words of a request are not kept."""
    return blake2b(query.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def half_vector(vector: Vector) -> str:
    """pgvector's text form."""
    return "[" + ",".join(f"{value:.5g}" for value in vector) + "]"


__all__ = ["Meaning", "Unavailable", "embedder", "half_vector", "is_at_hand", "meaning_of", "model_in_use"]
