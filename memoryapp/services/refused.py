"""What was proposed about the person and not remembered, with the rule that said no."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Count

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision
from memoryapp.services.paging import decode_cursor, decode_id, encode_cursor
from memoryapp.services.retention import REFUSED, Limit, limits


@dataclass(frozen=True, slots=True)
class NotRemembered:
    """One refused proposal. Text and source are None where the rule lets nothing be kept."""

    id: UUID
    at: datetime
    rule: str
    kind: str
    scope: str | None
    subject: str | None
    text: str | None
    source: str | None
    origin: str
    session: str | None
    turn: int | None
    by: str
    agent: str | None
    kept_until: datetime | None
    """When it goes by itself; None: not before its message or the person does."""


@dataclass(frozen=True, slots=True)
class Refusals:
    """A page of them, latest first. `count` is of all that match, `rules` counts all by rule, most first."""

    items: tuple[NotRemembered, ...]
    count: int
    rules: Mapping[str, int]
    older: str | None


def not_remembered(*, actor: Actor, rule: str | None = None, cursor: str | None = None, limit: int = 50) -> Refusals:
    """What the write policy refused, of one rule or of all."""
    with acting_for(actor.opened):
        refused = Decision.objects.visible_to(actor).filter(action="rejected")
        rules = dict(refused.values_list("rule").annotate(number=Count("pk")).order_by("-number", "rule"))
        rows = refused.select_related("agent_key").order_by("-id")
        if rule is not None:
            rows = rows.filter(rule=rule)
        if cursor is not None:
            (last,) = decode_cursor(cursor, 1)
            rows = rows.filter(id__lt=decode_id(last))
        page = list(rows[: limit + 1])
        kept = limits(actor.opened)[REFUSED]
        return Refusals(
            items=tuple(_shown(row, kept) for row in page[:limit]),
            count=sum(rules.values()) if rule is None else rules.get(rule, 0),
            rules=rules,
            older=encode_cursor(str(page[limit - 1].pk)) if len(page) > limit else None,
        )


def _shown(row: Decision, kept: Limit) -> NotRemembered:
    return NotRemembered(
        id=row.pk,
        at=row.recorded_at,
        rule=row.rule,
        kind=row.kind,
        scope=row.scope_name,
        subject=row.subject,
        text=row.text,
        source=row.source,
        origin=row.origin,
        session=row.session,
        turn=row.turn,
        by=row.actor_kind,
        agent=row.agent_key.name if row.agent_key else None,
        kept_until=kept.ends(row.recorded_at),
    )
