"""The person's own agent keys: programs that act for nobody else."""

from datetime import UTC, datetime
from uuid import UUID

from django.db.models import F

from accounts.actors import Actor
from accounts.models import AgentKey, Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.services.errors import Invalid, NotFound
from memoryapp.services.keys import create_key, revoke_key
from memoryapp.services.person_only import writing_as_person


def personal_keys(*, actor: Actor) -> tuple[AgentKey, ...]:
    """The person's keys, those in force first, each group latest first. Their secrets are stored nowhere."""
    rows = AgentKey.objects.filter(person_id=actor.opened)
    return tuple(rows.order_by(F("revoked_at").desc(nulls_first=True), "-id"))


def create_personal_key(
    name: str,
    *,
    actor: Actor,
    can_write: bool = True,
    scopes: list[str] | None = None,
    expires_at: datetime | None = None,
) -> tuple[AgentKey, str]:
    """A key for this person alone, and its secret, shown once. Invalid without a name, for unknown scopes, or a past
    end."""
    if not name.strip():
        raise Invalid("name", "Give the key a name, so that you know it again.")
    if expires_at is not None and expires_at <= datetime.now(UTC):
        raise Invalid("expires_at", "Choose a time that is still to come.")
    with writing_as_person(actor):
        person = User.objects.get(pk=actor.opened)
        if scopes is not None:
            known = set(Scope.objects.filter(person=person, name__in=scopes).values_list("name", flat=True))
            if not scopes or known != set(scopes):
                raise Invalid("scopes", "Choose among your scopes.")
        return create_key(
            name.strip(), actor=actor, person=person, can_write=can_write, scopes=scopes, expires_at=expires_at
        )


def revoke_personal_key(key_id: UUID, *, actor: Actor) -> AgentKey:
    """In force with the next request. NotFound unless it is this person's; revoking twice changes nothing more."""
    with acting_for(actor.opened):
        key = AgentKey.objects.filter(pk=key_id, person_id=actor.opened).first()
        if key is None:
            raise NotFound
        if key.revoked_at is None:
            revoke_key(key, actor=actor)
            key.refresh_from_db()
        return key
