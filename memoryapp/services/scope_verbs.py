"""What the person does with a whole scope: rename it, merge it into another, forget everything in it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from django.db.models import QuerySet

from accounts.actors import Actor
from accounts.models import AgentKey, Scope
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, Tombstone
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.placement import is_scope_name
from memoryapp.policy.types import PERSONAL
from memoryapp.services import audit
from memoryapp.services.bulk import Preview, preview_bulk
from memoryapp.services.errors import Conflict, Invalid, NotFound
from memoryapp.services.listed import Listed, listed
from memoryapp.services.messages import Resting
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.resting import resting_with_all


@dataclass(frozen=True, slots=True)
class Clash:
    """Two memories of one slot: the one that would move, and the one that is in its way."""

    memory: Listed
    other: Listed


@dataclass(frozen=True, slots=True)
class ScopeMerge:
    """What merging would do. The clashing ones stay where they are until the person decides about them."""

    preview: Preview
    clashes: tuple[Clash, ...]


def rename_scope(scope: str, name: str, *, actor: Actor) -> str:
    """Renames it; memories, do-not-learn list and personal keys go along. Returns the name as it is written.

    Agents that still say the old name make a new scope of it. Raises NotFound; Invalid for a name out of the grammar;
    Conflict `scope_exists`, and `personal_stays` for the one that everybody has.
    """
    if not is_scope_name(name):
        raise Invalid("name", "Use letters a to z, digits, hyphens and underscores; begin with a letter or digit.")
    name = name.casefold()
    with writing_as_person(actor) as writer:
        row = _scope(scope, actor)
        if row.name == PERSONAL:
            raise Conflict("personal_stays", "The personal scope keeps its name.")
        if name == row.name:
            return name
        if Scope.objects.filter(person=writer.person, name=name).exists():
            raise Conflict("scope_exists", "You have a scope of that name: merge them instead.")
        Scope.objects.filter(pk=row.pk).update(name=name)
        Tombstone.objects.writable_by(actor).filter(scope_name=row.name).update(scope_name=name)
        for key in AgentKey.objects.filter(person=writer.person, scopes__contains=[row.name]):
            key.scopes = [name if one == row.name else one for one in key.scopes or ()]
            key.save(update_fields=["scopes"])
        audit.record("rename", "scope", row.pk, actor=actor, at=writer.now)
        return name


def preview_scope_merge(scope: str, into: str, *, actor: Actor) -> ScopeMerge:
    """Takes down everything in the scope, to be moved by `apply_bulk`. NotFound; Invalid when the two are one."""
    with writing_as_person(actor):
        row, target = _scope(scope, actor), _scope(into, actor)
        if row.pk == target.pk:
            raise Invalid("into", "Choose another scope.")
        return ScopeMerge(
            preview_bulk("move", ids=_ids_in(row, actor), scope=target.name, actor=actor), _clashes(row, target, actor)
        )


def preview_scope_forget(scope: str, *, actor: Actor, bars: bool = False, erases_sources: bool = False) -> Preview:
    """Takes down everything in the scope, to be forgotten by `apply_bulk` with the count that is shown. NotFound."""
    with writing_as_person(actor):
        ids = _ids_in(_scope(scope, actor), actor)
        return preview_bulk("forget", ids=ids, bars=bars, erases_sources=erases_sources, actor=actor)


def rest_with_scope(scope: str, *, actor: Actor) -> Resting:
    """What of other scopes rests on the messages of what is in this one. NotFound."""
    with acting_for(actor.opened):
        return resting_with_all(_all_in(_scope(scope, actor), actor), actor=actor)


def clashes(scope: str, into: str, *, actor: Actor) -> tuple[Clash, ...]:
    """What stands in both scopes about one subject."""
    with acting_for(actor.opened):
        return _clashes(_scope(scope, actor), _scope(into, actor), actor)


def _scope(name: str, actor: Actor) -> Scope:
    row = Scope.objects.filter(person_id=actor.opened, name=name.casefold()).first()
    if row is None:
        raise NotFound
    return row


def _all_in(scope: Scope, actor: Actor) -> QuerySet[Memory]:
    rows: QuerySet[Memory] = Memory.objects.writable_by(actor).filter(scope=scope).exclude(state=State.FORGOTTEN)
    return rows


def _ids_in(scope: Scope, actor: Actor) -> list[UUID]:
    return list(_all_in(scope, actor).values_list("pk", flat=True))


def _clashes(scope: Scope, into: Scope, actor: Actor) -> tuple[Clash, ...]:
    now = datetime.now(UTC)
    standing = Memory.objects.visible_to(actor).select_related("scope").filter(state__in=LIVING)
    there = {(head.kind, head.subject_key): head for head in standing.filter(scope=into)}
    here = standing.filter(scope=scope).order_by("kind", "subject_key")
    return tuple(
        Clash(listed(head, now), listed(other, now))
        for head in here
        if (other := there.get((head.kind, head.subject_key)))
    )
