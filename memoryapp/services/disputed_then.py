"""What was disputed at the time of a retrieval, which for that reason did not look at it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db import connection

from accounts.actors import Actor
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.policy.types import PERSONAL
from memoryapp.services.listed import Listed, listed

_SHOWN = 20


def disputed_then(trace: Any) -> list[UUID]:
    """Ids only, of the scopes that the retrieval drew on; the desk is told as many. While the person is open."""
    scopes = list(dict.fromkeys([*trace.scopes, PERSONAL]))
    with connection.cursor() as cursor:
        cursor.execute("select memory_id from disputed_then(%s, %s)", [trace.created_at, scopes])
        return [memory_id for (memory_id,) in cursor.fetchall()]


def as_they_are(ids: Sequence[UUID], *, actor: Actor) -> tuple[Listed, ...]:
    """The first of these memories as they are now, without those forgotten since. No read for none."""
    if not ids:
        return ()
    rows = Memory.objects.visible_to(actor).select_related("scope").filter(pk__in=ids).exclude(state=State.FORGOTTEN)
    now = datetime.now(UTC)
    return tuple(listed(row, now) for row in rows.order_by("-id")[:_SHOWN])
