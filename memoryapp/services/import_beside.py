"""What an own export holds beside memories and is brought too: its do-not-learn list, and its messages."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import batched
from typing import Any

from accounts.ids import uuid7
from accounts.models import Scope, User
from memoryapp.models import Episode, Tombstone
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import PERSONAL
from memoryapp.services import do_not_learn
from memoryapp.services.import_file import Bundle
from memoryapp.services.import_json import time_of
from memoryapp.services.messages import Turn
from memoryapp.services.writing import Writer

AT_ONCE = 500

Place = tuple[str, str, int]
"""A scope's name, a session and the number of a turn in it."""


@dataclass(slots=True)
class Tally:
    """How much of one part is `new`, how much is here already, and what is refused, by rule."""

    new: int = 0
    same: int = 0
    refused: dict[str, int] = field(default_factory=dict)

    def count(self, outcomes: Iterable[str]) -> Iterator[str]:
        """Passes them on: `new`, `same`, or the rule that refused."""
        refused = Counter[str]()
        for outcome in outcomes:
            match outcome:
                case "new":
                    self.new += 1
                case "same":
                    self.same += 1
                case _:
                    refused[outcome] += 1
            yield outcome
        self.refused = dict(sorted(refused.items()))


def bring_do_not_learn(bundle: Bundle, writer: Writer) -> Iterator[str]:
    """Adds what the list here lacks, and takes nothing off it. Of a wording only the digest is known; what it was laid
    for, and where that stood, are as the file says.
    """
    here = list(Tombstone.objects.filter(person=writer.person))
    digests = {bytes(row.digest) for row in here if row.digest is not None}
    closed = {(row.scope_name, row.subject_key) for row in here if row.digest is None}
    laid: list[Tombstone] = []
    for row in bundle.do_not_learn:
        digest = bytes.fromhex(row["digest"]) if row.get("digest") else None
        place = (row["scope_name"], row["subject_key"])
        if digest is None and not row["is_whole_subject"]:
            # An agent's export, or one from before digests went along: nothing is known of the wording.
            yield "unknown_wording"
            continue
        if digest in digests if digest is not None else place in closed:
            yield "same"
            continue
        yield "new"
        if digest is None:
            closed.add(place)
        else:
            digests.add(digest)
        laid.append(
            Tombstone(
                id=uuid7(),
                person_id=writer.person.pk,
                digest=digest,
                kind=row["kind"],
                scope_name=row["scope_name"],
                subject_key=row["subject_key"],
                recorded_at=min(time_of(row["recorded_at"]) or writer.now, writer.now),
            )
        )
    Tombstone.objects.bulk_create(laid, batch_size=AT_ONCE)
    if any(row.digest for row in laid):
        _keep_keys(bundle.keys, writer)
    # Without their keys, which are in no file of ours, digests of elsewhere would say nothing after a restore.
    do_not_learn.note_barred((row for row in laid if row.digest is None), writer)


def _keep_keys(keys: Iterable[bytes], writer: Writer) -> None:
    person = writer.person
    own = [bytes(key) for key in (person.digest_key, *person.brought_keys)]
    brought = [key for key in dict.fromkeys(keys) if key not in own]
    if brought:
        person.brought_keys = [*person.brought_keys, *brought]
        User.objects.filter(pk=person.pk).update(brought_keys=person.brought_keys)


def bring_messages(
    rows: Iterable[Mapping[str, Any]],
    *,
    names: Mapping[str, str],
    scope_of: Callable[[str], Scope],
    is_learned_in: Callable[[str], bool],
    is_barred: Callable[[str], bool],
    left_out: Collection[Turn],
    writer: Writer,
) -> Iterator[str]:
    """Stores the messages that are not here; a turn that is here with other content stays as it is.

    `names` are the file's scopes by id. `left_out` are turns in which something was said that is not to be learned
    again: a message is no way back for it. Secrets are masked.
    """
    for some in batched(rows, AT_ONCE):
        known = _known(some, writer)
        fresh: list[Episode] = []
        for row in some:
            name = names.get(row["scope"], PERSONAL)
            place, content = (name, row["session"], row["turn"]), mask_secrets(row["content"])
            if not is_learned_in(name):
                yield "paused"
            elif place in known:
                yield "same" if known[place] == (content, row["role"]) else "other_content"
            elif (row["session"], row["turn"]) in left_out or is_barred(content):
                yield "forgotten"
            else:
                known[place] = (content, row["role"])
                fresh.append(_episode(row, content, scope_of(name), writer))
                yield "new"
        Episode.objects.bulk_create(fresh)


def _known(some: Iterable[Mapping[str, Any]], writer: Writer) -> dict[Place, tuple[str, str]]:
    some = list(some)
    rows = Episode.objects.filter(
        person=writer.person,
        session__in={row["session"] for row in some},
        turn__in={row["turn"] for row in some},
    )
    found = rows.values_list("scope__name", "session", "turn", "content", "role")
    return {(name, session, turn): (content, role) for name, session, turn, content, role in found}


def _episode(row: Mapping[str, Any], content: str, scope: Scope, writer: Writer) -> Episode:
    """How long it is kept counts from when it was stored first."""
    return Episode(
        id=uuid7(),
        person_id=writer.person.pk,
        scope=scope,
        session=row["session"],
        turn=row["turn"],
        role=row["role"],
        content=content,
        occurred_at=time_of(row["occurred_at"]) or writer.now,
        recorded_at=min(time_of(row["recorded_at"]) or writer.now, writer.now),
    )
