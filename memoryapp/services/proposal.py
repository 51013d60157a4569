"""What is put forward, and what became of it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memoryapp.policy.types import Origin, SourceRole


@dataclass(frozen=True, slots=True)
class Proposal:
    """What an agent or a person puts forward. None means absent."""

    kind: str
    subject: str
    text: str | None
    scope: str | None = None
    session: str | None = None
    turn: int | None = None
    source: str | None = None
    source_role: SourceRole = "user"
    origin: Origin | None = None
    occurred_at: datetime | None = None
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    retract: bool = False
    importance: int | None = None
    reason: str | None = None
    aliases: tuple[str, ...] | None = None
    pinned: bool | None = None
    expires_at: datetime | None = None
    metadata: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """A decision as the API shows it. `memory` is None when rejected."""

    action: str
    rule: str
    detail: str
    memory: dict[str, Any] | None = None
    previous: dict[str, Any] | None = None
