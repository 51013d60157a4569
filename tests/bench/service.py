"""The server, its databases, and a web service on each: what `manage.py up` runs, on ports of their own."""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memoryapp.database.cluster import ROLE, SUPERUSER
from memoryapp.database.embedded import EmbeddedServer
from memoryapp.database.paths import SOCKET_PORT, Paths
from memoryapp.process import END_WITH_PARENT
from tests.bench.clients import Service

BASE = Path(__file__).resolve().parents[2]
_READY = "Ctrl-C stops everything."
_LOADER_CONNECTIONS = 200


@dataclass(frozen=True, slots=True)
class Server:
    """A PostgreSQL. `conninfo` is the role's that the service uses; `loader` the superuser's where there is one."""

    conninfo: str
    loader: str

    def connect(self, database: str, *, as_loader: bool = False) -> psycopg.Connection:
        return psycopg.connect(
            make_conninfo(self.loader if as_loader else self.conninfo, dbname=database), autocommit=True
        )

    def url(self, database: str) -> str:
        parts = conninfo_to_dict(make_conninfo(self.conninfo, dbname=database))
        return "postgresql://?" + "&".join(f"{name}={quote(str(value), safe='')}" for name, value in parts.items())

    @contextmanager
    def database(self, name: str) -> Iterator[str]:
        """A new database, dropped at the end."""
        identifier = sql.Identifier(name)
        home = conninfo_to_dict(self.conninfo)["dbname"]
        with self.connect(home) as connection:
            connection.execute(sql.SQL("create database {}").format(identifier))
        try:
            yield name
        finally:
            with self.connect(home) as connection:
                connection.execute(sql.SQL("drop database {} with (force)").format(identifier))


@contextmanager
def server() -> Iterator[Server]:
    """The one of DATABASE_URL, or an embedded one with its usual settings in a folder that is removed at the end."""
    if url := os.environ.get("DATABASE_URL"):
        yield Server(make_conninfo(url), make_conninfo(url))
        return
    folder = Path(tempfile.gettempdir()) / f"memory-bench-{secrets.token_hex(4)}"
    paths = Paths(folder)
    try:
        with EmbeddedServer(paths, max_connections=_LOADER_CONNECTIONS):
            where = {"host": str(paths.socket_folder), "port": SOCKET_PORT, "dbname": "memory"}
            yield Server(make_conninfo(**where, user=ROLE), make_conninfo(**where, user=SUPERUSER))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def service(url: str, **settings: str) -> Iterator[Service]:
    """`manage.py up --no-demo` on the database that `url` names, until the block ends, and a service key for it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "DJANGO_"))}
    environment = kept | {"DATABASE_URL": url, "SECRET_KEY": secrets.token_urlsafe(64), END_WITH_PARENT: "1"}
    environment |= settings
    port = _free_port()
    with ExitStack() as stack:
        output = stack.enter_context(tempfile.TemporaryFile())
        up = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--no-demo", "--port", str(port)],
            cwd=BASE,
            env=environment,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        stack.callback(_end, up)
        while _READY not in (said := _read(output)):
            if up.poll() is not None:
                sys.exit(f"The service did not start: {said.strip()}")
            time.sleep(0.05)
        yield Service(port, _manage(["create_key", "bench"], environment).splitlines()[-1])


def _manage(arguments: Sequence[str], environment: dict[str, str]) -> str:
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=BASE, env=environment, check=True, capture_output=True, text=True).stdout


def _read(output) -> str:
    output.seek(0)
    return output.read().decode()


def _end(up: subprocess.Popen) -> None:
    up.terminate()
    with suppress(subprocess.TimeoutExpired):
        up.wait(30)
        return
    up.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
