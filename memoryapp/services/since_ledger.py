"""What else a restored backup must not take back: forgetting, do-not-learn, messages erased, keys revoked.

Lines of the ledger of erasures, with random ids, digests under a person's own key, and instants. They are written once
the change is committed: what was rolled back never happened, and is not to be done at a restore.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal, cast, get_args
from uuid import UUID

from django.db import transaction

from memoryapp.services import erase_ledger
from memoryapp.services.shown import time_json

What = Literal["forgotten", "restored", "barred", "lifted", "message", "revoked"]


@dataclass(frozen=True, slots=True)
class Since:
    """One line. `id` is of a memory, a tombstone, a message or one time that it was quoted, or a key.

    `person` is whose it is; a tombstone also has its `digest`, the `memory` that it was laid for, and whether it closes
    a whole `subject`, whose name is in the digest only.
    """

    what: What
    id: UUID
    at: datetime
    person: UUID | None = None
    memory: UUID | None = None
    digest: bytes | None = None
    is_subject: bool = False


def note(*entries: Since) -> None:
    """Appends the entries when the transaction has committed."""
    if entries:
        transaction.on_commit(partial(_write, entries), robust=True)


def read() -> Iterator[Since]:
    for row in erase_ledger.rows():
        try:
            yield Since(
                what=cast(What, row["since"]),
                id=UUID(row["id"]),
                at=datetime.fromisoformat(row["at"]),
                person=UUID(row["person"]) if "person" in row else None,
                memory=UUID(row["memory"]) if "memory" in row else None,
                digest=bytes.fromhex(row["digest"]) if "digest" in row else None,
                is_subject=row.get("closes") == "subject",
            )
        except (ValueError, KeyError):
            continue


def latest(*whats: What) -> dict[UUID, Since]:
    """The last word on each id, among lines of these kinds; by its instant, since processes write side by side."""
    assert set(whats) <= set(get_args(What))
    found: dict[UUID, Since] = {}
    for entry in read():
        if entry.what in whats and (entry.id not in found or found[entry.id].at <= entry.at):
            found[entry.id] = entry
    return found


def _write(entries: Iterable[Since]) -> None:
    # Only a restored backup asks for them, so that nobody waits for the disk.
    erase_ledger.append([_row(entry) for entry in entries], on_disk=False)


def _row(entry: Since) -> dict[str, str]:
    row = {"since": entry.what, "id": str(entry.id), "at": time_json(entry.at) or ""}
    named = {"person": entry.person, "memory": entry.memory, "digest": entry.digest and entry.digest.hex()}
    row |= {name: str(value) for name, value in named.items() if value}
    return row | ({"closes": "subject"} if entry.is_subject else {})
