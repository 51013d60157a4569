"""The embedded PostgreSQL: a child of ours from `start` to `stop`, which the kernel ends when we die without stopping.

The caller holds the data folder's lock (`lock.py`). Nothing is printed; what fails is a `Refused`.
"""

import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from memoryapp.database.binaries import program, spawn
from memoryapp.database.cluster import SUPERUSER, answers, make_cluster, make_database
from memoryapp.database.folders import make_data_folder, make_private_folder, server_account
from memoryapp.database.paths import SOCKET_PORT, Paths
from memoryapp.process import end_child, end_leftover, ending_with_us, holding_signals
from memoryapp.refusal import Refused

READY_SECONDS = 120.0
"""A crash recovery may take this long."""

_LARGEST_LOG = 10_000_000
_STOP = ((signal.SIGINT, 30.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))
_SETTINGS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "shared_buffers": "256MB",
    "work_mem": "16MB",
    "maintenance_work_mem": "128MB",
    "effective_cache_size": "1GB",
    "random_page_cost": "1.1",
    "jit": "off",
    "autovacuum": "on",
    "synchronous_commit": "on",
    "timezone": "UTC",
    "log_timezone": "UTC",
    # A failed statement's text and values are personal content: only the server's own life is logged.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_checkpoints": "off",
}


class EmbeddedServer:
    """`fsync=False` is for data that nobody will miss."""

    def __init__(self, paths: Paths, *, fsync: bool = True, max_connections: int = 100) -> None:
        self._paths = paths
        self._fsync = fsync
        safe = "on" if fsync else "off"
        self._settings = _SETTINGS | {
            "fsync": safe, "full_page_writes": safe, "max_connections": str(max_connections)
        }  # fmt: skip
        self._child: subprocess.Popen[bytes] | None = None
        self.is_new = False
        """Whether `start` has found or made a database without any table."""

    def start(self) -> None:
        """Makes what is missing, starts the server and returns when the ordinary role can connect."""
        make_data_folder(self._paths)
        account = server_account(self._paths)
        self._end_former()
        make_cluster(self._paths, account, fsync=self._fsync)
        make_private_folder(self._paths.socket_folder, account)
        self._launch()
        self.is_new = make_database(self._paths)

    def restart(self) -> None:
        """Starts the server again after `has_ended`. Backends of the dead one may have to go first."""
        until = time.monotonic() + 30
        while True:
            try:
                return self._launch()
            except Refused:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)

    def has_ended(self) -> bool:
        """True when the server is gone though nobody stopped it, whatever its exit code."""
        return self._child is not None and self._child.poll() is not None

    def stop(self) -> None:
        """Ends the server in order: open transactions are rolled back, everything is written."""
        if self._child is not None:
            end_child(self._child, _STOP)
            self._child = None
            with suppress(OSError):
                self._paths.socket_folder.rmdir()

    def _launch(self) -> None:
        log = self._paths.postgres_log
        if log.exists() and log.stat().st_size > _LARGEST_LOG:
            log.replace(log.with_suffix(".log.1"))
        options = [f"{name}={value}" for name, value in self._settings.items()]
        with log.open("ab") as output, holding_signals():
            written = output.tell()
            self._child = spawn(
                [
                    program("postgres"),
                    *("-D", self._paths.cluster, "-k", self._paths.socket_folder, "-p", str(SOCKET_PORT)),
                    *(word for option in options for word in ("-c", option)),
                ],
                server_account(self._paths),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                preexec_fn=ending_with_us(signal.SIGINT),
            )
        _wait(lambda: answers(self._paths, role=SUPERUSER, database=SUPERUSER), lambda: not self.has_ended())
        if self.has_ended():
            raise Refused(f"PostgreSQL did not start: {self._last_words(written)} (see {log}).")

    def _last_words(self, since: int) -> str:
        with self._paths.postgres_log.open("rb") as log:
            log.seek(since)
            lines = log.read().decode(errors="replace").splitlines()
        fatal = [line.partition("FATAL:")[2].strip() for line in lines if "FATAL:" in line]
        return (fatal or ["no reason given"])[-1]

    def _end_former(self) -> None:
        """A killed owner's server may still be shutting down; and a process id in its file may be another's by now."""
        pid_file = self._paths.cluster / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split("\n", 1)[0])
        except (OSError, ValueError):
            return
        end_leftover(pid, str(self._paths.cluster), _STOP)
        pid_file.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()


def wait_until_answers(paths: Paths, *, seconds: float = READY_SECONDS) -> None:
    """Returns when another process's server lets the ordinary role in."""
    if not _wait(lambda: answers(paths), lambda: True, seconds=seconds):
        raise Refused(f"The database in {paths.data} does not answer.")


def _wait(is_done: Callable[[], bool], may_go_on: Callable[[], bool], *, seconds: float = READY_SECONDS) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until and may_go_on():
        if is_done():
            return True
        time.sleep(0.03)
    return False
