"""`backup`: the whole database into one file."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from memoryapp.database.backup import dump
from memoryapp.management.command import OwnCommand


class Command(OwnCommand):
    help = "Writes the whole database into FILE while the service runs. Keep `secret_key` and the ledger beside it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        file: Path = options["file"].absolute()
        dump(settings.DATABASES["default"], file)
        self.stdout.write(
            f"The database is in {file}. Delete it within {settings.MEMORY_BACKUP_DAYS} days: receipts promise that."
        )
