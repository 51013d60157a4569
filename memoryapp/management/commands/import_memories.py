"""`import_memories PERSON FILE`: memories of a file of any size, through the write policy."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.actors import Actor
from accounts.models import DEFAULT_NAMESPACE
from memoryapp.management.command import OwnCommand
from memoryapp.services.errors import Invalid, Malformed
from memoryapp.services.first_write import trying_about, writing_about
from memoryapp.services.importing import Counted, import_memories


class Command(OwnCommand):
    help = "Brings the memories of an export, a mem0 export or an OpenMemory zip, all of them or none."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("person", metavar="EXTERNAL_ID", help="whom they are about; made when there is nobody yet")
        parser.add_argument("file", type=Path)
        parser.add_argument("--namespace", default=DEFAULT_NAMESPACE)
        parser.add_argument("--dry-run", action="store_true", help="count only")

    def handle(self, *args: Any, **options: Any) -> None:
        person, dry_run = options["person"], options["dry_run"]
        if not 1 <= len(person) <= 256 or not person.strip() or "\0" in person:
            raise CommandError("A person's id has 1 to 256 characters.")
        about = trying_about if dry_run else writing_about
        actor = Actor("system", namespace=options["namespace"])
        try:
            with options["file"].open("rb") as file:
                counted = about(actor, person, lambda opened: import_memories(file, actor=opened, dry_run=dry_run))
        except OSError as error:
            raise CommandError(f"{options['file']}: {error.strerror}.") from None
        except (Malformed, Invalid) as error:
            raise CommandError(f"Nothing was brought. {error.detail}") from None
        self.stdout.write("Nothing was brought; this is what it would be:" if dry_run else "Brought:")
        self.stdout.write("\n".join(_lines(counted)))


def _lines(counted: Counted) -> list[str]:
    rows = {"new": counted.new, "to be reviewed": counted.pending, "here already": counted.same}
    rows |= {f"refused, {rule}": number for rule, number in counted.refused.items()}
    for part, tally in (("messages", counted.messages), ("do-not-learn", counted.do_not_learn)):
        rows |= {f"{part}, {name}": n for name, n in (("new", tally.new), ("here already", tally.same)) if n}
        rows |= {f"{part} refused, {rule}": number for rule, number in tally.refused.items()}
    return [f"{number:>8}  {name}" for name, number in rows.items()]
