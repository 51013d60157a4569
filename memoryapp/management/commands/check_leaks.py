"""`check_leaks`: whether any retrieval sent a memory where it was not allowed. `maintain` does it for two days."""

from datetime import timedelta
from typing import Any

from django.core.management.base import CommandError, CommandParser

from memoryapp.management.command import OwnCommand
from memoryapp.services.leaks import LOOKED_BACK, watch_leaks


class Command(OwnCommand):
    help = "Compares what retrievals sent with the scopes, keys and switches of that time. Names traces, no content."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--days", type=int, default=LOOKED_BACK.days, help="how far to look back (default 2)")

    def handle(self, *args: Any, days: int, **options: Any) -> None:
        leaks = watch_leaks(back=timedelta(days=days))
        for leak in leaks:
            self.stdout.write(f"{leak.trace_id}: {leak.problem}")
        if leaks:
            raise CommandError(f"{len(leaks)} memories were sent where they were not allowed.")
        self.stdout.write(f"Every memory that was sent in the last {days} days was allowed to go.")
