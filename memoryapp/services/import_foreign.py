"""Files of other stores: lists of memories as mem0 writes them, OpenMemory's zip, exports that nobody here signed."""

import gzip
import io
import json
import lzma
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from typing import Any

from memoryapp.policy.normal import normal_form
from memoryapp.policy.types import DURABLE_KINDS, PERSONAL
from memoryapp.services.carried import Carried
from memoryapp.services.errors import Malformed
from memoryapp.services.import_json import is_storable, line_of_item, parse, time_of

TEXT_LENGTH, SUBJECT_LENGTH, KIND_LENGTH, REASON_LENGTH = 2_000, 200, 64, 2_000
ALIAS_LENGTH, MOST_ALIASES, SOURCE_LENGTH, METADATA_BYTES = 80, 20, 20_000, 8 * 1024
_DERIVED_LENGTH = 60
_OVER = ("deleted", "archived")
_LIST, _LINES = "memories.json", "memories.jsonl.gz"
_WORD_END = re.compile(r"\s+\S*$")

Make = Callable[[Any, int | None], Carried]


def memories_of(value: Any, content: bytes, part: str | None = None, make: Make | None = None) -> Iterator[Carried]:
    """The memories of a list, or of the list that an object holds as `results` or `memories`."""
    rows = value
    if part is None and isinstance(value, dict):
        part = next((name for name in ("results", "memories") if name in value), None)
        rows = value[part] if part else None
    if not isinstance(rows, list):
        raise Malformed("There is no list of memories in it.", line=1)
    for index, row in enumerate(rows):
        try:
            yield (make or mem0_memory)(row, None)
        except (Malformed, RecursionError) as error:
            message = error.detail if isinstance(error, Malformed) else "It is nested too deeply."
            raise Malformed(message, line=line_of_item(content, index, part)) from None


def mem0_memory(row: Any, line: int | None) -> Carried:
    """`memory`, or OpenMemory's `content`, and what belongs to it. What it is about is taken from its first words."""
    _require(isinstance(row, dict), "A memory is an object.", line)
    _require(is_storable(row), "It holds NUL or half a surrogate pair.", line)
    text = row.get("memory", row.get("content"))
    _require(isinstance(text, str) and normal_form(text) != "", "A memory has a text in `memory`.", line)
    metadata = row.get("metadata") if row.get("metadata") is not None else {}
    _require(isinstance(metadata, dict), "`metadata` is an object.", line)
    user = row.get("user_id")
    _require(user is None or isinstance(user, str | int), "`user_id` is a text.", line)
    try:
        created_at, updated_at = time_of(row.get("created_at")), time_of(row.get("updated_at"))
    except ValueError:
        raise Malformed("A time cannot be read.", line=line) from None
    kind = metadata.get("kind")
    return Carried(
        line=line,
        kind=kind if kind in DURABLE_KINDS else "fact",
        subject=_first_words(text),
        scope=PERSONAL,
        text=text,
        said_at=updated_at or created_at,
        head={"metadata": metadata},
        is_over=row.get("state") in _OVER or row.get("deleted_at") is not None,
        user=None if user is None else str(user),
        id=None if row.get("id") is None else str(row["id"]),
    )


def foreign_memory(row: Any, line: int | None) -> Carried:
    """A memory of an export that was written elsewhere, or that nobody vouches for: its words, and nothing else."""
    _require(isinstance(row, dict) and is_storable(row), "A memory is an object of texts that can be stored.", line)
    texts = {"kind": KIND_LENGTH, "subject": SUBJECT_LENGTH, "scope": 128}
    for name, longest in texts.items():
        given = row.get(name)
        is_text = isinstance(given, str) and normal_form(given) != "" and len(given) <= longest
        _require(is_text, f"`{name}` is a text of 1 to {longest} characters.", line)
    text, reason, source = row.get("text"), row.get("reason"), row.get("source")
    _require(isinstance(text, str) and normal_form(text) != "", "A memory has a `text`.", line)
    for name, given, longest in (("reason", reason, REASON_LENGTH), ("source", source, SOURCE_LENGTH)):
        is_text = given is None or (isinstance(given, str) and len(given) <= longest)
        _require(is_text, f"`{name}` is a text of at most {longest} characters.", line)
    aliases, metadata = row.get("aliases", []), row.get("metadata", {})
    are_names = isinstance(aliases, list) and len(aliases) <= MOST_ALIASES
    are_names = are_names and all(isinstance(one, str) and 1 <= len(one) <= ALIAS_LENGTH for one in aliases)
    _require(are_names, f"`aliases` are at most {MOST_ALIASES} names.", line)
    _require(isinstance(metadata, dict), "`metadata` is an object.", line)
    try:
        said_at = time_of(row.get("occurred_at"))
    except ValueError:
        raise Malformed("`occurred_at` cannot be read.", line=line) from None
    return Carried(
        line=line,
        kind=row["kind"],
        subject=row["subject"],
        scope=row["scope"],
        text=text,
        said_at=said_at,
        head={"reason": reason, "source": source, "aliases": aliases, "metadata": metadata},
        is_over=row.get("status") in ("closed", "expired", "forgotten"),
    )


def is_too_long(one: Carried) -> bool:
    size = len(json.dumps(one.head.get("metadata", {}), ensure_ascii=False, separators=(",", ":")).encode())
    return len(one.text) > TEXT_LENGTH or size > METADATA_BYTES


def _require(holds: bool, message: str, line: int | None) -> None:
    if not holds:
        raise Malformed(message, line=line)


def _first_words(text: str) -> str:
    """What it is about, until the person says: its first words, without a dot, which would name a scope."""
    words = " ".join(text.replace(".", " ").split())
    if len(words) > _DERIVED_LENGTH:
        words = _WORD_END.sub("", words[:_DERIVED_LENGTH]) or words[:_DERIVED_LENGTH]
    return words if normal_form(words) else "text"


def read_zip(content: bytes, largest: int) -> Iterator[Carried]:
    """The memories of both files in it, each once. Nothing is unpacked to a disk, and no more than `largest` bytes."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            files = {name: _unpack(archive, name, largest) for name in (_LIST, _LINES)}
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError, RuntimeError):
        raise Malformed("This zip cannot be read.") from None
    listed, lines = files[_LIST], files[_LINES]
    if listed is None and lines is None:
        raise Malformed(f"Neither {_LIST} nor {_LINES} is in this zip.")
    seen = set()
    if listed is not None:
        for one in memories_of(parse(listed), listed):
            seen.add(one.id)
            yield one
    for number, line in enumerate((lines or b"").splitlines(), 1):
        if line.strip():
            try:
                one = mem0_memory(parse(line, line=number), number)
            except RecursionError:
                raise Malformed("It is nested too deeply.", line=number) from None
            if one.id is None or one.id not in seen:
                yield one


def _unpack(archive: zipfile.ZipFile, name: str, largest: int) -> bytes | None:
    if archive.namelist().count(name) > 1:
        raise Malformed(f"There is more than one {name} in this zip.")
    if name not in archive.namelist():
        return None
    with archive.open(name) as packed:
        if name.endswith(".gz"):
            with gzip.GzipFile(fileobj=packed) as unpacked:
                content = unpacked.read(largest + 1)
        else:
            content = packed.read(largest + 1)
    if len(content) > largest:
        raise Malformed(f"{name} has more than {largest >> 20} MiB when it is unpacked.")
    return content
