"""Doing again what a restored backup took back: what was forgotten, barred, restricted, revoked, messages erased."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import batched
from uuid import UUID

from django.db.models import Model, Q, QuerySet

from accounts.actors import Actor
from accounts.models import AgentKey, Scope, User
from memoryapp.database.isolation import wide_access
from memoryapp.models import Confirmation, Episode, Memory, Tombstone
from memoryapp.services import since_deeds, since_ledger
from memoryapp.services.errors import NotFound
from memoryapp.services.since_ledger import LastWords, Since, What, latest
from memoryapp.services.writing import Writer, writer_for

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class _Deed:
    """`again` are the last words that are carried out, `others` what ends them; `to_do` finds those that are not."""

    again: tuple[What, ...]
    others: tuple[What, ...]
    to_do: Callable[[Sequence[Since]], Iterable[UUID | None]]
    act: Callable[[Sequence[Since], Writer], int]


def replay_since() -> int:
    """How much had to be done again; 0 where no backup was restored. Before anybody is served."""
    since_ledger.flush()
    return _revoke() + sum(map(_do_again, _deeds(set())))


def _revoke() -> int:
    return sum(
        AgentKey.objects.filter(pk=entry.id, revoked_at=None).update(revoked_at=entry.at)
        for entry in latest("revoked").by_id.values()
    )


def _do_again(deed: _Deed) -> int:
    """For each person of whom something is to be done, in transactions of some hundred entries."""
    words = latest(*deed.again, *deed.others)
    theirs: dict[UUID, list[UUID]] = defaultdict(list)
    for entry in words.by_id.values():
        if entry.what in deed.again and entry.person is not None:
            theirs[entry.person].append(entry.id)
    again = 0
    for person_id in sorted(_with_something_to_do(deed, words)):
        for some in batched(theirs[person_id], _AT_ONCE):
            # Who is erased has nothing to be done any more.
            with suppress(NotFound), writer_for(Actor("system", person_id=person_id)) as writer:
                # What they did until the lock was taken counts: under it, all they did is in the file.
                since_ledger.flush()
                words.read_on()
                entries = [entry for one in some if (entry := words.by_id[one]).what in deed.again]
                again += deed.act(entries, writer)
    return again


def _with_something_to_do(deed: _Deed, words: LastWords) -> set[UUID]:
    """Looked for over all persons at once: on most days there is nobody."""
    every = [entry for entry in words.by_id.values() if entry.what in deed.again and entry.person is not None]
    with wide_access("ledger_since"):
        return {one for some in batched(every, _AT_ONCE) for one in deed.to_do(some) if one is not None}


def _memories(wanted: Q, touched: set[UUID]) -> Callable[[Sequence[Since]], Iterable[UUID | None]]:
    """Persons whose memories stand as they did before that was done to them."""

    def to_do(some: Sequence[Since]) -> Iterable[UUID | None]:
        rows = Memory.objects.filter(wanted).only("person_id", "changed_at")
        return [memory.person_id for memory in since_deeds.standing_as_before(rows, some, touched)]

    return to_do


def _messages(some: Sequence[Since]) -> Iterable[UUID | None]:
    ids = [entry.id for entry in some]
    quotes = Confirmation.objects.filter(pk__in=ids, message_erased=False)
    return [*_persons(Episode.objects.filter(pk__in=ids)), *_persons(quotes)]


def _persons(rows: QuerySet[Model]) -> Iterable[UUID]:
    return rows.values_list("person_id", flat=True)


def _tombstones(some: Sequence[Since]) -> Iterable[UUID | None]:
    there = set(Tombstone.objects.filter(pk__in=[entry.id for entry in some]).values_list("pk", flat=True))
    return [entry.person for entry in some if (entry.id in there) == (entry.what == "lifted")]


def _switched(some: Sequence[Since]) -> Iterable[UUID | None]:
    """The last word on a switch names it: `learning_off`."""
    name = some[0].what.partition("_")[0]
    ids = [entry.id for entry in some]
    rows: list[QuerySet[Model]] = [User.objects.filter(pk__in=ids), Scope.objects.filter(pk__in=ids)]
    is_on = {pk: on for found in rows for pk, on in found.values_list("pk", name)}
    return [entry.person for entry in some if is_on.get(entry.id) == entry.what.endswith("_off")]


def _deeds(touched: set[UUID]) -> Sequence[_Deed]:
    pause, dispute, forget = (
        partial(act, touched=touched) for act in (since_deeds.pause, since_deeds.dispute, since_deeds.forget)
    )
    return (
        _Deed(("barred", "lifted"), (), _tombstones, since_deeds.bar_or_lift),
        _Deed(("message",), (), _messages, since_deeds.erase),
        _Deed(("learning_on", "learning_off"), (), _switched, since_deeds.switch),
        _Deed(("use_on", "use_off"), (), _switched, since_deeds.switch),
        # Used again or settled is done by the person: what the backup says of it may be another text.
        _Deed(("paused",), ("resumed",), _memories(since_deeds.USED, touched), pause),
        _Deed(("disputed",), ("settled",), _memories(since_deeds.UNDISPUTED, touched), dispute),
        # Last, so that what is brought back from the trash is as it was before it was forgotten.
        _Deed(("forgotten",), ("restored",), _memories(since_deeds.THERE, touched), forget),
    )
