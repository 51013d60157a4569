"""What the frame around every page shows, asked for only when a template shows it."""

from functools import cached_property
from typing import Any

from django.http import HttpRequest

from accounts.actors import Actor
from memoryapp.services.waiting import waiting_count


class Frame:
    """`frame` in templates. A page without a person, or a failing database, asks for none of it."""

    def __init__(self, request: HttpRequest) -> None:
        self._request = request

    @cached_property
    def theme(self) -> str:
        """`light` or `dark` when the person chose one, else empty."""
        theme: str = getattr(self._request.user, "theme", "")
        return theme if theme in ("light", "dark") else ""

    @cached_property
    def name(self) -> str:
        """The person's e-mail, or a short word when they have none."""
        return str(getattr(self._request.user, "email", "") or "")

    @cached_property
    def waiting(self) -> int:
        """How many memories wait for the person's review."""
        if not self._request.user.is_authenticated:
            return 0
        return waiting_count(actor=Actor(kind="person", person_id=self._request.user.pk))

    @property
    def initials(self) -> str:
        return self.name[:2].upper()


def frame(request: HttpRequest) -> dict[str, Any]:
    return {"frame": Frame(request)}
