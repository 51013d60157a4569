"""Reading what somebody brings: whose file it is, and its memories one by one, with the lines where they stand."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Literal

from memoryapp.services.carried import Carried
from memoryapp.services.errors import Invalid, Malformed
from memoryapp.services.export import FORMAT, FORMAT_VERSION
from memoryapp.services.export_signature import SIGNATURE, check, key_id
from memoryapp.services.import_foreign import foreign_memory, memories_of, read_zip
from memoryapp.services.import_json import parse, time_of

LARGEST_FOREIGN = 32 * 1024 * 1024
"""Bytes of a file that was not signed here, unpacked: it is read whole. Our own are read line by line."""

Source = Literal["own", "unsigned", "mem0", "openmemory"]
_ROW = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a file is. `source` "own": signed here and unchanged; its `scopes` are rows of the export by name.

    `memories` is read as it is asked for, once; it raises Malformed.
    """

    source: Source
    memories: Iterator[Carried]
    scopes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    person: Mapping[str, Any] = field(default_factory=dict)
    exported_at: datetime | None = None

    @property
    def is_own(self) -> bool:
        return self.source == "own"


def open_bundle(file: IO[bytes]) -> Bundle:
    """Tells what the file is by looking, whatever it is called.

    Malformed when it is none of what can be read. Invalid when it was written here and changed since: what is missing
    or other in it nobody can tell, and the file as it was written can be had again.
    """
    checked = check(file)
    if checked.verdict == "changed":
        raise _changed()
    if checked.verdict == "ours":
        return _own(file, checked.end)
    content = file.read(LARGEST_FOREIGN + 1)
    if len(content) > LARGEST_FOREIGN:
        raise Malformed(f"Without our signature a file may have {LARGEST_FOREIGN >> 20} MiB at most.")
    if content.startswith(b"PK"):
        return Bundle("openmemory", read_zip(content, LARGEST_FOREIGN))
    return _foreign(content)


def _foreign(content: bytes) -> Bundle:
    value = parse(content)
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        return Bundle("mem0", memories_of(value, content))
    signature = value.get(SIGNATURE)
    if isinstance(signature, dict) and signature.get("key") == key_id():
        raise _changed()
    _check_version(value.get("version"), 1 + content.count(b"\n", 0, max(0, content.find(b'"version"'))))
    return Bundle("unsigned", memories_of(value.get("memories"), content, "memories", foreign_memory))


def _changed() -> Invalid:
    return Invalid("file", "This export was written here and has been changed since. Take the file as it was written.")


def _check_version(version: Any, line: int) -> None:
    if not isinstance(version, int) or version > FORMAT_VERSION:
        raise Malformed("This export is of a later version than the one that can be read here.", line=line)


def _own(file: IO[bytes], end: int) -> Bundle:
    """The signature vouches for the bytes, and so for their lines: a row of a part has one of its own."""
    lines = _lines(file, end)
    head: dict[str, Any] = {}
    scopes: dict[str, Mapping[str, Any]] = {}
    for number, line in lines:
        name, _, rest = line.partition(": ")
        if name == '"memories"':
            break
        if line.startswith('"') and not rest.startswith("["):
            head[json.loads(name)] = json.loads(rest.rstrip().rstrip(","))
        elif line.startswith("{") and number > 1:
            row = _row(line)
            scopes[row["name"]] = row
    _check_version(head.get("version"), 3)
    return Bundle("own", _own_memories(lines), scopes, head.get("person") or {}, time_of(head.get("exported_at")))


def _lines(file: IO[bytes], end: int) -> Iterator[tuple[int, str]]:
    number = 0
    while file.tell() < end and (line := file.readline()):
        number += 1
        yield number, line.decode()


def _own_memories(lines: Iterator[tuple[int, str]]) -> Iterator[Carried]:
    for number, line in lines:
        if not line.startswith("{"):
            return
        row = _row(line)
        yield Carried(
            line=number,
            kind=row["kind"],
            subject=row["subject"],
            scope=row["scope"],
            text=row["text"],
            said_at=time_of(row["last_said_at"] or row["occurred_at"]),
            head=row,
            versions=row["versions"],
        )


def _row(line: str) -> dict[str, Any]:
    found = _ROW.match(line)
    assert found is not None
    row: dict[str, Any] = json.loads(found[0])
    return row
