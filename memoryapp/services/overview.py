"""What a person's memory consists of: the slots that are taken, and the scopes with their counts."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import Count, Q
from django.db.models.functions import Least, Now

from accounts.actors import Actor
from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.services.paging import decode_cursor, decode_id, encode_cursor

_SLOTS = """
select distinct on (scope.name, memory.kind, memory.subject_key)
    scope.name, memory.kind, memory.subject, memory.id,
    case when memory.state = 'current' and least(memory.valid_to, memory.expires_at) <= now() then 'expired'
        else memory.state end
from memoryapp_memory memory join accounts_scope scope on scope.id = memory.scope_id
where memory.person_id = %(person)s and memory.state in ('current', 'paused', 'stale', 'pending')
    and (%(scopes)s::text[] is null or scope.name = any(%(scopes)s))
    and (%(after)s::uuid is null or (scope.name, memory.kind, memory.subject_key) > (
        select scope.name, last.kind, last.subject_key
        from memoryapp_memory last join accounts_scope scope on scope.id = last.scope_id where last.id = %(after)s
    ))
order by scope.name, memory.kind, memory.subject_key, memory.state = 'pending', memory.id
limit %(limit)s
"""


def subjects(*, actor: Actor | None, cursor: str | None, limit: int) -> dict[str, Any]:
    """The taken slots in the order of scope, kind and subject; a slot where something stands shows that."""
    if actor is None:
        return {"results": [], "next_cursor": None}
    # The slot's memory stands for it: a subject may be longer than a cursor.
    after = decode_id(*decode_cursor(cursor, 1)) if cursor is not None else None
    with acting_for(actor.opened), connection.cursor() as db:
        db.execute(
            _SLOTS,
            {
                "person": actor.opened,
                "scopes": None if actor.scopes is None else sorted(actor.scopes),
                "after": after,
                "limit": limit + 1,
            },
        )
        rows = db.fetchall()
    return {
        "results": [
            {"scope": scope, "kind": kind, "subject": subject, "status": status}
            for scope, kind, subject, _, status in rows[:limit]
        ],
        "next_cursor": encode_cursor(str(rows[limit - 1][3])) if len(rows) > limit else None,
    }


def scopes(*, actor: Actor | None) -> dict[str, Any]:
    """The person's switches and, by name, the scopes that this actor may use with what they hold."""
    if actor is None:
        return {"learning": True, "use": True, "results": []}
    with acting_for(actor.opened):
        person = User.objects.get(pk=actor.opened)
        rows = Scope.objects.filter(person=person).order_by("name")
        if actor.scopes is not None:
            rows = rows.filter(name__in=actor.scopes)
        living = Q(ends_at__isnull=True) | Q(ends_at__gt=Now())
        counts: dict[UUID, Mapping[str, Any]] = {
            row["scope"]: row
            for row in Memory.objects.visible_to(actor)
            .alias(ends_at=Least("valid_to", "expires_at"))
            .values("scope")
            .annotate(
                current=Count("id", filter=living & Q(state=State.CURRENT)),
                pending=Count("id", filter=Q(state=State.PENDING)),
                paused=Count("id", filter=Q(state=State.PAUSED)),
                stale=Count("id", filter=Q(state=State.STALE)),
            )
        }
        nothing = {"current": 0, "pending": 0, "paused": 0, "stale": 0}
        return {
            "learning": person.learning,
            "use": person.use,
            "results": [
                {**counts.get(row.id, nothing), "scope": row.name, "learning": row.learning, "use": row.use}
                for row in rows
            ],
        }
