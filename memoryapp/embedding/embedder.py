"""What an embedder is."""

from collections.abc import Sequence
from typing import Protocol

Vector = tuple[float, ...]


class Unavailable(Exception):
    """No vector can be had at present. The reason names neither texts nor credentials."""


class Embedder(Protocol):
    """Gives texts their vectors, of length one each, so that their inner product is their cosine.

    `model` names the weights and is stored beside each vector: only vectors of one model are compared.
    """

    @property
    def model(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """One vector per text in order, None for a text in a language that the model does not read.

        Raises Unavailable.
        """
        ...
