"""What every table with personal content has in common: its person, the one door, and the append-only trigger."""

from typing import Self, TypeVar

import pgtrigger
from django.db import models
from django.db.models import Func, Value

from accounts.actors import Actor
from accounts.models import User

_NOT_ERASING = "current_setting('app.erasing', true) IS DISTINCT FROM OLD.person_id::text"


_UNDER = Func(Value("app.staff"), Value(True), function="current_setting", output_field=models.TextField())
"""The grant that the transaction is under."""

_Row = TypeVar("_Row", bound=models.Model)


class PersonalQuerySet(models.QuerySet[_Row]):
    scope_path: str | None = None
    """Lookup that leads to the scope's name, where rows belong to one."""

    holds_content = True
    """Whether rows say what is remembered of the person, and not only what was done with it."""

    def visible_to(self, actor: Actor) -> Self:
        """The rows that this actor may know of. The one door through which every read starts.

        Staff see nothing outside a transaction under their grant; whether that runs is the database's to say.
        """
        if actor.person_id is None:
            return self.none()
        rows = self.filter(person_id=actor.person_id)
        if self.holds_content and actor.kind == "staff" and actor.consent_id is None:
            if actor.grant_id is None:
                return self.none()
            rows = rows.alias(under=_UNDER).filter(under=str(actor.grant_id))
        if actor.scopes is not None and self.scope_path is not None:
            rows = rows.filter(**{f"{self.scope_path}__in": actor.scopes})
        return rows

    def writable_by(self, actor: Actor) -> Self:
        """The rows that this actor may change."""
        may_write = actor.may_write if self.holds_content else actor.can_write
        return self.visible_to(actor) if may_write else self.none()


class ScopedQuerySet(PersonalQuerySet[_Row]):
    scope_path = "scope__name"


class RecordQuerySet(PersonalQuerySet[_Row]):
    holds_content = False


PersonalManager = models.Manager.from_queryset(PersonalQuerySet)
ScopedManager = models.Manager.from_queryset(ScopedQuerySet)
RecordManager = models.Manager.from_queryset(RecordQuerySet)


class Personal(models.Model):
    """A row about one person, under row-level security. Foreign keys to such rows carry the person along."""

    person = models.ForeignKey(User, models.PROTECT, db_index=False, related_name="+")

    class Meta:
        abstract = True


def append_only(*, closing: list[str] | None = None, quotes: list[str] | None = None) -> list[pgtrigger.Trigger]:
    """Triggers that refuse updates (save of the `closing` columns) and deletes outside `erasing(person)`.

    Inside it the columns `quotes`, of which `source` is one, may change too, where no source is left.

    They guard against mistakes. The tables' owner could still disable them.
    """
    free = [*(closing or ()), *(quotes or ())]
    update = pgtrigger.AnyChange(exclude=free) if free else None
    changed = " OR ".join(f"OLD.{name} IS DISTINCT FROM NEW.{name}" for name in quotes or ())
    quoting = [
        pgtrigger.Protect(
            name="append_only_quote",
            operation=pgtrigger.Update,
            condition=pgtrigger.Condition(f"(({changed}) AND ({_NOT_ERASING} OR NEW.source IS NOT NULL))"),
        )
    ]
    return [
        *(quoting if quotes else ()),
        pgtrigger.Protect(name="append_only_update", operation=pgtrigger.Update, condition=update),
        pgtrigger.Protect(
            name="append_only_delete", operation=pgtrigger.Delete, condition=pgtrigger.Condition(_NOT_ERASING)
        ),
    ]
