"""Writing about a person who may not be known yet."""

from collections.abc import Callable

from django.db import transaction

from accounts.actors import Actor
from memoryapp.services.agents import ensure_person, open_person


def writing_about[T](actor: Actor, user: str | None, act: Callable[[Actor], T]) -> T:
    """What `act` gives with the person open. A person who is made for it is not there when `act` refuses."""
    opened = open_person(actor, user)
    if opened is not None:
        return act(opened)
    with transaction.atomic():
        return act(ensure_person(actor, user))


def trying_about[T](actor: Actor, user: str | None, act: Callable[[Actor], T]) -> T:
    """What `act` would give. Nothing of it stays, nor a person who was made for it."""
    with transaction.atomic():
        result = writing_about(actor, user, act)
        transaction.set_rollback(True)
    return result
