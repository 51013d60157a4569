"""Messages as what memories rest on: which memories go with a message, and erasing it wherever it is quoted."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from django.db import connection

from accounts.actors import Actor
from memoryapp.database.isolation import erasing
from memoryapp.models import Confirmation, Episode, IdempotencyRecord
from memoryapp.services import since_ledger
from memoryapp.services.since_ledger import Since
from memoryapp.services.writing import Writer

Turn = tuple[str, int]
"""A session and the number of a turn in it: a message, stored or only quoted."""

_TURNS = "unnest(%(sessions)s::text[], %(turns)s::int[]) as turned (session, turn)"

# A memory rests on what its present value was said in; a person's own word names no turn and so is support of its own.
_RESTING = f"""
with touched as (
    select distinct version.memory_id
    from {_TURNS} join memoryapp_confirmation said using (session, turn)
    join memoryapp_memoryversion version on version.id = said.version_id
    where said.person_id = %(person)s
)
select memory.id, not exists (
    select from memoryapp_confirmation said
    where said.version_id = memory.statement_id and not said.message_erased
        and not exists (select from {_TURNS} where turned.session = said.session and turned.turn = said.turn)
)
from touched join memoryapp_memory memory on memory.id = touched.memory_id
join accounts_scope scope on scope.id = memory.scope_id
where memory.state <> 'forgotten' and (%(scopes)s::text[] is null or scope.name = any(%(scopes)s))
order by memory.id
"""

# A version that amends another keeps its quotation, under whatever turn the value was said in last.
_QUOTED = f"""
select version.id from {_TURNS} join memoryapp_confirmation said using (session, turn)
join memoryapp_memoryversion version on version.id = said.version_id
where said.person_id = %(person)s and (%(scopes)s::text[] is null or version.scope_name = any(%(scopes)s))
"""
_SAID = f"""
select said.id from {_TURNS} join memoryapp_confirmation said using (session, turn)
where said.person_id = %(person)s and said.version_id in ({_QUOTED})
"""
_BLANK = (
    f"""
    update memoryapp_memory set source = null where source is not null and statement_id in (
        select id from memoryapp_memoryversion join {_TURNS} using (session, turn) where id in ({_QUOTED})
    )
    """,
    f"""
    update memoryapp_memoryversion set source = null where source is not null and statement_id in (
        select id from memoryapp_memoryversion join {_TURNS} using (session, turn) where id in ({_QUOTED})
    )
    """,
    f"""
    update memoryapp_confirmation said set source = null, message_erased = true from {_TURNS}
    where turned.session = said.session and turned.turn = said.turn and said.version_id in ({_QUOTED})
    """,
    # A proposal that was refused rests on nothing else. That something took nothing back is no word of it, and stays.
    f"""
    delete from memoryapp_decision decision using {_TURNS}
    where turned.session = decision.session and turned.turn = decision.turn and decision.person_id = %(person)s
        and decision.action = 'rejected' and decision.text is not null
        and (%(scopes)s::text[] is null or decision.scope_name = any(%(scopes)s))
    """,
    f"""
    update memoryapp_decision decision set source = null from {_TURNS}
    where turned.session = decision.session and turned.turn = decision.turn and decision.person_id = %(person)s
        and decision.source is not null
        and (%(scopes)s::text[] is null or decision.scope_name = any(%(scopes)s))
    """,
)


@dataclass(frozen=True, slots=True)
class Resting:
    """The memories that rest on some messages. `alone`: on nothing else; the others have other support, and stay."""

    alone: tuple[UUID, ...] = ()
    supported: tuple[UUID, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[tuple[UUID, bool]]) -> Self:
        """Of memories, each with whether it rests on nothing else."""
        alone, supported = list[UUID](), list[UUID]()
        for memory_id, is_alone in rows:
            (alone if is_alone else supported).append(memory_id)
        return cls(tuple(alone), tuple(supported))


def turns_of(memory_ids: Collection[UUID]) -> set[Turn]:
    """The messages in which these memories were said, whatever they say by now. While the person is open."""
    said = Confirmation.objects.filter(version__memory__in=memory_ids, session__isnull=False, turn__isnull=False)
    pairs = said.values_list("session", "turn").distinct()
    return {(session, turn) for session, turn in pairs if session is not None and turn is not None}


def resting_on(turns: Iterable[Turn], *, besides: Collection[UUID], actor: Actor) -> Resting:
    """What of the actor's rests on these messages, without the memories named. While the person is open."""
    turns = sorted(turns)
    if not turns:
        return Resting()
    with connection.cursor() as cursor:
        cursor.execute(_RESTING, _parameters(turns, actor))
        return Resting.of(row for row in cursor.fetchall() if row[0] not in besides)


def erase_messages(turns: Iterable[Turn], writer: Writer) -> None:
    """Erases them, and every quotation of them, as far as the writer may write. What was said stays without them."""
    turns = sorted(turns)
    if not turns:
        return
    parameters = _parameters(turns, writer.actor)
    with erasing(writer.person.pk), connection.cursor() as cursor:
        cursor.execute(f"select distinct memory_id from memoryapp_memoryversion where id in ({_QUOTED})", parameters)
        quoting = {memory_id for (memory_id,) in cursor.fetchall()}
        stored = _stored(set(turns), writer.actor)
        cursor.execute(_SAID, parameters)
        gone = [*stored, *(said_id for (said_id,) in cursor.fetchall())]
        since_ledger.note(*(Since("message", one, writer.now, writer.person.pk) for one in gone))
        for statement in _BLANK:
            cursor.execute(statement, parameters)
        Episode.objects.filter(pk__in=stored).delete()
    for record in IdempotencyRecord.objects.filter(memory_ids__overlap=list(quoting)):
        _unquote(record.body, {str(memory_id) for memory_id in quoting})
        record.save(update_fields=["body"])


def _stored(turns: Collection[Turn], actor: Actor) -> list[UUID]:
    sessions, numbers = {session for session, _ in turns}, {turn for _, turn in turns}
    rows = Episode.objects.writable_by(actor).filter(session__in=sessions, turn__in=numbers)
    return [pk for pk, session, turn in rows.values_list("pk", "session", "turn") if (session, turn) in turns]


def _parameters(turns: list[Turn], actor: Actor) -> dict[str, Any]:
    return {
        "sessions": [session for session, _ in turns],
        "turns": [turn for _, turn in turns],
        "person": actor.opened,
        "scopes": list(actor.scopes) if actor.scopes is not None else None,
    }


def _unquote(shown: Any, memory_ids: Collection[str]) -> None:
    """Takes the quotations of these memories out of a kept response."""
    if isinstance(shown, dict):
        if shown.get("id") in memory_ids and "source" in shown:
            shown["source"] = None
        shown = list(shown.values())
    if isinstance(shown, list):
        for one in shown:
            _unquote(one, memory_ids)
