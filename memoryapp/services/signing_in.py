"""What the activity page tells of coming in and leaving, and what a person who signs up by themselves starts with."""

from uuid import UUID

from accounts.actors import Actor
from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.policy.types import PERSONAL
from memoryapp.services import audit
from memoryapp.services.locking import writing_for


def record_access(verb: str, person_id: UUID, *, how: str | None = None) -> None:
    """One audit event about the person's own way in.

    Verbs: sign_in, sign_out, end_session, change_email, add_factor, remove_factor. `how` names means, such as
    `code+totp` or `passkey`, never an address.
    """
    with writing_for(person_id) as now:
        audit.record(verb, "access", None, actor=Actor("person", person_id=person_id), at=now, reason=how)


def welcome(person: User) -> None:
    """Gives a person who signed up the scope that everybody has."""
    with acting_for(person.id):
        Scope.objects.get_or_create(person=person, name=PERSONAL)
