"""Disputing a memory: it is sent to nobody until it is decided, with the person's own words beside it."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.db.models import F, QuerySet

from accounts.actors import Actor
from accounts.ids import uuid7
from memoryapp.models import Dispute, Memory, MemoryVersion
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.normal import normal_form
from memoryapp.policy.secrets import mask_secrets
from memoryapp.services import audit, since_ledger
from memoryapp.services.errors import Conflict
from memoryapp.services.rows import select
from memoryapp.services.shown import memory_json
from memoryapp.services.since_ledger import Since
from memoryapp.services.writing import Writer, save, writable_memory, writer_for

TEXT_LENGTH = 2_000


def dispute(memory_id: UUID, *, text: str | None = None, actor: Actor) -> dict[str, Any]:
    """Returns the memory, disputed. Doing it twice changes the words only, where there are new ones, and whose it is:
    what the person disputes too is theirs.

    Secrets in them are masked. NotFound; Conflict `not_current` for what neither stands nor waits, `person_decides`
    when an agent would put its words in the place of the person's.
    """
    with writer_for(actor) as writer:
        memory = writable_memory(memory_id, writer)
        if memory.state not in (*LIVING, State.PENDING):
            raise Conflict("not_current", "Only a memory that stands or waits for review can be disputed.")
        words = mask_secrets(text) if text and text.strip() else None
        if not memory.disputed:
            open_dispute(memory, words, actor.kind, writer, agent_key_id=actor.key_id)
            save(memory, writer)
            audit.record("dispute", "memory", memory.pk, actor=actor, at=writer.now)
        elif words or not actor.is_agent:
            _let_decide(memory, actor)
            # What the person disputes too is theirs to decide from then on.
            given: dict[str, Any] = {"text": words} if words else {}
            if not actor.is_agent and not is_the_persons(memory):
                given |= {"actor_kind": actor.kind, "agent_key_id": None, "opened_at": writer.now}
                _note("disputed", memory, writer, by=actor.kind)
            if given and _open_on(memory).exclude(**given).update(**given):
                audit.record("dispute", "memory", memory.pk, actor=actor, at=writer.now)
        return memory_json(memory, writer.person, writer.now)


def undispute(memory_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """Takes the dispute back: the memory stands as before. Conflict `person_decides` when the person disputed it."""
    with writer_for(actor) as writer:
        memory = writable_memory(memory_id, writer)
        if memory.disputed:
            _let_decide(memory, actor)
            settle(memory, Dispute.Outcome.WITHDRAWN, writer)
            save(memory, writer)
            audit.record("undispute", "memory", memory.pk, actor=actor, at=writer.now)
        return memory_json(memory, writer.person, writer.now)


def settle(memory: Memory, outcome: Dispute.Outcome, writer: Writer) -> None:
    """A dispute about it is decided; the caller saves the memory. Without one nothing happens."""
    if memory.disputed:
        memory.disputed = False
        _open_on(memory).update(outcome=outcome, decided_at=writer.now)
        _note("settled", memory, writer)


def settle_as_said(memory: Memory, writer: Writer) -> None:
    """A guess is said in so many words. That settles no dispute of the person's, unless they say it on their page."""
    if not (writer.actor.is_agent and is_the_persons(memory)):
        settle(memory, Dispute.Outcome.KEPT, writer)


def pass_on(guess: Memory, memory: Memory, writer: Writer) -> None:
    """`memory` now says what the guess beside it said. What the person disputed of that they still dispute, unless they
    put it there themselves. The caller saves the guess.
    """
    if not (writer.actor.is_agent and is_the_persons(guess)) or memory.disputed:
        settle(guess, Dispute.Outcome.KEPT, writer)
        return
    open_one = _open_on(guess)
    open_one.update(memory_id=memory.pk, version=memory.version)
    guess.disputed, memory.disputed = False, True
    _note("settled", guess, writer)
    _note("disputed", memory, writer, by="person")
    save(memory, writer)


def dispute_again(memory: Memory, slot: Iterable[Memory], writer: Writer) -> None:
    """`memory` says by now what the person disputed in this slot, and it is not they who put it there: they dispute it
    still, with the words that they had, until they decide. `slot` is what else the slot holds or held.
    """
    if memory.disputed or memory.state not in LIVING:
        return
    value = normal_form(memory.text)
    standing = disputed_values({memory.pk, *(head.pk for head in slot)})
    if value in standing:
        open_dispute(memory, standing[value], "person", writer)
        save(memory, writer)
        audit.record("dispute", "memory", memory.pk, actor=writer.actor, at=writer.now, reason="again")


def disputed_values(memory_ids: Iterable[UUID]) -> Mapping[str, str | None]:
    """What the person disputed of these memories and neither kept nor wrote themselves since, in normal form, with what
    they say instead. While they are open; one read where nothing ever was disputed.
    """
    memory_ids = set(memory_ids)
    theirs = "where memory_id = any(%s) and actor_kind <> 'agent' order by opened_at"
    disputes = select(Dispute, theirs, [list(memory_ids)])
    if not disputes:
        return {}
    versions = list(MemoryVersion.objects.filter(memory__in={one.memory_id for one in disputes}))
    texts = {(one.memory_id, one.number): normal_form(one.text) for one in versions}
    found = {texts.get((one.memory_id, one.version), ""): one for one in disputes}
    written = MemoryVersion.objects.filter(memory__in=memory_ids, statement=F("pk"), actor_kind="person")
    for text, at in written.values_list("text", "recorded_at"):
        value = normal_form(text)
        if value in found and found[value].opened_at < at:
            del found[value]
    ended = (Dispute.Outcome.KEPT, Dispute.Outcome.WITHDRAWN)
    return {value: one.text for value, one in found.items() if value and one.outcome not in ended}


def is_the_persons(memory: Memory) -> bool:
    """Whether the person themselves disputes it, so that no agent decides it. While they are open."""
    open_one = _open_on(memory).exclude(actor_kind="agent")
    return memory.disputed and open_one.exists()


def disputed_at(memory: Memory) -> datetime | None:
    """Since when the person themselves disputes it; None when they do not. While they are open."""
    if not memory.disputed:
        return None
    return _open_on(memory).exclude(actor_kind="agent").values_list("opened_at", flat=True).first()


def words_against(memory: Memory) -> str | None:
    """What the person says instead, where they said so. While they are open."""
    if not memory.disputed:
        return None
    return _open_on(memory).values_list("text", flat=True).first()


def open_dispute(
    memory: Memory, words: str | None, by: str, writer: Writer, *, agent_key_id: UUID | None = None
) -> None:
    """The caller saves the memory."""
    Dispute(
        id=uuid7(),
        person_id=writer.person.pk,
        memory_id=memory.pk,
        version=memory.version,
        text=words,
        actor_kind=by,
        agent_key_id=agent_key_id,
        opened_at=writer.now,
    ).save(force_insert=True)
    memory.disputed = True
    _note("disputed", memory, writer, by=by)


def _note(what: Literal["disputed", "settled"], memory: Memory, writer: Writer, *, by: str | None = None) -> None:
    since_ledger.note(Since(what, memory.pk, writer.now, memory.person_id, by=by))


def _open_on(memory: Memory) -> QuerySet[Dispute]:
    return Dispute.objects.filter(memory_id=memory.pk, outcome=None)


def _let_decide(memory: Memory, actor: Actor) -> None:
    if actor.is_agent and is_the_persons(memory):
        raise Conflict("person_decides", "The person disputed this themselves; only they can decide it.")
