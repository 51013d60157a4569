"""`revoke_key PREFIX`: the key is refused from the next request on."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from accounts.actors import Actor
from accounts.models import AgentKey
from memoryapp.management.command import OwnCommand
from memoryapp.services.keys import revoke_key


class Command(OwnCommand):
    help = "Revokes the agent key with this prefix (the middle part of mem_<prefix>_<secret>)."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("prefix")

    def handle(self, *args: Any, **options: Any) -> None:
        key = AgentKey.objects.filter(prefix=options["prefix"]).first()
        if key is None:
            raise CommandError("There is no key with that prefix; list_keys shows them.")
        revoke_key(key, actor=Actor("system"))
        self.stdout.write(f"{key.name} is revoked.")
