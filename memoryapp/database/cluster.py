"""Makes the embedded cluster: its files, its ordinary role and its database. Every step may be repeated."""

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import psycopg
from psycopg import sql

from memoryapp.database.binaries import MAJOR_VERSION, program, require_reachable, spawn
from memoryapp.database.folders import Account, make_private_folder
from memoryapp.database.paths import SOCKET_PORT, Paths
from memoryapp.process import end_child, ending_with_us
from memoryapp.refusal import Refused

SUPERUSER = "postgres"
ROLE = "memory"
DATABASE = "memory"

_INITDB = (
    f"--username={SUPERUSER}",
    "--auth-local=trust",
    "--auth-host=reject",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
)


def make_cluster(paths: Paths, account: Account | None, *, fsync: bool = True) -> None:
    """Makes the cluster's files unless they are there. An interrupted attempt leaves nothing that counts.

    `fsync=False` does not wait until they are on disk.
    """
    require_reachable(paths.data, account)
    if not paths.cluster.exists():
        for former in paths.data.glob(f"{paths.cluster.name}.unfinished.*"):
            shutil.rmtree(former, ignore_errors=True)
        unfinished = paths.cluster.with_suffix(f".unfinished.{os.getpid()}")
        make_private_folder(unfinished, account)
        _initialise(unfinished, account, () if fsync else ("--no-sync",))
        unfinished.rename(paths.cluster)
        return
    version = (paths.cluster / "PG_VERSION").read_text().strip()
    if version != MAJOR_VERSION:
        raise Refused(
            f"{paths.cluster} was written by PostgreSQL {version}, and this release brings {MAJOR_VERSION}: "
            "see 'Upgrading' in the README."
        )


def _initialise(folder: Path, account: Account | None, further: Sequence[str]) -> None:
    initdb = spawn(
        [program("initdb"), *_INITDB, *further, f"--pgdata={folder}"],
        account,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=ending_with_us(signal.SIGTERM),
    )
    try:
        _, errors = initdb.communicate()
    finally:
        end_child(initdb, ((signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)))
    if initdb.returncode != 0:
        lines = errors.decode(errors="replace").strip().splitlines() or ["no reason given"]
        raise Refused(f"The database could not be made in {folder.parent}: {lines[-1].rstrip('.')}.")


def make_database(paths: Paths) -> bool:
    """Makes the ordinary role and its database unless they are there. True when no migration has run in it yet."""
    with as_superuser(paths, SUPERUSER) as connection:
        if connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            with as_superuser(paths, DATABASE) as existing:
                return existing.execute("SELECT to_regclass('public.django_migrations')").fetchone() == (None,)
        if not connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone():
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEDB").format(sql.Identifier(ROLE)))
    with as_superuser(paths, "template1") as template:
        template.execute("CREATE EXTENSION IF NOT EXISTS vector")
    with as_superuser(paths, SUPERUSER) as connection:
        create = sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), sql.Identifier(ROLE))
        connection.execute(create)
    return True


def answers(paths: Paths, *, role: str = ROLE, database: str = DATABASE) -> bool:
    """Whether the server lets `role` into `database` now."""
    try:
        _connect(paths, role, database).close()
    except psycopg.OperationalError:
        return False
    return True


def as_superuser(paths: Paths, database: str) -> psycopg.Connection:
    """A connection of the embedded server's own superuser, in autocommit. For what only that role may do."""
    return _connect(paths, SUPERUSER, database)


def _connect(paths: Paths, role: str, database: str) -> psycopg.Connection:
    return psycopg.connect(
        host=str(paths.socket_folder), port=SOCKET_PORT, user=role, dbname=database, connect_timeout=5, autocommit=True
    )
