"""Doing again what a restored backup took back: forgetting, do-not-learn, messages erased, keys revoked."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from itertools import batched
from uuid import UUID

from accounts.actors import Actor
from accounts.models import AgentKey
from memoryapp.database.isolation import wide_access
from memoryapp.models import Confirmation, Episode, Memory, Tombstone
from memoryapp.models.memory import State
from memoryapp.services import audit
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import take_out
from memoryapp.services.messages import erase_messages
from memoryapp.services.since_ledger import Since, What, latest
from memoryapp.services.writing import Writer, writer_for

_AT_ONCE = 500


def replay_since() -> int:
    """How much had to be done again; 0 where no backup was restored. Before anybody is served."""
    barred = _each_person(_bar, "barred", latest("barred", "lifted"))
    erased = _each_person(_erase, "message", latest("message"))
    return _revoke() + barred + erased + _each_person(_forget, "forgotten", latest("forgotten", "restored"))


def _revoke() -> int:
    return sum(
        AgentKey.objects.filter(pk=entry.id, revoked_at=None).update(revoked_at=entry.at)
        for entry in latest("revoked").values()
    )


def _each_person(act: Callable[[Collection[Since], Writer], int], done: What, entries: Mapping[UUID, Since]) -> int:
    """Does it for each person of whom something is `done` last, in transactions of some hundred entries."""
    theirs: dict[UUID, list[Since]] = defaultdict(list)
    for entry in entries.values():
        if entry.what == done and entry.person is not None:
            theirs[entry.person].append(entry)
    again = 0
    for person_id in sorted(_with_something_to_do(theirs, done)):
        for some in batched(theirs[person_id], _AT_ONCE):
            # Who is erased has nothing to be done any more.
            with suppress(NotFound), writer_for(Actor("system", person_id=person_id)) as writer:
                again += act(some, writer)
    return again


def _with_something_to_do(theirs: dict[UUID, list[Since]], done: What) -> set[UUID]:
    """Looked for over all persons at once: on most days there is nobody."""
    found: set[UUID] = set()
    every = [entry for entries in theirs.values() for entry in entries]
    with wide_access("ledger_since"):
        for some in batched(every, _AT_ONCE):
            ids = [entry.id for entry in some]
            match done:
                case "forgotten":
                    rows = Memory.objects.filter(pk__in=ids).exclude(state=State.FORGOTTEN)
                    found |= set(rows.values_list("person_id", flat=True))
                case "message":
                    found |= set(Episode.objects.filter(pk__in=ids).values_list("person_id", flat=True))
                    quotes = Confirmation.objects.filter(pk__in=ids, message_erased=False)
                    found |= set(quotes.values_list("person_id", flat=True))
                case _:
                    there = set(Tombstone.objects.filter(pk__in=ids).values_list("pk", flat=True))
                    found |= {entry.person for entry in some if entry.id not in there and entry.person}
    return found


def _forget(entries: Collection[Since], writer: Writer) -> int:
    """What stands as it did before it was forgotten; what was written since then, or restored, is left alone."""
    at = {entry.id: entry.at for entry in entries}
    rows = Memory.objects.filter(pk__in=at).exclude(state=State.FORGOTTEN).select_related("scope")
    back = [memory for memory in rows if memory.changed_at < at[memory.pk]]
    for memory in back:
        take_out(memory, writer, at=at[memory.pk])
        audit.record("forget", "memory", memory.pk, actor=writer.actor, at=writer.now, reason="allow ledger")
    return len(back)


def _erase(entries: Collection[Since], writer: Writer) -> int:
    ids = [entry.id for entry in entries]
    turns = set(Episode.objects.filter(pk__in=ids).values_list("session", "turn"))
    quotes = Confirmation.objects.filter(pk__in=ids, message_erased=False).values_list("session", "turn")
    turns |= {(session, turn) for session, turn in quotes if session is not None and turn is not None}
    erase_messages(turns, writer)
    return len(turns)


def _bar(entries: Collection[Since], writer: Writer) -> int:
    """Where the memory is not in the backup either, nobody knows any more where the value stood."""
    there = set(Tombstone.objects.filter(pk__in=[entry.id for entry in entries]).values_list("pk", flat=True))
    missing = [entry for entry in entries if entry.id not in there and entry.digest is not None]
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
        audit.record("bar", "tombstone", entry.id, actor=writer.actor, at=writer.now, reason="ledger")
    return len(missing)
