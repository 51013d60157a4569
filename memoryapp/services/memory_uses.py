"""Where a memory went: the retrievals that sent it, and the answers that were given with them."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import connection

from accounts.actors import Actor
from memoryapp.models import Answer
from memoryapp.services.trace_items import load_items

SHOWN_USES = 20
LOOKED_THROUGH = 1_000

_SENDING = """
select id, created_at, agent, scopes, query, session, items
from (
    select trace.id, trace.created_at, key.name as agent, trace.scopes, trace.query, trace.session, trace.items
    from memoryapp_retrievaltrace trace left join accounts_agentkey key on key.id = trace.agent_key_id
    where trace.person_id = %s order by trace.created_at desc limit %s
) latest
where items ~ %s
order by created_at desc limit %s
"""


@dataclass(frozen=True, slots=True)
class Use:
    """One retrieval that sent the memory in that version. `why` is always_on, pinned or how it qualified.

    `answer_id` is the agent's own name of the answer that it gave, None where it told nobody.
    """

    trace_id: UUID
    at: datetime
    agent: str | None
    scopes: tuple[str, ...]
    query: str | None
    session: str | None
    version: int
    why: str | None
    relevance: float | None
    answer_id: str | None
    model: str | None


def uses_of(memory_id: UUID, *, actor: Actor) -> tuple[Use, ...]:
    """The latest 20 retrievals that sent it, among the person's latest 1,000; while the person is open.

    Two reads. How often it was used in all is the memory's `use_count`.
    """
    # As `dump_items` writes it: id, version, verdict.
    sent = f'"{memory_id.hex}",[0-9]+,"included"'
    with connection.cursor() as cursor:
        cursor.execute(_SENDING, [actor.opened, LOOKED_THROUGH, sent, SHOWN_USES])
        rows = cursor.fetchall()
    answers = {row.trace_id: row for row in Answer.objects.filter(trace_id__in=[row[0] for row in rows])}
    uses = []
    for trace_id, at, agent, scopes, query, session, items in rows:
        item = next(item for item in load_items(items) if item.memory_id == memory_id)
        answer = answers.get(trace_id)
        uses.append(
            Use(
                trace_id=trace_id,
                at=at,
                agent=agent,
                scopes=tuple(scopes),
                query=query,
                session=session,
                version=item.version,
                why=item.why,
                relevance=item.relevance,
                answer_id=answer.answer_id if answer else None,
                model=answer.model if answer else None,
            )
        )
    return tuple(uses)
