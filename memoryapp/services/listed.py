"""A memory as the page lists it: plain values, in the person's own page only."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from memoryapp.models import Confirmation, Memory
from memoryapp.services.shown import slot_key, status_at


@dataclass(frozen=True, slots=True)
class Listed:
    """One memory with its scope's name. Instants are aware; `status` is as stored, or `expired`.

    `pending_rule` says why a pending memory waits, and of a paused one that its text is new. `is_new`: written since
    the person's last visit. `is_quoted`: the source is of the text as it stands, not of one that was
    corrected since.
    """

    id: UUID
    version: int
    text: str
    kind: str
    subject: str
    scope: str
    key: str
    status: str
    origin: str
    original_origin: str | None
    pending_rule: str | None
    pinned: bool
    disputed: bool
    seen: int
    source: str | None
    source_role: str
    session: str | None
    turn: int | None
    occurred_at: datetime
    confirmed_at: datetime
    last_said_at: datetime | None
    created_at: datetime
    changed_at: datetime
    last_used_at: datetime | None
    use_count: int
    valid_from: datetime
    valid_to: datetime | None
    expires_at: datetime | None
    reason: str | None
    aliases: tuple[str, ...]
    importance: int | None
    metadata: Mapping[str, object]
    is_new: bool = False
    is_quoted: bool = True


_SAME_NAME = [
    name
    for name in Listed.__dataclass_fields__
    if name not in ("scope", "key", "status", "aliases", "is_new", "is_quoted")
]  # fmt: skip


def listed(memory: Memory, now: datetime, *, last_visit_at: datetime | None = None, is_quoted: bool = True) -> Listed:
    """The memory as it is listed at `now`; its scope is loaded."""
    scope = memory.scope.name
    return Listed(
        **{name: getattr(memory, name) for name in _SAME_NAME},
        scope=scope,
        key=slot_key(memory.kind, scope, memory.subject),
        status=status_at(memory, now),
        aliases=tuple(memory.aliases),
        is_new=last_visit_at is not None and memory.created_at > last_visit_at,
        is_quoted=is_quoted,
    )


def rewritten(heads: Iterable[Memory]) -> set[UUID]:
    """Those whose text was corrected without naming a message: the source that they keep is of an earlier text.

    At most one read, while the person is open.
    """
    statements = {head.statement_id: head.pk for head in heads if head.versions > 1 and head.source is not None}
    if not statements:
        return set()
    said = Confirmation.objects.filter(version__in=statements, source__isnull=False).values_list("version", flat=True)
    return {statements[statement] for statement in set(statements) - set(said)}
