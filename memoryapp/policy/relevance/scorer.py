"""What a scorer is: relevance of memories to a request, by their texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from memoryapp.policy.types import Score


@dataclass(frozen=True, slots=True)
class Document:
    """What a scorer may look at of one memory; `subject` is without its scope.

    `cosine` is its vector's with the request's, None where either has none.
    """

    text: str
    subject: str = ""
    aliases: tuple[str, ...] = ()
    kind: str = "fact"
    cosine: float | None = None


class Scorer(Protocol):
    """Gives each document its relevance in [0, 1]; deterministic, one score per document in the order given.

    `besides` are documents of the same scopes that are not weighed, but whose words are no slips of the request.

    `name` carries a version and is stored on traces: another figure for the same input needs another name.
    """

    @property
    def name(self) -> str: ...

    def score(self, query: str, documents: Sequence[Document], besides: Sequence[Document] = ()) -> list[Score]: ...
