"""One-time links: they open the memory page for a person once, within fifteen minutes."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from accounts.actors import Actor
from accounts.ids import uuid7
from accounts.link_tokens import digest_of, token_of
from accounts.models import SignInLink, User
from memoryapp.database.isolation import acting_for, wide_access
from memoryapp.services import audit
from memoryapp.services.errors import NotFound
from memoryapp.services.locking import writing_for

LIFETIME = timedelta(minutes=15)


@dataclass(frozen=True, slots=True)
class NewLink:
    """`path` is the whole secret: who opens it comes in."""

    id: UUID
    path: str
    expires_at: datetime


def link_path(link_id: UUID) -> str:
    return f"/sign-in/link/{token_of(link_id)}"


def make_link(person: User, *, actor: Actor) -> NewLink:
    """A fresh link; earlier ones stay good for their time.

    NotFound for staff, whose rights are wider than what a key may act for, and for who may not come in.
    """
    if person.is_staff or person.is_superuser or not person.is_active:
        raise NotFound
    with writing_for(person.id) as now:
        if not User.objects.filter(pk=person.id, is_active=True).exists():
            raise NotFound
        link_id, expires_at = uuid7(), now + LIFETIME
        SignInLink.objects.create(id=link_id, person=person, digest=digest_of(token_of(link_id)), expires_at=expires_at)
        audit.record("make_link", "sign_in_link", link_id, actor=actor, at=now, person_id=person.id)
    return NewLink(link_id, link_path(link_id), expires_at)


def is_usable(token: str) -> bool:
    """Whether the link would open the page now. Does not use it up."""
    owner = _owner(token)
    if owner is None:
        return False
    with acting_for(owner):
        return _usable(token, datetime.now(UTC)).exists()


def use_link(token: str) -> User | None:
    """Uses the link up and tells whom it lets in: exactly once, also when asked twice at the same moment."""
    owner = _owner(token)
    if owner is None:
        return None
    with writing_for(owner) as now:
        return User.objects.get(pk=owner) if _usable(token, now).update(used_at=now) else None


def forget_links(now: datetime) -> None:
    """Links that are past their time are of no use to anybody."""
    with wide_access("links"):
        SignInLink.objects.filter(expires_at__lt=now).delete()


def _usable(token: str, now: datetime) -> QuerySet[SignInLink]:
    return SignInLink.objects.filter(
        digest=digest_of(token),
        used_at=None,
        expires_at__gt=now,
        person__in=User.objects.filter(is_active=True, is_staff=False, is_superuser=False),
    )


def _owner(token: str) -> UUID | None:
    digest = digest_of(token)
    if digest is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute("select sign_in_link_owner(%s)", [digest])
        owner: UUID | None = cursor.fetchone()[0]
    return owner
