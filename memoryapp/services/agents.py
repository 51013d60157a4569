"""Who is calling, and whom the call is about."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from django.db import IntegrityError, connection

from accounts.actors import Actor
from accounts.ids import behind
from accounts.keys import parse_key, same_digest
from accounts.models import DEFAULT_NAMESPACE, AgentKey, Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.policy.types import PERSONAL
from memoryapp.services.errors import Invalid, NotFound

_LAST_USE_EVERY = timedelta(minutes=1)

_FIELDS = AgentKey._meta.concrete_fields
# Without the ORM's set of rows: this is on the way of every call.
_KEY = f"""
select {", ".join(f"key.{field.column}" for field in _FIELDS)}
from accounts_agentkey key left join accounts_user person on person.id = key.person_id
where key.prefix = %s and person.is_active is not false
"""


def authenticate(presented: str) -> AgentKey | None:
    """The key with that secret, if it is valid now. Read anew each time, so that a revocation holds at once."""
    parts = parse_key(presented)
    if parts is None:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_KEY, [parts.prefix])
        row = cursor.fetchone()
    key = AgentKey.from_db(connection.alias, [field.attname for field in _FIELDS], row) if row else None
    if key is None or not same_digest(bytes(key.digest), parts.digest):
        return None
    now = datetime.now(UTC)
    if not key.is_valid_at(now):
        return None
    if key.last_used_at is None or now - key.last_used_at >= _LAST_USE_EVERY:
        AgentKey.objects.filter(pk=key.pk).update(last_used_at=now)
    return key


def actor_of(key: AgentKey) -> Actor:
    return Actor(
        kind="agent",
        person_id=key.person_id,
        key_id=key.id,
        key_name=key.name,
        namespace=key.namespace,
        can_write=key.can_write,
        scopes=None if key.scopes is None else frozenset(key.scopes),
    )


def open_person(actor: Actor, user: str | None) -> Actor | None:
    """The actor with the named person open, or None when there is no such person. Creates nothing."""
    if _is_personal(actor, user):
        return actor
    person_id = _person_id(actor, user)
    return replace(actor, person_id=person_id) if person_id else None


def ensure_person(actor: Actor, user: str | None) -> Actor:
    """The actor with the named person open, who is created with a personal scope when unknown."""
    if _is_personal(actor, user):
        return actor
    person_id = _person_id(actor, user)
    if person_id is None:
        person = User(
            namespace=actor.namespace or DEFAULT_NAMESPACE, external_id=user, created_at=datetime.now(UTC) - behind()
        )
        person.set_unusable_password()
        try:
            with acting_for(person.id):
                person.save(force_insert=True)
                Scope.objects.create(person=person, name=PERSONAL)
            person_id = person.id
        except IntegrityError:
            # Somebody else created the person in the meantime.
            person_id = _person_id(actor, user)
            if person_id is None:
                raise NotFound from None
    return replace(actor, person_id=person_id)


def open_owner(actor: Actor, table: Literal["memory", "trace"], object_id: UUID) -> Actor:
    """The actor with the person open to whom the object belongs. NotFound when this key may not act for that person."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"select person.id, person.namespace from accounts_user person where person.id = (select {table}_owner(%s))"
            " and person.is_active",
            [object_id],
        )
        row = cursor.fetchone()
    if row is None:
        raise NotFound
    person_id, namespace = row
    if actor.person_id is not None:
        if actor.person_id != person_id:
            raise NotFound
        return actor
    if actor.namespace != namespace:
        raise NotFound
    return replace(actor, person_id=person_id)


def _is_personal(actor: Actor, user: str | None) -> bool:
    """True when the actor's one person is already open. A personal key that names somebody is told that nobody is."""
    if actor.person_id is not None:
        if user is not None and user != _external_id(actor.person_id):
            raise NotFound
        return True
    if user is None:
        raise Invalid("user", "This field is required.")
    return False


def _external_id(person_id: UUID) -> str | None:
    return User.objects.values_list("external_id", flat=True).get(pk=person_id)


def _person_id(actor: Actor, user: str | None) -> UUID | None:
    # In plain SQL: this and the key's look-up are on the way of every call.
    with connection.cursor() as cursor:
        cursor.execute(
            "select id from accounts_user where namespace = %s and external_id = %s and is_active",
            [actor.namespace, user],
        )
        row = cursor.fetchone()
    return row[0] if row else None
