"""`verify_audit`: whether every person's audit chain holds."""

from typing import Any

from django.core.management.base import CommandError

from memoryapp.management.command import OwnCommand
from memoryapp.services.audit import verify


class Command(OwnCommand):
    help = "Reads every audit chain and names the first event that was changed, is missing or was inserted."

    def handle(self, *args: Any, **options: Any) -> None:
        breaks = list(verify())
        for one in breaks:
            self.stdout.write(f"{one.person_id} at {one.seq}: {one.problem}")
        if breaks:
            raise CommandError(f"{len(breaks)} audit chain(s) do not hold.")
        self.stdout.write("Every audit chain holds.")
