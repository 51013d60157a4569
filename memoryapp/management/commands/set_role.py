"""`set_role EMAIL support`: who signs in by this address works at the support desk."""

from argparse import ArgumentParser
from typing import Any, get_args

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email

from accounts.actors import Actor
from accounts.models import User
from memoryapp.management.command import OwnCommand
from memoryapp.services.staff import Role, hire, set_role


class Command(OwnCommand):
    help = "Gives a role at the support desk, and an account when there is none. `none` takes it away."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email")
        parser.add_argument("role", choices=[*get_args(Role), "none"])

    def handle(self, *args: Any, **options: Any) -> None:
        email, role = options["email"], options["role"]
        try:
            validate_email(email)
        except ValidationError:
            raise CommandError("That is not an email address.") from None
        if role != "none":
            hire(email, role, actor=Actor("system"))
            self.stdout.write(f"{email} has the role {role}. The desk asks for a passkey or an authenticator app.")
            return
        user = User.objects.filter(email__iexact=email).first()
        if user is None:
            raise CommandError("Nobody signs in by that address.")
        set_role(user, None, actor=Actor("system"))
        self.stdout.write(f"{email} has no role any more.")
