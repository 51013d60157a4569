"""DATABASE_URL to Django's settings. libpq itself reads the URL, so that it means what it means to `psql`."""

from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict

from memoryapp.env import WrongSetting

CONNECT_SECONDS = 5


def parse_database_url(url: str) -> dict[str, Any]:
    """NAME, USER, PASSWORD, HOST, PORT and everything else as OPTIONS. Refuses what is no PostgreSQL URL.

    No message repeats any part of the URL: a password with an unescaped `@` would show up in it.
    """
    if not url.startswith(("postgres://", "postgresql://")):
        raise WrongSetting("DATABASE_URL must start with postgresql:// (no other database is supported).")
    try:
        parts = conninfo_to_dict(url)
    except psycopg.Error:
        raise WrongSetting(
            "DATABASE_URL cannot be read: it must look like postgresql://user:password@host:5432/database, "
            "with special characters percent-encoded."
        ) from None
    values: dict[str, Any] = {name: value for name, value in parts.items() if value is not None}
    if "@" in str(values.get("host", "")):
        raise WrongSetting("DATABASE_URL has an unescaped @ in its password: write it as %40.")
    if "dbname" not in values and "service" not in values:
        raise WrongSetting("DATABASE_URL must name a database: postgresql://user:password@host:5432/database.")
    named = {key: str(values.pop(name, "")) for key, name in _NAMES.items()}
    return named | {"OPTIONS": {"connect_timeout": CONNECT_SECONDS} | values}


def psycopg_parameters(database: dict[str, Any]) -> dict[str, Any]:
    """What `psycopg.connect` needs of one entry of Django's DATABASES."""
    named = {name: database[key] for key, name in _NAMES.items() if database.get(key)}
    return named | {name: value for name, value in database["OPTIONS"].items() if name not in _DJANGO_ONLY}


_DJANGO_ONLY = ("pool", "server_side_binding", "prepare_threshold")
_NAMES = {"NAME": "dbname", "USER": "user", "PASSWORD": "password", "HOST": "host", "PORT": "port"}
