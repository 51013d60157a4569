"""`vacuum`: what was erased leaves the table files too, and not only the tables."""

from typing import Any

from django.conf import settings

from memoryapp.database.vacuum import rewrite_tables
from memoryapp.management.command import OwnCommand


class Command(OwnCommand):
    help = (
        "Writes every table anew, so that the files hold nothing of what was erased. Each table is locked while that"
        " lasts. The write-ahead log and backups keep it until they have had their time."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        embedded = settings.MEMORY_PATHS if settings.MEMORY_USES_EMBEDDED else None
        refused = rewrite_tables(settings.DATABASES["default"], embedded)
        if refused:
            self.stdout.write(f"The server's operator has yet to run, as superuser: {'; '.join(refused)}.")
        self.stdout.write("The tables are written anew.")
