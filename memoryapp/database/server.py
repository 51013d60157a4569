"""Looks at the server that DATABASE_URL names: whether it can serve, said in one sentence when not."""

from dataclasses import dataclass
from typing import Any

import psycopg

from memoryapp.refusal import Refused

OLDEST_SERVER = 150_000
OLDEST_VECTOR = (0, 7)
"""The first pgvector with `halfvec` and `sparsevec`."""


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """`version` as PostgreSQL counts it (150004 is 15.4). `vector` is the installed or, failing that, offered version
    of pgvector; None when the server does not have it."""

    version: int
    role: str
    bypasses_policies: bool
    may_create_tables: bool
    vector: str | None
    vector_is_installed: bool
    may_install_vector: bool


def refusal(facts: ServerFacts) -> str | None:
    """Why the server cannot be used, in one sentence; None when it can."""
    if facts.version < OLDEST_SERVER:
        major = facts.version // 10_000
        return f"The server of DATABASE_URL is PostgreSQL {major}; 15 or newer is needed."
    if facts.bypasses_policies:
        return (
            f"The role {facts.role!r} of DATABASE_URL is a superuser or has BYPASSRLS, so that row-level security "
            "would not hold: use an ordinary role that owns the database."
        )
    if facts.vector is None:
        return "The server of DATABASE_URL has no pgvector: install it there (package postgresql-NN-pgvector)."
    if _numbers(facts.vector) < OLDEST_VECTOR:
        return f"The server of DATABASE_URL has pgvector {facts.vector}; 0.7 or newer is needed."
    if not facts.vector_is_installed and not facts.may_install_vector:
        return (
            f"The role {facts.role!r} of DATABASE_URL may not install pgvector: "
            "have a superuser run CREATE EXTENSION vector in that database."
        )
    if not facts.may_create_tables:
        return (
            f"The role {facts.role!r} of DATABASE_URL may not create tables: "
            "let it own the database, or GRANT CREATE ON SCHEMA public to it."
        )
    return None


def require_usable(parameters: dict[str, Any]) -> None:
    """Connects with psycopg's `parameters` and raises `Refused` unless the server can be used."""
    try:
        with psycopg.connect(**parameters, autocommit=True) as connection:
            facts = read_facts(connection)
    except psycopg.OperationalError as error:
        reason = str(error).strip().splitlines()[-1].strip().rstrip(".")
        raise Refused(f"The server of DATABASE_URL cannot be reached: {reason}.") from None
    if sentence := refusal(facts):
        raise Refused(sentence)


def read_facts(connection: psycopg.Connection) -> ServerFacts:
    row = connection.execute(_FACTS).fetchone()
    if row is None:
        raise Refused("The server of DATABASE_URL gives no answer about itself.")
    return ServerFacts(connection.info.server_version, *row)


_FACTS = """
SELECT current_user,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),
       coalesce(has_schema_privilege(current_schema(), 'CREATE'), false),
       coalesce(installed_version, default_version),
       installed_version IS NOT NULL,
       has_database_privilege(current_database(), 'CREATE') AND coalesce(
           (SELECT bool_or(trusted) FROM pg_available_extension_versions WHERE name = 'vector'), false)
FROM (SELECT 1) AS one LEFT JOIN pg_available_extensions ON name = 'vector'
"""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())
