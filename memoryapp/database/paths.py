"""Where everything lies that one installation keeps on disk. Computing it touches nothing."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

SOCKET_PORT = 5432
"""Part of the socket's file name only: the embedded server listens on no network address."""

_LONGEST_SOCKET_PATH = 103
"""Bytes that fit `sun_path` on every system (Linux has 107)."""


@dataclass(frozen=True, slots=True)
class Paths:
    """`data` is an absolute path."""

    data: Path

    @property
    def lock(self) -> Path:
        return self.data / "lock"

    @property
    def secret_key(self) -> Path:
        return self.data / "secret_key"

    @property
    def erasures(self) -> Path:
        """Which rows were erased, for a backup that is restored later."""
        return self.data / "erasures.jsonl"

    @property
    def cluster(self) -> Path:
        return self.data / "postgres"

    @property
    def postgres_log(self) -> Path:
        return self.data / "postgres.log"

    @property
    def socket_folder(self) -> Path:
        """Closed to all but the server's account and us, since whoever reaches the socket is superuser.

        In the data folder where its path is short and plain; else in /tmp under a name made from that path, so that
        every command finds it whatever its TMPDIR.
        """
        inside = self.data / "socket"
        longest = len(str(inside / f".s.PGSQL.{SOCKET_PORT}").encode())
        if longest <= _LONGEST_SOCKET_PATH and re.fullmatch(r"[A-Za-z0-9_./+-]+", str(inside)):
            return inside
        return Path("/tmp") / f"memory-{hashlib.sha256(str(self.data).encode()).hexdigest()[:16]}"  # noqa: S108
