"""Our own export, part by part: each is read line by line, as often as it is asked for."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import IO, Any

from memoryapp.services.carried import Carried
from memoryapp.services.import_json import time_of

Row = dict[str, Any]
_ROW = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file whose signature vouches for its bytes up to `end`, and so for its lines: each row has one of its own."""

    file: IO[bytes]
    end: int

    def head(self) -> Row:
        """What stands before the parts."""
        head: Row = {}
        for line in self._lines():
            name, _, rest = line.decode().partition(": ")
            if rest.startswith("[") and name != '"do_not_learn_keys"':
                break
            if name.startswith('"'):
                head[json.loads(name)] = json.loads(rest.rstrip().rstrip(","))
        return head

    def part(self, name: str) -> Iterator[tuple[int, Row]]:
        """Its rows, each with its line."""
        for number, line in self._unread(name):
            found = _ROW.match(line.decode())
            assert found is not None
            yield number, json.loads(found[0])

    def count(self, name: str) -> int:
        """How many rows it has, without reading them."""
        return sum(1 for _ in self._unread(name))

    def _unread(self, name: str) -> Iterator[tuple[int, bytes]]:
        begins, is_inside = f'"{name}": ['.encode(), False
        for number, line in enumerate(self._lines(), 1):
            if line.startswith(b'"'):
                if is_inside:
                    return
                is_inside = line.startswith(begins)
            elif is_inside and line.startswith(b"{"):
                yield number, line

    def memories(self) -> Iterator[Carried]:
        for number, row in self.part("memories"):
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

    def _lines(self) -> Iterator[bytes]:
        self.file.seek(0)
        while self.file.tell() < self.end and (line := self.file.readline()):
            yield line
