"""`create_key NAME`: a new agent key, alone on the last line of stdout."""

from argparse import ArgumentParser
from datetime import UTC, datetime, timedelta
from typing import Any

from django.core.management.base import CommandError

from accounts.actors import Actor
from accounts.models import DEFAULT_NAMESPACE, User
from memoryapp.management.command import OwnCommand
from memoryapp.policy.placement import is_scope_name
from memoryapp.services.keys import create_key


class Command(OwnCommand):
    help = "Makes an agent key and prints it, once. It is stored nowhere."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="what the key is for")
        parser.add_argument("--read-only", action="store_true", help="may fetch context and join answers, not write")
        parser.add_argument("--person", metavar="EXTERNAL_ID", help="a personal key, for this person only")
        parser.add_argument("--namespace", default=DEFAULT_NAMESPACE, help="where the key finds its persons")
        parser.add_argument("--scope", nargs="+", action="extend", metavar="S", help="only these scopes")
        parser.add_argument("--expires-days", type=int, metavar="N", help="invalid after so many days")

    def handle(self, *args: Any, **options: Any) -> None:
        scopes = [name.casefold() for name in options["scope"]] if options["scope"] else None
        if scopes and not all(map(is_scope_name, scopes)):
            raise CommandError(
                "A scope name has lower-case letters, digits, _ and -, and starts with a letter or digit."
            )
        if not 1 <= len(options["namespace"]) <= 128:
            raise CommandError("A namespace has 1 to 128 characters.")
        if not options["name"].strip() or len(options["name"]) > 128:
            raise CommandError("A key needs a name of 1 to 128 characters.")
        days = options["expires_days"]
        if days is not None and not 1 <= days <= 36_500:
            raise CommandError("--expires-days takes 1 to 36500.")
        _, secret = create_key(
            options["name"],
            actor=Actor("system"),
            person=self._person(options["person"], options["namespace"]),
            namespace=options["namespace"],
            can_write=not options["read_only"],
            scopes=scopes,
            expires_at=datetime.now(UTC) + timedelta(days=days) if days else None,
        )
        self.stdout.write(secret)

    def _person(self, external_id: str | None, namespace: str) -> User | None:
        if external_id is None:
            return None
        person = User.objects.filter(namespace=namespace, external_id=external_id).first()
        if person is None:
            raise CommandError("There is no such person in this namespace yet; a first write makes one.")
        return person
