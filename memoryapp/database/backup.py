"""The whole database into a file, and back: by pg_dump, on the embedded server and on any other."""

import os
import subprocess
import time
from pathlib import Path
from typing import Any

import psycopg

from memoryapp.database.tools import dbname, environment, require_success, run, tool
from memoryapp.database.url import psycopg_parameters
from memoryapp.refusal import Refused

_EMPTY = b"""
do $$
declare
    ours record;
begin
    for ours in select class.oid::regclass as name, class.relkind as kind from pg_class class
        where class.relnamespace = current_schema()::regnamespace and class.relkind in ('r', 'p', 'v', 'S')
            and not class.relispartition
            and not exists (select from pg_depend where objid = class.oid
                and (deptype = 'e' or (class.relkind = 'S' and deptype in ('a', 'i'))))
    loop
        execute format('drop %s if exists %s cascade',
            case ours.kind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, ours.name);
    end loop;
    for ours in select proc.oid::regprocedure as name from pg_proc proc
        where proc.pronamespace = current_schema()::regnamespace
            and not exists (select from pg_depend where objid = proc.oid and deptype = 'e')
    loop
        execute format('drop routine if exists %s cascade', ours.name);
    end loop;
end $$;
"""
_NOT_BEFORE_17 = b"SET transaction_timeout"
_ENDING_SECONDS = 2.0


def dump(database: dict[str, Any], file: Path) -> None:
    """Writes a consistent copy, readable by us alone; other work goes on. `Refused` when the file is there already."""
    if file.exists():
        raise Refused(f"{file} is there already.")
    unfinished = file.with_name(f"{file.name}.unfinished")
    try:
        os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        run(
            [
                *(tool("pg_dump"), "--format=custom", "--no-owner", "--no-privileges", "--no-comments"),
                *("--enable-row-security", "--file", str(unfinished), "--dbname", dbname(database)),
            ],
            environment(database, reason="backup"),
        )
        unfinished.rename(file)
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error.strerror}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def load(database: dict[str, Any], file: Path) -> None:
    """Puts the copy in the place of everything that is there, in one transaction: all of it or nothing."""
    if not file.is_file():
        raise Refused(f"{file} is no file.")
    run([tool("pg_restore"), "--list", str(file)], environment(database))
    with (
        subprocess.Popen(
            [tool("pg_restore"), "--no-owner", "--no-privileges", "--no-comments", "--file=-", str(file)],
            env=environment(database),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        ) as reader,
        subprocess.Popen(
            [
                *(tool("psql"), "--no-psqlrc", "--quiet", "--output=/dev/null", "--single-transaction"),
                *("--set=ON_ERROR_STOP=1", "--file=-", f"--dbname={dbname(database)}"),
            ],
            env=environment(database),
            stdin=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as writer,
    ):
        if reader.stdout is None or writer.stdin is None or writer.stderr is None:
            raise Refused("psql cannot be written to.")
        try:
            writer.stdin.write(_EMPTY)
            for line in reader.stdout:
                if not line.startswith(_NOT_BEFORE_17):
                    writer.stdin.write(line)
            if reader.wait() != 0:
                # Without this the cut end would be committed.
                writer.stdin.write(b"\n\\. \nselect the_backup_ends_before_its_time;\n")
            writer.stdin.close()
        except BrokenPipeError:
            reader.kill()
        errors = writer.stderr.read()
        require_success("psql", writer.wait(), errors)


def others_connected(database: dict[str, Any]) -> int:
    """How many other sessions have the database open. One that was just closed takes the server a moment to end."""
    until = time.monotonic() + _ENDING_SECONDS
    with psycopg.connect(**psycopg_parameters(database), autocommit=True) as connection:
        while True:
            row = connection.execute(
                "select count(*) from pg_stat_activity where datname = current_database()"
                " and pid <> pg_backend_pid() and backend_type = 'client backend'"
            ).fetchone()
            others = row[0] if row else 0
            if not others or time.monotonic() > until:
                return others
            time.sleep(0.05)
