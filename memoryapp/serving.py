"""The web server: granian in a process group of its own, with worker processes of eight threads each."""

import errno
import http.client
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from memoryapp.process import END_WITH_PARENT, end_child, end_leftover, ending_with_us, holding_signals
from memoryapp.refusal import Refused

THREADS = 8
"""Requests that one worker handles at the same time."""

READY_SECONDS = 60.0
_TARGET = "memoryapp.wsgi:application"
_STOP = ((signal.SIGTERM, 15.0), (signal.SIGKILL, 5.0))


def require_free(host: str, port: int) -> None:
    """Refuses when nothing can listen there."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise Refused(
                f"Port {port} on {host} is taken by another program: stop that, or choose another with --port."
            ) from error
        raise Refused(f"Nothing can listen on {host}, port {port}: {error.strerror}.") from error


class WebServer:
    """`state` is a folder that the next start finds again: with it, it ends what a killed start has left."""

    def __init__(self, *, base: Path, state: Path, host: str, port: int, workers: int) -> None:
        self._base, self._host, self._port, self._workers = base, host, port, workers
        self._pid_file = state / "web.pid"
        self._metrics = state / "metrics"
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self._host, self._host)  # noqa: S104
        return f"http://{f'[{host}]' if ':' in host else host}:{self._port}"

    def end_former(self) -> None:
        """Ends the web server that a killed start has left, if it still runs."""
        try:
            pid = int(self._pid_file.read_text())
        except (OSError, ValueError):
            return
        end_leftover(pid, _TARGET, _STOP)
        self._pid_file.unlink(missing_ok=True)

    def start(self) -> None:
        """Returns when a worker answers."""
        shutil.rmtree(self._metrics, ignore_errors=True)
        self._metrics.mkdir(exist_ok=True)
        with holding_signals():
            self._child = subprocess.Popen(
                [
                    *(sys.executable, "-m", "granian", "--interface", "wsgi", "--no-ws", "--log-level", "error"),
                    *("--host", self._host, "--port", str(self._port)),
                    *("--workers", str(self._workers), "--blocking-threads", str(THREADS)),
                    *("--backlog", "1024", "--respawn-failed-workers", "--respawn-interval", "0.5"),
                    *("--workers-kill-timeout", "10"),
                    _TARGET,
                ],
                cwd=self._base,
                env=os.environ
                | {
                    "DJANGO_SETTINGS_MODULE": "memoryapp.settings",
                    "PROMETHEUS_MULTIPROC_DIR": str(self._metrics),
                    END_WITH_PARENT: "1",
                },
                stdin=subprocess.DEVNULL,
                process_group=0,
                preexec_fn=ending_with_us(signal.SIGTERM),
            )
        self._pid_file.write_text(f"{self._child.pid}\n")
        until = time.monotonic() + READY_SECONDS
        while not self._answers():
            if self.has_ended():
                raise Refused("The web server ended while it started; its reason stands above.")
            if time.monotonic() > until:
                raise Refused(f"The web server did not answer within {READY_SECONDS:.0f} seconds.")
            time.sleep(0.05)

    def has_ended(self) -> bool:
        return self._child is not None and self._child.poll() is not None

    def stop(self) -> None:
        """Ends the server and its workers; requests under way are finished first."""
        if self._child is not None:
            end_child(self._child, _STOP)
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)
            self._child = None
            self._pid_file.unlink(missing_ok=True)

    def _answers(self) -> bool:
        """Any answer but a failure counts: a host that is not allowed, or a redirect to https, is one as well."""
        host = self.url.removeprefix("http://").rpartition(":")[0].strip("[]")
        connection = http.client.HTTPConnection(host, self._port, timeout=5)
        try:
            connection.request("GET", "/healthz")
            return connection.getresponse().status < 500
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()
