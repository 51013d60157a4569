"""Writing the tables anew, so that their files hold what stands in them and nothing of what was deleted."""

from typing import Any, LiteralString

import psycopg
from psycopg import sql

from memoryapp.database.cluster import as_superuser
from memoryapp.database.paths import Paths
from memoryapp.database.url import psycopg_parameters

_TABLES = """
select relname, relkind = 'p' from pg_class
where relkind in ('r', 'p') and relnamespace = current_schema()::regnamespace and pg_has_role(relowner, 'member')
order by relkind desc, relname
"""
# What the planner has noted of a column holds values of it, and stays where a table is empty by now.
_FORGET_NOTES = """
delete from pg_catalog.pg_statistic using pg_catalog.pg_class class
where class.oid = starelid and relnamespace = current_schema()::regnamespace
"""
_WRITE_OUT = ("vacuum full pg_catalog.pg_statistic", "checkpoint", "select pg_switch_wal()", "checkpoint")


def rewrite_tables(database: dict[str, Any], embedded: Paths | None) -> list[str]:
    """Rewrites every table of ours, then the planner's statistics, and switches to a new segment of the log.

    Each table is locked while it is written. All but the tables needs a superuser, which the embedded server has; the
    statements that were refused elsewhere are returned, for the server's operator.
    """
    parameters = psycopg_parameters(database)
    with (
        psycopg.connect(**parameters, autocommit=True) as ours,
        as_superuser(embedded, parameters["dbname"]) if embedded else psycopg.connect(**parameters) as powerful,
    ):
        powerful.autocommit = True
        refused = _try(powerful, _FORGET_NOTES)
        for table, is_parent in ours.execute(_TABLES).fetchall():
            how = sql.SQL("analyze {}" if is_parent else "vacuum (full, analyze) {}")
            ours.execute(how.format(sql.Identifier(table)))
        for statement in _WRITE_OUT:
            refused += _try(powerful, statement)
    return list(dict.fromkeys(refused))


def _try(connection: psycopg.Connection, statement: LiteralString) -> list[str]:
    """The statement, when it was refused."""
    try:
        connection.execute(statement)
    except psycopg.errors.InsufficientPrivilege:
        return [" ".join(statement.split())]
    return []
