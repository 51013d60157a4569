"""The person's switches: whether anything is learned, and whether what is remembered is used, in all and by scope."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q

from accounts.actors import Actor
from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.policy.types import PERSONAL
from memoryapp.services import audit, since_ledger
from memoryapp.services.errors import NotFound
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.since_ledger import Since, What


@dataclass(frozen=True, slots=True)
class ScopeSwitches:
    """A scope with its switches. `memories` counts what is listed of it, `past` beside that what held earlier only."""

    id: UUID
    name: str
    learning: bool
    use: bool
    memories: int
    past: int

    @property
    def kept(self) -> int:
        """All that goes along when the whole scope is moved or forgotten."""
        return self.memories + self.past

    @property
    def is_personal(self) -> bool:
        return self.name == PERSONAL


@dataclass(frozen=True, slots=True)
class Switches:
    """`learning`: proposals are accepted. `use`: memories are sent to agents. A scope's own switch counts beside."""

    learning: bool
    use: bool
    scopes: tuple[ScopeSwitches, ...]


def read_switches(*, actor: Actor) -> Switches:
    """As they are stored; the personal scope first, the others by name.

    A scope that was emptied, with nothing in the trash either and no switch off, is not listed: there is nothing to
    say of it. It comes back by its name with the next memory.
    """
    with acting_for(actor.opened):
        person = User.objects.get(pk=actor.opened)
        rows = Memory.objects.visible_to(actor).order_by().values("scope")
        past = Count("pk", filter=Q(state=State.CLOSED))
        counts = {
            row["scope"]: (row["kept"] - row["past"], row["past"])
            for row in rows.annotate(kept=Count("pk", filter=~Q(state=State.FORGOTTEN)), past=past)
        }
        scopes = [
            ScopeSwitches(row.pk, row.name, row.learning, row.use, *counts.get(row.pk, (0, 0)))
            for row in Scope.objects.filter(person=person).order_by("name")
            if row.pk in counts or row.name == PERSONAL or not (row.learning and row.use)
        ]
        return Switches(person.learning, person.use, tuple(sorted(scopes, key=lambda one: not one.is_personal)))


def scopes_to_name(*, actor: Actor) -> list[str]:
    """The scopes that `read_switches` lists, the personal one first, where their counts are not asked for."""
    with acting_for(actor.opened):
        holds = Exists(Memory.objects.visible_to(actor).filter(scope=OuterRef("pk")))
        worth_saying = Q(holds) | Q(learning=False) | Q(use=False)
        rows = Scope.objects.filter(worth_saying, person_id=actor.opened).exclude(name=PERSONAL).order_by("name")
        return [PERSONAL, *rows.values_list("name", flat=True)]


def set_learning(on: bool, *, actor: Actor, scope: str | None = None) -> Switches:
    """Whether agents may propose memories, in all or in one scope. What is stored is not touched. NotFound."""
    return _switch("learning", on, scope, actor)


def set_use(on: bool, *, actor: Actor, scope: str | None = None) -> Switches:
    """Whether memories are sent to agents, in all or of one scope. What is stored is not touched. NotFound."""
    return _switch("use", on, scope, actor)


_LINES: dict[tuple[str, bool], What] = {
    ("learning", True): "learning_on",
    ("learning", False): "learning_off",
    ("use", True): "use_on",
    ("use", False): "use_off",
}


def _switch(name: Literal["learning", "use"], on: bool, scope: str | None, actor: Actor) -> Switches:
    with writing_as_person(actor) as writer:
        if scope is None:
            kind, object_id = "person", writer.person.pk
            changed = User.objects.filter(~Q(**{name: on}), pk=object_id).update(**{name: on})
        else:
            row = Scope.objects.filter(person=writer.person, name=scope).first()
            if row is None:
                raise NotFound
            kind, object_id = "scope", row.pk
            changed = Scope.objects.filter(~Q(**{name: on}), pk=object_id).update(**{name: on})
        if changed:
            since_ledger.note(Since(_LINES[name, on], object_id, writer.now, writer.person.pk))
            audit.record(f"{name}_{'on' if on else 'off'}", kind, object_id, actor=actor, at=writer.now)
    return read_switches(actor=actor)
