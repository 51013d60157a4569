"""How the API shows a memory and a time."""

from datetime import UTC, datetime
from typing import Any

from accounts.models import User
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.policy.types import Placement


def time_json(instant: datetime | None) -> str | None:
    """RFC 3339 in UTC, with `Z`."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z") if instant else None


def has_ended(memory: Memory, now: datetime) -> bool:
    return any(end and end <= now for end in (memory.valid_to, memory.expires_at))


def status_at(memory: Memory, now: datetime) -> str:
    """As stored, save that a current memory past its end is expired."""
    return "expired" if memory.state == State.CURRENT and has_ended(memory, now) else str(memory.state)


def slot_key(kind: str, scope: str, subject: str) -> str:
    return Placement(scope, kind, subject, "").key


def memory_json(memory: Memory, person: User, now: datetime) -> dict[str, Any]:
    """The memory as agents see it; its scope is loaded. Never called for a forgotten one."""
    scope = memory.scope.name
    return {
        "id": str(memory.pk),
        "version": memory.version,
        "user": person.external_id,
        "scope": scope,
        "kind": memory.kind,
        "subject": memory.subject,
        "key": slot_key(memory.kind, scope, memory.subject),
        "text": memory.text,
        "source": memory.source,
        "session": memory.session,
        "turn": memory.turn,
        "occurred_at": time_json(memory.occurred_at),
        "seen": memory.seen,
        "origin": memory.origin,
        "importance": memory.importance,
        "reason": memory.reason,
        "aliases": memory.aliases,
        "pinned": memory.pinned,
        "disputed": memory.disputed,
        "status": status_at(memory, now),
        "pending_rule": memory.pending_rule if memory.state == State.PENDING else None,
        "valid_from": time_json(memory.valid_from),
        "valid_to": time_json(memory.valid_to),
        "created_at": time_json(memory.created_at),
        "confirmed_at": time_json(memory.confirmed_at),
        "last_used_at": time_json(memory.last_used_at),
        "use_count": memory.use_count,
        "expires_at": time_json(memory.expires_at),
        "metadata": memory.metadata,
    }
