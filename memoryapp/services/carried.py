"""One memory of a file that somebody brings, before anything was decided on it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Carried:
    """One memory of a file. `head` are columns of its head, `versions` its history as an export writes it, or none.

    `is_over`: it did not hold any more where it came from. `user` is whom a foreign file says that it is about,
    `id` its name there.
    """

    line: int | None
    kind: str
    subject: str
    scope: str | None
    text: str
    said_at: datetime | None
    head: Mapping[str, Any] = field(default_factory=dict)
    versions: Sequence[Mapping[str, Any]] = ()
    is_over: bool = False
    user: str | None = None
    id: str | None = None
