"""Reading what somebody brings: whose file it is, and its memories one by one, with the lines where they stand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, Any, Literal

from memoryapp.services.carried import Carried
from memoryapp.services.errors import Invalid, Malformed
from memoryapp.services.export import FORMAT, FORMAT_VERSION
from memoryapp.services.export_signature import SIGNATURE, check, key_id
from memoryapp.services.import_foreign import foreign_memory, memories_of, read_zip
from memoryapp.services.import_json import parse, time_of
from memoryapp.services.import_own import OwnFile
from memoryapp.services.sealed_keys import unseal

LARGEST_FOREIGN = 32 * 1024 * 1024
"""Bytes of a file that was not signed here, unpacked: it is read whole. Our own are read line by line."""

Source = Literal["own", "unsigned", "mem0", "openmemory"]


@dataclass(frozen=True, slots=True)
class Bundle:
    """What a file is. `source` "own": signed here and unchanged; its `scopes` are rows of the export by name.

    `held` is how many memories an own export has. `memories` and then `messages` are read as they are asked for, once;
    the former raises Malformed. `keys` are those under which the digests of `do_not_learn` were made.
    """

    source: Source
    memories: Iterator[Carried]
    scopes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    person: Mapping[str, Any] = field(default_factory=dict)
    exported_at: datetime | None = None
    held: int = 0
    do_not_learn: Sequence[Mapping[str, Any]] = ()
    keys: Sequence[bytes] = ()
    messages: Iterator[Mapping[str, Any]] = field(default_factory=lambda: iter(()))

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
        return _own(OwnFile(file, checked.end))
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


def _own(own: OwnFile) -> Bundle:
    head = own.head()
    _check_version(head.get("version"), 3)
    return Bundle(
        "own",
        own.memories(),
        {row["name"]: row for _, row in own.part("scopes")},
        head.get("person") or {},
        time_of(head.get("exported_at")),
        own.count("memories"),
        do_not_learn=[row for _, row in own.part("do_not_learn")],
        keys=[unseal(one) for one in head.get("do_not_learn_keys", ())],
        messages=(row for _, row in own.part("messages")),
    )
