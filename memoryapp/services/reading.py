"""Reading memories: one, a page of them, and what happened to one."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import F, Func, Q, QuerySet, TextField, Value
from django.db.models.functions import Least

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision, Memory, MemoryVersion
from memoryapp.models.memory import State
from memoryapp.services.errors import NotFound
from memoryapp.services.paging import decode_cursor, decode_id, decode_instant, encode_cursor
from memoryapp.services.shown import memory_json, time_json


@dataclass(frozen=True, slots=True)
class Filters:
    """What a page of memories is narrowed to. None means not at all; `status` as the API names it, or `any`."""

    scope: str | None = None
    kind: str | None = None
    origin: str | None = None
    q: str | None = None
    status: str | None = None
    changed_since: datetime | None = None


def read_memory(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """One memory. NotFound also when it is forgotten."""
    with _open(actor):
        memory = _existing(memory_id, actor)
        return memory_json(memory, memory.person, datetime.now(UTC))


def list_memories(filters: Filters, *, actor: Actor | None, cursor: str | None, limit: int) -> dict[str, Any]:
    """A page of the person's memories, newest id first, with the number of all that match.

    With `changed_since` the oldest change comes first, every status is listed unless one is named, and what was
    forgotten is `{id, status}`. `actor` None, an unknown person, has none.
    """
    if actor is None:
        return {"count": 0, "results": [], "next_cursor": None}
    if filters.scope is not None and not actor.may_use_scope(filters.scope):
        raise NotFound
    now = datetime.now(UTC)
    with _open(actor):
        matching = _matching(filters, actor, now)
        if filters.changed_since is None:
            page, next_cursor = _newest_first(matching, cursor, limit)
        else:
            page, next_cursor = _oldest_change_first(matching, cursor, limit)
        person = User.objects.get(pk=actor.opened)
        return {
            "count": matching.count(),
            "results": [_listed(memory, person, now) for memory in page],
            "next_cursor": next_cursor,
        }


def _listed(memory: Memory, person: User, now: datetime) -> dict[str, Any]:
    if memory.state == State.FORGOTTEN:
        return {"id": str(memory.pk), "status": "forgotten"}
    return memory_json(memory, person, now)


def _matching(filters: Filters, actor: Actor, now: datetime) -> QuerySet[Memory]:
    rows: QuerySet[Memory] = Memory.objects.visible_to(actor).select_related("scope")
    for name, value in (("scope__name", filters.scope), ("kind", filters.kind), ("origin", filters.origin)):
        if value is not None:
            rows = rows.filter(**{name: value})
    if filters.q is not None:
        aliases = Func(F("aliases"), Value("\n"), function="array_to_string", output_field=TextField())
        # What was forgotten is told apart by nothing, so that no search can tell what it said.
        rows = (
            rows.alias(all_aliases=aliases)
            .exclude(state=State.FORGOTTEN)
            .filter(
                Q(text__icontains=filters.q)
                | Q(subject__icontains=filters.q)
                | Q(all_aliases__icontains=filters.q)
                | Q(source__icontains=filters.q)
            )
        )
    if filters.changed_since is not None:
        rows = rows.filter(changed_at__gte=filters.changed_since)
    else:
        rows = rows.exclude(state=State.FORGOTTEN)
    status = filters.status or ("any" if filters.changed_since else "current")
    # Least() of PostgreSQL passes over nulls, and is null for two of them.
    rows = rows.alias(ends_at=Least("valid_to", "expires_at"))
    match status:
        case "any":
            return rows
        case "current":
            return rows.filter(Q(ends_at__isnull=True) | Q(ends_at__gt=now), state=State.CURRENT)
        case "expired":
            return rows.filter(ends_at__lte=now, state=State.CURRENT)
        case _:
            return rows.filter(state=status)


def _newest_first(matching: QuerySet[Memory], cursor: str | None, limit: int) -> tuple[Sequence[Memory], str | None]:
    rows = matching.order_by("-id")
    if cursor is not None:
        (last,) = decode_cursor(cursor, 1)
        rows = rows.filter(id__lt=decode_id(last))
    page = list(rows[: limit + 1])
    return page[:limit], encode_cursor(str(page[limit - 1].pk)) if len(page) > limit else None


def _oldest_change_first(
    matching: QuerySet[Memory], cursor: str | None, limit: int
) -> tuple[Sequence[Memory], str | None]:
    rows = matching.order_by("changed_at", "id")
    if cursor is not None:
        changed_at, last = decode_cursor(cursor, 2)
        since = decode_instant(changed_at)
        rows = rows.filter(Q(changed_at__gt=since) | Q(changed_at=since, id__gt=decode_id(last)))
    page = list(rows[: limit + 1])
    if len(page) <= limit:
        return page, None
    last_row = page[limit - 1]
    return page[:limit], encode_cursor(last_row.changed_at.isoformat(), str(last_row.pk))


def history(memory_id: UUID, *, actor: Actor, cursor: str | None, limit: int) -> dict[str, Any]:
    """The decisions on a memory, newest first, confirmations included, each with the version that it made."""
    with _open(actor):
        memory = _existing(memory_id, actor)
        rows = Decision.objects.visible_to(actor).filter(memory=memory).select_related("version", "agent_key")
        if cursor is not None:
            (last,) = decode_cursor(cursor, 1)
            rows = rows.filter(id__lt=decode_id(last))
        page = list(rows.order_by("-id")[: limit + 1])
        closings = MemoryVersion.objects.filter(memory=memory, closes_at__isnull=False)
        closed = dict(closings.values_list("statement_id", "closes_at"))
        return {
            "results": [_history_entry(decision, closed) for decision in page[:limit]],
            "next_cursor": encode_cursor(str(page[limit - 1].pk)) if len(page) > limit else None,
        }


def _history_entry(decision: Decision, closed: dict[UUID, datetime | None]) -> dict[str, Any]:
    """`closed` says where the validity of a statement was closed, whichever version of it was the last."""
    version = decision.version
    assert version is not None  # a decision that names a memory names the version that it made
    return {
        "version": version.number,
        "action": decision.action,
        "rule": decision.rule,
        "text": version.text,
        "source": decision.source,
        "origin": decision.origin,
        "turn": decision.turn,
        "valid_from": time_json(version.valid_from),
        "valid_to": time_json(closed.get(version.statement_id, version.valid_to)),
        "recorded_at": time_json(decision.recorded_at),
        "actor": decision.agent_key.name if decision.agent_key else decision.actor_kind,
    }


def _existing(memory_id: UUID, actor: Actor) -> Memory:
    rows = Memory.objects.visible_to(actor).select_related("scope", "person").exclude(state=State.FORGOTTEN)
    memory = rows.filter(pk=memory_id).first()
    if memory is None:
        raise NotFound
    return memory


def _open(actor: Actor) -> Any:
    return acting_for(actor.opened)
