"""What every change of a memory has in common: its version, its confirmation, its decision, its search entry."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db.models import Model

from accounts.actors import Actor
from accounts.ids import uuid7
from accounts.models import User
from memoryapp.models import Confirmation, Decision, Memory, MemoryVersion
from memoryapp.models.memory import State, Statement
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import POLICY_VERSION, Action, Said, WriteRule
from memoryapp.policy.write import closing_instant
from memoryapp.services import audit, indexing
from memoryapp.services.errors import NotFound
from memoryapp.services.locking import writing_for
from memoryapp.services.rows import Statement as Sql
from memoryapp.services.rows import insert, rewriting, select
from memoryapp.services.shown import has_ended

_SHARED = [field.attname for field in Statement._meta.get_fields() if field.concrete]
# A clock that was set back must not end a version before it began.
_CLOSE = f"""
update {MemoryVersion._meta.db_table} set closed_at = greatest(recorded_at, %s), closes_at = %s where id = %s
"""


@dataclass(frozen=True, slots=True)
class Writer:
    """One write transaction: who writes about whom, and when."""

    person: User
    actor: Actor
    now: datetime


@contextmanager
def writer_for(actor: Actor) -> Iterator[Writer]:
    """A transaction in which `actor` is the person's only writer. NotFound when it may write nothing.

    So it is when the person was closed or erased since the call began; only the system still writes about the former.
    """
    if not actor.may_write:
        raise NotFound
    with writing_for(actor.opened) as now:
        person = next(iter(select(User, "where id = %s", [actor.opened])), None)
        if person is None or not (person.is_active or actor.kind == "system"):
            raise NotFound
        yield Writer(person, actor, now)


def writable_memory(memory_id: UUID, writer: Writer) -> Memory:
    """The memory's head with its scope, for a change. NotFound when it is forgotten or not this actor's to write."""
    memory = Memory.objects.writable_by(writer.actor).select_related("scope").filter(pk=memory_id).first()
    if memory is None or memory.state == State.FORGOTTEN:
        raise NotFound
    return memory


def new_version(memory: Memory, writer: Writer, *, amends: bool = False) -> MemoryVersion:
    """A version out of the head's fields, not saved. When it amends, the value and its confirmations stay."""
    memory.versions += 1
    version = MemoryVersion(
        **{name: getattr(memory, name) for name in _SHARED},
        id=uuid7(),
        memory_id=memory.id,
        number=memory.versions,
        scope_name=memory.scope.name,
        actor_kind=writer.actor.kind,
        agent_key_id=writer.actor.key_id,
        recorded_at=writer.now,
    )
    version.statement_id = memory.statement_id if amends else version.id
    return version


def make_current(memory: Memory, version: MemoryVersion) -> None:
    memory.version = version.number
    memory.current_version_id = version.id
    memory.statement_id = version.statement_id


def end_of_validity(memory: Memory, new_opens: datetime) -> datetime:
    """Where the head's validity ends when another opens: there, unless it had ended before."""
    closes_at = closing_instant(memory.valid_from, new_opens)
    return min(closes_at, memory.valid_to) if memory.valid_to else closes_at


def close_version(memory: Memory, writer: Writer, *, closes_at: datetime | None = None) -> None:
    """The head's current version is no longer; its validity ends at `closes_at` when a later statement ended it."""
    insert(also=[closing(memory, writer, closes_at=closes_at)])


def closing(memory: Memory, writer: Writer, *, closes_at: datetime | None = None) -> Sql:
    """The same, to be done with other statements."""
    return _CLOSE, (writer.now, closes_at, memory.current_version_id)


def amend(memory: Memory, writer: Writer, *rows: Model, closes_at: datetime | None = None) -> MemoryVersion:
    """Saves the head's changed fields as a new version of the same value, and with it these new rows."""
    closed = closing(memory, writer, closes_at=closes_at)
    version = new_version(memory, writer, amends=True)
    make_current(memory, version)
    save(memory, writer, version, *rows, also=[closed])
    return version


def stand_again(memory: Memory, writer: Writer) -> bool:
    """What was said again is current again when it was stale or past its end; a paused one stays. True when changed."""
    if memory.state == State.PAUSED:
        return False
    ended = has_ended(memory, writer.now)
    if ended:
        memory.valid_to = memory.expires_at = None
    elif memory.state == State.CURRENT:
        return False
    if memory.state != State.CURRENT:
        memory.state, memory.state_by = State.CURRENT, writer.actor.kind
    return True


def save(memory: Memory, writer: Writer, *rows: Model, also: Sequence[Sql] = ()) -> None:
    """Writes the head, and with it these new rows."""
    memory.changed_at = writer.now
    insert(*rows, also=[*also, rewriting(memory)])
    indexing.index(memory)


def save_confirmed(memory: Memory, writer: Writer, *rows: Model) -> None:
    """As `save`, for a memory of which only how often and when it was said has changed."""
    memory.changed_at = writer.now
    insert(*rows, also=[rewriting(memory), indexing.confirming(memory)])


def add_confirmation(memory: Memory, said: Said, writer: Writer, *, source: str | None = None) -> None:
    insert(confirmation_of(memory, said, writer, source=source))


def confirmation_of(memory: Memory, said: Said, writer: Writer, *, source: str | None = None) -> Confirmation:
    """One more time that the current value was said; not saved."""
    return Confirmation(
        person_id=memory.person_id,
        version_id=memory.statement_id,
        said_at=said.at,
        session=said.session,
        turn=said.turn,
        source=source,
        actor_kind=writer.actor.kind,
        agent_key_id=writer.actor.key_id,
        recorded_at=writer.now,
    )


def masked(column: str, value: str | None) -> str | None:
    """A value of a decision's column without secrets: a rule before `secret` may have refused what carries one."""
    longest = getattr(Decision._meta.get_field(column), "max_length", None)
    return mask_secrets(value)[:longest] if value else value


def log_decision(
    action: Action,
    rule: WriteRule,
    writer: Writer,
    *,
    memory: Memory | None = None,
    version_id: UUID | None = None,
    verb: str = "propose",
    **fields: object,
) -> Decision:
    """The decision's row, and its audit event."""
    decision = Decision(
        id=uuid7(),
        person_id=writer.person.id,
        memory_id=memory.id if memory else None,
        version_id=version_id,
        action=action,
        rule=rule,
        policy_version=POLICY_VERSION,
        actor_kind=writer.actor.kind,
        agent_key_id=writer.actor.key_id,
        recorded_at=writer.now,
        **fields,
    )
    reason = f"{action} {rule}"
    audit.record(verb, "decision", decision.id, actor=writer.actor, at=writer.now, reason=reason, along=[decision])
    return decision
