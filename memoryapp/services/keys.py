"""Making and revoking agent keys."""

from datetime import datetime

from accounts.actors import Actor
from accounts.keys import new_key
from accounts.models import DEFAULT_NAMESPACE, AgentKey, User
from memoryapp.database.isolation import SYSTEM
from memoryapp.services import audit, since_ledger
from memoryapp.services.locking import writing_for
from memoryapp.services.since_ledger import Since


def create_key(
    name: str,
    *,
    actor: Actor,
    person: User | None = None,
    namespace: str = DEFAULT_NAMESPACE,
    can_write: bool = True,
    scopes: list[str] | None = None,
    expires_at: datetime | None = None,
) -> tuple[AgentKey, str]:
    """A new key, and its secret form, which is shown once and stored nowhere. A personal key when a person is given."""
    secret, parts = new_key()
    owner = person.id if person else SYSTEM
    with writing_for(owner) as now:
        key = AgentKey.objects.create(
            name=name,
            prefix=parts.prefix,
            digest=parts.digest,
            person=person,
            namespace=person.namespace if person else namespace,
            can_write=can_write,
            scopes=scopes,
            expires_at=expires_at,
        )
        audit.record("create_key", "agent_key", key.id, actor=actor, at=now, person_id=owner)
    return key, secret


def revoke_key(key: AgentKey, *, actor: Actor) -> None:
    """In force with the next request, in every worker: keys are read anew each time."""
    owner = key.person_id or SYSTEM
    with writing_for(owner) as now:
        AgentKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now)
        since_ledger.note(Since("revoked", key.pk, now))
        audit.record("revoke_key", "agent_key", key.id, actor=actor, at=now, person_id=owner)
