"""Who works at the support desk, and in which role."""

from dataclasses import dataclass
from typing import Literal, cast, get_args
from uuid import UUID

from allauth.account.models import EmailAddress
from django.contrib.auth.models import Group
from django.db import transaction

from accounts.actors import Actor
from accounts.models import User
from memoryapp.services import audit
from memoryapp.services.locking import writing_for
from memoryapp.services.signing_in import welcome

Role = Literal["support", "supervisor"]
"""Support looks into tickets; supervisors look into what support did."""


@dataclass(frozen=True, slots=True)
class Staff:
    """A staff member at work. Nothing of anybody's memory is open to them by that alone."""

    id: UUID
    roles: frozenset[Role]

    @property
    def is_support(self) -> bool:
        return "support" in self.roles

    @property
    def is_supervisor(self) -> bool:
        return "supervisor" in self.roles

    def about(self, person_id: UUID | None, *, grant_id: UUID | None = None, scopes: list[str] | None = None) -> Actor:
        """This staff member, doing something that concerns the person."""
        return Actor(
            "staff",
            person_id=person_id,
            staff_id=self.id,
            grant_id=grant_id,
            scopes=None if scopes is None else frozenset(scopes),
        )


def staff_of(user: User) -> Staff | None:
    """None for everybody else, without a question to the database where the account says so already."""
    if not (user.is_active and user.is_staff):
        return None
    names = set(user.groups.values_list("name", flat=True))
    roles = frozenset(cast(Role, name) for name in get_args(Role) if name in names)
    return Staff(user.pk, roles) if roles else None


def set_role(user: User, role: Role | None, *, actor: Actor) -> None:
    """The user works at the desk in this one role from now on, or not any more. Groups are made when missing."""
    with writing_for(user.pk) as now:
        user.groups.remove(*Group.objects.filter(name__in=get_args(Role)))
        if role is not None:
            user.groups.add(Group.objects.get_or_create(name=role)[0])
        user.is_staff = role is not None or user.is_superuser
        user.save(update_fields=["is_staff"])
        audit.record("set_role", "role", None, actor=actor, at=now, reason=role or "none", person_id=user.pk)


def hire(email: str, role: Role, *, actor: Actor) -> User:
    """Who signs in by this address works at the desk from now on. An account is made when there is none."""
    address = email.strip().lower()
    with transaction.atomic():
        user = User.objects.filter(email__iexact=address).first() or User.objects.create_user(address)
        known, _ = EmailAddress.objects.get_or_create(user=user, email=address, defaults={"primary": True})
        known.verified = True
        known.save(update_fields=["verified"])
        welcome(user)
        set_role(user, role, actor=actor)
    return user
