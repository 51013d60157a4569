#!/usr/bin/env python
"""Runs a management command with a database to talk to."""

import os
import sys
from contextlib import AbstractContextManager, nullcontext

WITHOUT_DATABASE = (
    *("help", "version", "check", "diffsettings", "spectacular", "startapp", "startproject", "up"),
    *("collectstatic", "findstatic", "compilemessages", "makemessages"),
)
"""Commands that need none, or get theirs by themselves."""


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memoryapp.settings")
    from django.core.management import call_command, execute_from_command_line

    from memoryapp.refusal import Refused

    command = sys.argv[1] if len(sys.argv) > 1 else "help"
    try:
        with database_for(command, sys.argv[2:]) as is_new:
            if is_new and command != "migrate":
                call_command("migrate", verbosity=0)
            execute_from_command_line(sys.argv)
    except Refused as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit(130)


def database_for(command: str, arguments: list[str]) -> AbstractContextManager[bool]:
    """Makes the database reachable for the time of the block; the value tells whether it is new and empty."""
    asks_help = command.startswith("-") or not {"-h", "--help"}.isdisjoint(arguments)
    if asks_help or (command in WITHOUT_DATABASE and "--database" not in arguments):
        return nullcontext(False)

    import django
    from django.conf import settings

    from memoryapp.database.access import embedded_access
    from memoryapp.database.server import require_usable
    from memoryapp.database.url import psycopg_parameters

    django.setup()
    if settings.MEMORY_USES_EMBEDDED:
        return embedded_access(settings.MEMORY_PATHS)
    require_usable(psycopg_parameters(settings.DATABASES["default"]))
    return nullcontext(False)


if __name__ == "__main__":
    main()
