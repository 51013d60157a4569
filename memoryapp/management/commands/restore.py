"""`restore`: a backup in the place of what is there, without what was erased since."""

from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from accounts.models import User
from memoryapp.database.backup import load, others_connected
from memoryapp.management.command import OwnCommand
from memoryapp.models import LedgerLine
from memoryapp.services import since_ledger
from memoryapp.services.erase_replay import replay_ledger


class Command(OwnCommand):
    help = (
        "Puts the backup FILE in the place of the whole database, brings it up to date, and does again what the"
        " ledger ERASURE_LEDGER says was erased, forgotten, restricted or revoked since. Nobody may be connected"
        " meanwhile."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--replace", action="store_true", help="also when there are people in the database")

    def handle(self, *args: Any, **options: Any) -> None:
        database = settings.DATABASES["default"]
        people = User.objects.count()
        # What is on its way to the ledger is in the database that goes; one from before that has nothing on its way.
        if LedgerLine._meta.db_table in connections["default"].introspection.table_names():
            since_ledger.flush()
        _leave()
        if people and not options["replace"]:
            raise CommandError(f"The database has {people} people in it: --replace puts the backup in their place.")
        if others := others_connected(database):
            raise CommandError(f"Stop the service first: the database has {others} other connections.")
        load(database, options["file"].absolute())
        call_command("migrate", verbosity=0, interactive=False)
        again = replay_ledger()
        # Who was signed out since then stays signed out.
        Session.objects.all().delete()
        _leave()
        self.stdout.write(
            f"Restored. {again} erasures, forgettings, restrictions, do-not-learns and revocations since then were done"
            " again."
        )


def _leave() -> None:
    connection = cast(DatabaseWrapper, connections["default"])
    connection.close()
    connection.close_pool()
