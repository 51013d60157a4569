"""One memory as its person may know it: what it says, who says so, what it was, where it went and who looked."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from accounts.actors import Actor
from accounts.models import AgentKey
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Confirmation, Episode, Memory, MemoryVersion
from memoryapp.models.memory import State
from memoryapp.services.disputes import words_against
from memoryapp.services.errors import NotFound
from memoryapp.services.listed import Listed, listed, rewritten
from memoryapp.services.memory_uses import Use, uses_of
from memoryapp.services.retention import MESSAGES, Limit, began, limits

_TURNS_BEFORE, _TURNS_AFTER = 3, 2
_SHOWN_LOOKS = 50


@dataclass(frozen=True, slots=True)
class Said:
    """One time that a version's value was said. `agent` is the name of the key that passed it on."""

    said_at: datetime
    session: str | None
    turn: int | None
    source: str | None
    actor_kind: str
    agent: str | None


@dataclass(frozen=True, slots=True)
class Version:
    """One version. It held in [valid_from, valid_to), and was on record in [recorded_at, closed_at).

    `previous_text` is what the value before it was, None for the first value and where only other fields changed.
    """

    number: int
    text: str
    previous_text: str | None
    state: str
    origin: str
    reason: str | None
    kind: str
    subject: str
    scope: str
    pinned: bool
    aliases: tuple[str, ...]
    expires_at: datetime | None
    valid_from: datetime
    valid_to: datetime | None
    recorded_at: datetime
    closed_at: datetime | None
    actor_kind: str
    agent: str | None
    said: tuple[Said, ...]
    is_current: bool


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """One message of the conversation that the memory came from; `is_source` marks the one itself."""

    id: UUID
    turn: int
    role: str
    content: str
    occurred_at: datetime
    is_source: bool
    kept_until: datetime | None


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that was done with this memory: changed, viewed, exported. By whom, when and why."""

    at: datetime
    verb: str
    actor_kind: str
    agent: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Corrected:
    """An agent corrected the text and named no message for that; `source` is what the text before came from."""

    agent: str | None
    at: datetime
    source: str | None


@dataclass(frozen=True, slots=True)
class Detail:
    """Everything on one memory. Versions and uses newest first, the conversation in its order, looks newest first.

    `others` are the other memories of the same slot: what waits for review beside it, and what stood there before.
    """

    memory: Listed
    versions: tuple[Version, ...]
    conversation: tuple[SpokenTurn, ...]
    uses: tuple[Use, ...]
    looks: tuple[Look, ...]
    others: tuple[Listed, ...]
    dispute: str | None
    """What the person says against it, where they did."""
    corrected: Corrected | None
    kept_until: datetime | None
    """When it goes to the trash unless it is said again; None: not by itself."""


def memory_detail(memory_id: UUID, *, actor: Actor) -> Detail:
    """The memory with its history. NotFound also when it is forgotten. A constant number of reads, thirteen at most."""
    now = datetime.now(UTC)
    with acting_for(actor.opened):
        visible = Memory.objects.visible_to(actor).select_related("scope").exclude(state=State.FORGOTTEN)
        memory = visible.filter(pk=memory_id).first()
        if memory is None:
            raise NotFound
        slot = visible.filter(scope=memory.scope_id, kind=memory.kind, subject_key=memory.subject_key)
        kept = limits(actor.opened)
        versions = _versions(memory)
        return Detail(
            memory=listed(memory, now, is_quoted=not rewritten([memory])),
            versions=versions,
            conversation=_conversation(memory, actor, kept[MESSAGES]),
            uses=uses_of(memory.pk, actor=actor),
            looks=_looks(memory_id, actor),
            others=tuple(listed(other, now) for other in slot.exclude(pk=memory_id).order_by("-id")),
            dispute=words_against(memory),
            corrected=_corrected(memory, versions),
            kept_until=kept[memory.kind].ends(began(memory)) if memory.kind in kept else None,
        )


def _versions(memory: Memory) -> tuple[Version, ...]:
    rows = list(MemoryVersion.objects.filter(memory=memory).select_related("agent_key").order_by("number"))
    said = _said(version.statement_id for version in rows)
    closes = {row.statement_id: row.closes_at for row in rows if row.closes_at}
    statements = {row.pk: row for row in rows if row.statement_id == row.pk}
    shown = []
    former: MemoryVersion | None = None
    for row in rows:
        is_statement = row.statement_id == row.pk
        shown.append(
            Version(
                number=row.number,
                text=row.text,
                previous_text=former.text if former and is_statement else None,
                state=row.state,
                origin=row.origin,
                reason=row.reason,
                kind=row.kind,
                subject=row.subject,
                scope=row.scope_name,
                pinned=row.pinned,
                aliases=tuple(row.aliases),
                expires_at=row.expires_at,
                valid_from=row.valid_from,
                valid_to=closes.get(row.statement_id, row.valid_to),
                recorded_at=row.recorded_at,
                closed_at=row.closed_at,
                actor_kind=row.actor_kind,
                agent=row.agent_key.name if row.agent_key else None,
                said=said.get(row.pk, ()) if is_statement else (),
                is_current=row.pk == memory.current_version_id,
            )
        )
        former = statements.get(row.statement_id, former)
    return tuple(reversed(shown))


def _corrected(memory: Memory, versions: Iterable[Version]) -> Corrected | None:
    said = [one for one in versions if one.said and one.number <= memory.version]
    if memory.source is not None or len(said) < 2 or any(one.source for one in said[0].said):
        return None
    now, before = said[0], said[1]
    if now.actor_kind != "agent":
        return None
    return Corrected(now.agent, now.recorded_at, next((one.source for one in before.said if one.source), None))


def _said(statement_ids: Iterable[UUID]) -> Mapping[UUID, tuple[Said, ...]]:
    """The confirmations of each statement, latest first."""
    said: dict[UUID, tuple[Said, ...]] = {}
    rows = Confirmation.objects.filter(version__in=set(statement_ids)).select_related("agent_key")
    for row in rows.order_by("-said_at", "-id"):
        agent = row.agent_key.name if row.agent_key else None
        one = Said(row.said_at, row.session, row.turn, row.source, row.actor_kind, agent)
        said[row.version_id] = (*said.get(row.version_id, ()), one)
    return said


def _conversation(memory: Memory, actor: Actor, kept: Limit) -> tuple[SpokenTurn, ...]:
    """The stored messages around the one that the memory came from; none where that one is not stored."""
    if memory.session is None or memory.turn is None:
        return ()
    around = (memory.turn - _TURNS_BEFORE, memory.turn + _TURNS_AFTER)
    rows = Episode.objects.visible_to(actor).filter(session=memory.session, turn__range=around).order_by("turn")
    turns = tuple(
        SpokenTurn(
            id=row.pk,
            turn=row.turn,
            role=row.role,
            content=row.content,
            occurred_at=row.occurred_at,
            is_source=row.turn == memory.turn,
            kept_until=kept.ends(row.recorded_at),
        )
        for row in rows
    )
    return turns if any(turn.is_source for turn in turns) else ()


def _looks(memory_id: UUID, actor: Actor) -> tuple[Look, ...]:
    events = AuditEvent.objects.visible_to(actor).filter(object_type="memory", object_id=memory_id)
    rows = list(events.order_by("-seq")[:_SHOWN_LOOKS])
    keys = AgentKey.objects.filter(pk__in={row.actor_id for row in rows if row.actor_kind == "agent"})
    names = dict(keys.values_list("pk", "name"))
    return tuple(
        Look(row.at, row.verb, row.actor_kind, names.get(row.actor_id) if row.actor_id else None, row.reason)
        for row in rows
    )
