"""The request, narrowed once: on these pages there is a person, and they act for themselves."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Concatenate, cast

from django.http import HttpRequest, HttpResponseBase

from accounts.actors import Actor
from accounts.models import User
from memoryapp.dashboard import failures
from memoryapp.services.errors import ServiceError


class PersonRequest(HttpRequest):
    """A request of somebody who signed in. `actor` is that person."""

    actor: Actor
    user: User


def personal[**P](
    view: Callable[Concatenate[PersonRequest, P], HttpResponseBase],
) -> Callable[Concatenate[HttpRequest, P], HttpResponseBase]:
    """Gives the view its person, and says what a service refused in words. The login middleware has been passed."""

    def narrowed(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        person = cast(PersonRequest, request)
        person.actor = Actor(kind="person", person_id=person.user.pk)
        try:
            return view(person, *args, **kwargs)
        except ServiceError as error:
            return failures.refused(person, error)

    update_wrapper(narrowed, view)
    return narrowed
