"""The person's do-not-learn list: values that were forgotten for good, and whole subjects."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.actors import Actor
from accounts.ids import uuid7
from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Tombstone
from memoryapp.policy.normal import normal_form
from memoryapp.policy.placement import place
from memoryapp.policy.types import Placement
from memoryapp.services import audit, since_ledger
from memoryapp.services.errors import Invalid, NotFound
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.since_ledger import Since
from memoryapp.services.slots import closing, digests, person_digest
from memoryapp.services.writing import Writer

WHOLE_SUBJECT = ""
"""The kind of an entry that closes a subject: it holds for every kind."""


@dataclass(frozen=True, slots=True)
class Barred:
    """One entry of the list. `values` counts the wordings that it bars; a closed subject bars all, and has none.

    What was said is not kept, so only where it stood can be shown.
    """

    id: UUID
    scope: str
    kind: str
    subject: str
    since: datetime
    is_whole_subject: bool
    values: int


def barred(*, actor: Actor) -> tuple[Barred, ...]:
    """The list, newest first. The values of one forgotten memory are one entry."""
    with acting_for(actor.opened):
        entries: dict[object, Barred] = {}
        for row in Tombstone.objects.visible_to(actor).order_by("-recorded_at", "-id"):
            group = (row.memory_id, row.recorded_at) if row.digest is not None and row.memory_id else row.pk
            known = entries.get(group)
            entries[group] = Barred(
                id=known.id if known else row.pk,
                scope=row.scope_name,
                kind=row.kind,
                subject=row.subject_key,
                since=row.recorded_at,
                is_whole_subject=row.kind == WHOLE_SUBJECT,
                values=(known.values if known else 0) + (row.kind != WHOLE_SUBJECT),
            )
        return tuple(entries.values())


def bar_subject(scope: str, subject: str, *, actor: Actor) -> Barred:
    """Nothing is learned about this subject in this scope, whatever its kind; what is remembered of it stays.

    Doing it twice changes nothing more. Invalid when the two name no slot.
    """
    with writing_as_person(actor) as writer:
        names = frozenset(Scope.objects.filter(person_id=writer.person.id).values_list("name", flat=True))
        placement = place("fact", subject, scope, names)
        if not isinstance(placement, Placement) or not placement.subject_key:
            raise Invalid("subject", "Name a subject within this scope.")
        rows = Tombstone.objects.visible_to(actor).filter(digest=None)
        row = rows.filter(scope_name=placement.scope, subject_key=placement.subject_key).first()
        if row is None:
            row = Tombstone(
                id=uuid7(),
                person_id=writer.person.id,
                digest=None,
                kind=WHOLE_SUBJECT,
                scope_name=placement.scope,
                subject_key=placement.subject_key,
                recorded_at=writer.now,
            )
            row.save(force_insert=True)
            note_barred([row], writer)
            audit.record("bar", "tombstone", row.pk, actor=actor, at=writer.now)
        return Barred(row.pk, row.scope_name, row.kind, row.subject_key, row.recorded_at, True, 0)


def lift(entry_id: UUID, *, actor: Actor) -> None:
    """The entry is off the list: it may be learned again. NotFound when it is not on it."""
    with writing_as_person(actor) as writer:
        rows = Tombstone.objects.writable_by(actor)
        row = rows.filter(pk=entry_id).first()
        if row is None:
            raise NotFound
        if row.digest is not None and row.memory_id:
            rows = rows.filter(memory=row.memory_id, recorded_at=row.recorded_at, digest__isnull=False)
        else:
            rows = rows.filter(pk=row.pk)
        _lift(rows, writer)


def lift_value(text: str, writer: Writer) -> None:
    """What bars this text is off the list, because the person wants it learned again. Within a write."""
    found = digests(writer.person, normal_form(text))
    _lift(Tombstone.objects.writable_by(writer.actor).filter(digest__in=found), writer)


def is_barred(text: str, *, actor: Actor) -> bool:
    """Whether this text is on the list, so that the page can ask before it is written by hand."""
    with acting_for(actor.opened):
        found = digests(User.objects.get(pk=actor.opened), normal_form(text))
        return Tombstone.objects.visible_to(actor).filter(digest__in=found).exists()


def note_barred(rows: Iterable[Tombstone], writer: Writer) -> None:
    """So that a backup from before does not take it back. What the value or the subject was stays out of it."""
    key = bytes(writer.person.digest_key)
    since_ledger.note(
        *(
            Since(
                "barred",
                row.pk,
                writer.now,
                person=row.person_id,
                memory=row.memory_id,
                digest=(
                    bytes(row.digest) if row.digest else person_digest(key, closing(row.scope_name, row.subject_key))
                ),
                is_subject=row.digest is None,
            )
            for row in rows
        )
    )


def note_lifted(rows: Iterable[Tombstone], writer: Writer) -> None:
    since_ledger.note(*(Since("lifted", row.pk, writer.now, row.person_id) for row in rows))


def _lift(rows: Iterable[Tombstone], writer: Writer) -> None:
    rows = list(rows)
    note_lifted(rows, writer)
    for row in rows:
        audit.record("lift", "tombstone", row.pk, actor=writer.actor, at=writer.now)
        row.delete()
