"""The ledger of erasures: a file beside the database that a restored backup is held against.

One JSON object a line: what was erased (`person` or `memory`), its random row id, the instant, and a person's receipt.
Nothing of it says who or what that was. `since_ledger` writes its lines into the same file.
"""

import fcntl
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, cast
from uuid import UUID

from django.conf import settings

from memoryapp.services.shown import time_json

What = Literal["person", "memory"]


@dataclass(frozen=True, slots=True)
class Erased:
    """One line. `receipt` is a person's only."""

    what: What
    id: UUID
    at: datetime
    receipt: UUID | None = None


def note(*entries: Erased) -> None:
    """Appends the entries; they are on the disk when it returns. To be called before the erasing commits.

    So that nothing is erased that the ledger does not know. OSError when the file cannot be written.
    """
    append([_kept(entry) for entry in entries])


def append(rows: Sequence[Mapping[str, str]]) -> None:
    """Adds a line for each row; they are on the disk when it returns. OSError when the file cannot be written."""
    path = settings.ERASURE_LEDGER
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    is_new = not path.exists()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        size = os.fstat(descriptor).st_size
        # What a crash has cut short stays a line of its own.
        torn = size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
        left = (b"\n" if torn else b"") + b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        while left:
            left = left[os.write(descriptor, left) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    if is_new:
        _sync_folder(path.parent)


def read() -> Iterator[Erased]:
    """All entries, oldest first. A line that a crash has cut short belongs to an erasing that was not committed."""
    for entry in rows()[0]:
        try:
            receipt = UUID(entry["receipt"]) if "receipt" in entry else None
            yield Erased(cast(What, entry["erased"]), UUID(entry["id"]), datetime.fromisoformat(entry["at"]), receipt)
        except (ValueError, KeyError):
            continue


def rows(start: int = 0) -> tuple[list[dict[str, str]], int]:
    """The lines from that byte on that are whole, oldest first, and the byte where the next one will begin."""
    try:
        with settings.ERASURE_LEDGER.open("rb") as file:
            file.seek(start)
            written = file.read()
    except FileNotFoundError:
        return [], 0
    # What another process is just writing is read when it is whole.
    end = written.rfind(b"\n") + 1
    found = []
    for line in written[:end].splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            found.append(row)
    return found, start + end


def _kept(entry: Erased) -> dict[str, str]:
    kept = {"erased": str(entry.what), "id": str(entry.id), "at": time_json(entry.at) or ""}
    if entry.receipt:
        kept["receipt"] = str(entry.receipt)
    return kept


def _sync_folder(folder: os.PathLike[str]) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
