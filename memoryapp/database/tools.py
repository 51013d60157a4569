"""PostgreSQL's own programs for backups: where they are, and how they reach the database."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from psycopg.conninfo import make_conninfo

from memoryapp.database.binaries import program
from memoryapp.database.url import psycopg_parameters
from memoryapp.refusal import Refused


def tool(name: str) -> str:
    """`pg_dump`, `pg_restore` or `psql`: the one that the embedded server came with, else the PATH's."""
    try:
        ours = program(name)
    except Refused:
        ours = Path()
    found = str(ours) if ours.is_file() else shutil.which(name)
    if found is None:
        raise Refused(f"{name} is needed and was not found: install PostgreSQL's client programs.")
    return found


def dbname(database: dict[str, Any]) -> str:
    """The connection of one entry of Django's DATABASES, without its password: command lines can be read by others."""
    return make_conninfo(**{name: value for name, value in psycopg_parameters(database).items() if name != "password"})


def environment(database: dict[str, Any], *, reason: str = "") -> dict[str, str]:
    """With the password; and with `reason`, row-level security lets the program's session see every row."""
    wide = {"PGOPTIONS": f"-c app.wide={reason}"} if reason else {}
    password = psycopg_parameters(database).get("password")
    return os.environ | wide | ({"PGPASSWORD": str(password)} if password else {})


def require_success(name: str, returncode: int, errors: bytes) -> None:
    """Raises `Refused` with the program's own last words, which name no row."""
    if returncode != 0:
        lines = [line for line in errors.decode(errors="replace").splitlines() if "error" in line.lower()]
        raise Refused(f"{name} failed: {(lines or ['no reason given'])[0].rstrip('.')}.")


def run(arguments: list[str], env: dict[str, str]) -> None:
    ran = subprocess.run(arguments, env=env, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    require_success(Path(arguments[0]).name, ran.returncode, ran.stderr)
