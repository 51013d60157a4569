"""What else a restored backup must not take back: what was forgotten, barred, restricted, revoked, messages erased.

Lines of the ledger of erasures, with random ids, digests under a person's own key, and instants. Each is written into
the database with what it is about, and from there into the file before anybody is told that it is done: what was rolled
back is not in it, and what a crash came between is put into it by whoever looks next.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, cast
from uuid import UUID

from django.db import connection, transaction

from memoryapp.models import LedgerLine
from memoryapp.services import erase_ledger
from memoryapp.services.shown import time_json

What = Literal[
    "forgotten", "restored", "barred", "lifted", "message", "revoked", "paused", "resumed", "disputed", "settled",
    "learning_on", "learning_off", "use_on", "use_off",
]  # fmt: skip


_AT_ONCE = 10_000
"""So many lines go into the file together. More of them wait where it could not be written for long."""


@dataclass(frozen=True, slots=True)
class Since:
    """One line. `id` is of a memory, a tombstone, a message or one time that it was quoted, a key, or of the person or
    scope that was switched.

    `person` is whose it is; a tombstone also has its `digest`, the `memory` that it was laid for, and whether it closes
    a whole `subject`, whose name is in the digest only. `by` is the kind of actor who paused or disputed.
    """

    what: What
    id: UUID
    at: datetime
    person: UUID | None = None
    memory: UUID | None = None
    digest: bytes | None = None
    is_subject: bool = False
    by: str | None = None


def note(*entries: Since) -> None:
    """Takes them down within the transaction. Once it has committed they are on the disk before the caller goes on."""
    if not entries:
        return
    LedgerLine.objects.bulk_create(LedgerLine(row=_row(entry)) for entry in entries)
    if not any(flush in waiting for waiting in connection.run_on_commit):
        # Where the file cannot be written the line stays in the database, and is tried again.
        transaction.on_commit(flush, robust=True)


def flush() -> None:
    """Puts what is taken down into the file. One that a crash comes between is in it twice, which says the same."""
    while _put_in() == _AT_ONCE:
        pass


def _put_in() -> int:
    with transaction.atomic():
        # Whoever else is at it has them on the disk when this one goes on.
        lines = list(LedgerLine.objects.select_for_update().order_by("pk")[:_AT_ONCE])
        if lines:
            erase_ledger.append([line.row for line in lines])
            LedgerLine.objects.filter(pk__in=[line.pk for line in lines]).delete()
    return len(lines)


@dataclass(slots=True)
class LastWords:
    """The last word on each id, among lines of some kinds; by its instant, since processes write side by side."""

    whats: tuple[What, ...]
    by_id: dict[UUID, Since] = field(default_factory=dict)
    _read_to: int = 0

    def read_on(self) -> None:
        """Takes in what has come to the file since it was last called; at first all of it."""
        rows, self._read_to = erase_ledger.rows(self._read_to)
        for entry in _entries(rows):
            known = self.by_id.get(entry.id)
            if entry.what in self.whats and (known is None or known.at <= entry.at):
                self.by_id[entry.id] = entry


def latest(*whats: What) -> LastWords:
    words = LastWords(whats)
    words.read_on()
    return words


def _entries(rows: Iterable[dict[str, str]]) -> Iterator[Since]:
    for row in rows:
        try:
            yield Since(
                what=cast(What, row["since"]),
                id=UUID(row["id"]),
                at=datetime.fromisoformat(row["at"]),
                person=UUID(row["person"]) if "person" in row else None,
                memory=UUID(row["memory"]) if "memory" in row else None,
                digest=bytes.fromhex(row["digest"]) if "digest" in row else None,
                is_subject=row.get("closes") == "subject",
                by=row.get("by"),
            )
        except (ValueError, KeyError):
            continue


def _row(entry: Since) -> dict[str, str]:
    row = {"since": entry.what, "id": str(entry.id), "at": time_json(entry.at) or ""}
    named = {
        "person": entry.person, "memory": entry.memory, "digest": entry.digest and entry.digest.hex(), "by": entry.by,
    }  # fmt: skip
    row |= {name: str(value) for name, value in named.items() if value}
    return row | ({"closes": "subject"} if entry.is_subject else {})
