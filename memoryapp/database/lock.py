"""One process at a time owns the data folder. The kernel drops the lock when that process ends, however it ends."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

Holder = Literal["up", "command"]


class DataLock:
    """`up` shares its server with everybody; a single command keeps the server that it started to itself."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._descriptor: int | None = None

    def take(self, holder: Holder) -> bool:
        """True when the lock is ours now; never waits."""
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        os.truncate(descriptor, 0)
        os.write(descriptor, f"{holder} {os.getpid()}\n".encode())
        self._descriptor = descriptor
        return True

    def held_by(self) -> tuple[str, int] | None:
        """Kind and process id of the holder as it wrote them; None while it has not."""
        words = self._path.read_text().split()
        return (words[0], int(words[1])) if len(words) == 2 else None

    def release(self) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.release()
