"""What is done again, each for one person: what they restricted, barred, forgot or let be erased after the backup."""

from collections.abc import Container, Sequence
from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.ids import uuid7
from accounts.models import Scope, User
from memoryapp.models import Confirmation, Dispute, Episode, Memory, Tombstone
from memoryapp.models.memory import LIVING, State
from memoryapp.services import audit
from memoryapp.services.forget import take_out
from memoryapp.services.messages import erase_messages
from memoryapp.services.since_ledger import Since
from memoryapp.services.writing import Writer, amend, save

THERE = ~Q(state=State.FORGOTTEN)
USED = Q(state__in=(State.CURRENT, State.STALE))
UNDISPUTED = Q(disputed=False, state__in=(*LIVING, State.PENDING))
"""Of what it is forgotten, paused and disputed again."""


def forget(entries: Sequence[Since], writer: Writer, *, touched: set[UUID]) -> int:
    at = {entry.id: entry.at for entry in entries}
    back = _as_before(entries, THERE, touched)
    for memory in back:
        take_out(memory, writer, at=at[memory.pk])
        _record("forget", "memory", memory.pk, writer, reason="allow ledger")
    return len(back)


def pause(entries: Sequence[Since], writer: Writer, *, touched: set[UUID]) -> int:
    by = {entry.id: entry.by or "person" for entry in entries}
    back = _as_before(entries, USED, touched)
    for memory in back:
        # Whose pause it was stays noted, or an agent could end the person's.
        memory.state, memory.state_by = State.PAUSED, by[memory.pk]
        amend(memory, writer)
        _record("pause", "memory", memory.pk, writer)
    return len(back)


def dispute(entries: Sequence[Since], writer: Writer, *, touched: set[UUID]) -> int:
    """What the person said against it is not in the ledger; that they dispute it is."""
    by_id = {entry.id: entry for entry in entries}
    back = _as_before(entries, UNDISPUTED, touched)
    for memory in back:
        entry = by_id[memory.pk]
        Dispute(
            id=uuid7(),
            person_id=writer.person.pk,
            memory_id=memory.pk,
            version=memory.version,
            actor_kind=entry.by or "person",
            opened_at=entry.at,
        ).save(force_insert=True)
        memory.disputed = True
        save(memory, writer)
        _record("dispute", "memory", memory.pk, writer)
    return len(back)


def _as_before(entries: Sequence[Since], wanted: Q, touched: set[UUID]) -> list[Memory]:
    back = standing_as_before(Memory.objects.filter(wanted).select_related("scope").order_by("pk"), entries, touched)
    touched |= {memory.pk for memory in back}
    return back


def standing_as_before(rows: QuerySet[Memory], entries: Sequence[Since], touched: Container[UUID]) -> list[Memory]:
    """Those that stand as they did before; what was written since, or by the person after the backup, is left alone.

    `touched` are those that this replay has changed itself.
    """
    at = {entry.id: entry.at for entry in entries}
    return [one for one in rows.filter(pk__in=at) if one.pk in touched or one.changed_at < at[one.pk]]


def erase(entries: Sequence[Since], writer: Writer) -> int:
    ids = [entry.id for entry in entries]
    turns = set(Episode.objects.filter(pk__in=ids).values_list("session", "turn"))
    quotes = Confirmation.objects.filter(pk__in=ids, message_erased=False).values_list("session", "turn")
    turns |= {(session, turn) for session, turn in quotes if session is not None and turn is not None}
    erase_messages(turns, writer)
    return len(turns)


def bar_or_lift(entries: Sequence[Since], writer: Writer) -> int:
    return _lift([entry for entry in entries if entry.what == "lifted"], writer) + _bar(
        [entry for entry in entries if entry.what == "barred" and entry.digest is not None], writer
    )


def _lift(entries: Sequence[Since], writer: Writer) -> int:
    lifted = list(Tombstone.objects.filter(pk__in=[entry.id for entry in entries]))
    for row in lifted:
        _record("lift", "tombstone", row.pk, writer)
        row.delete()
    return len(lifted)


def _bar(entries: Sequence[Since], writer: Writer) -> int:
    """Where the memory is not in the backup either, nobody knows any more where the value stood."""
    there = set(Tombstone.objects.filter(pk__in=[entry.id for entry in entries]).values_list("pk", flat=True))
    missing = [entry for entry in entries if entry.id not in there]
    heads = Memory.objects.select_related("scope").in_bulk([entry.memory for entry in missing if entry.memory])
    for entry in missing:
        memory = heads.get(entry.memory) if entry.memory else None
        Tombstone(
            id=entry.id,
            person_id=writer.person.pk,
            memory=memory,
            digest=entry.digest,
            kind="" if entry.is_subject else memory.kind if memory else "fact",
            scope_name=memory.scope.name if memory else "",
            subject_key=memory.subject_key if memory else "",
            recorded_at=entry.at,
        ).save(force_insert=True)
        _record("bar", "tombstone", entry.id, writer)
    return len(missing)


def switch(entries: Sequence[Since], writer: Writer) -> int:
    """As the person left it: off stays off, and on is on again."""
    changed = 0
    for entry in entries:
        name, _, to = entry.what.partition("_")
        on = to == "on"
        kind = "person" if entry.id == writer.person.pk else "scope"
        rows = User.objects.filter(pk=entry.id) if kind == "person" else Scope.objects.filter(person=writer.person)
        if rows.filter(~Q(**{name: on}), pk=entry.id).update(**{name: on}):
            _record(f"{name}_{to}", kind, entry.id, writer)
            changed += 1
    return changed


def _record(verb: str, kind: str, object_id: UUID, writer: Writer, *, reason: str = "ledger") -> None:
    audit.record(verb, kind, object_id, actor=writer.actor, at=writer.now, reason=reason)
