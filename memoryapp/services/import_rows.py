"""The rows of imported memories: built from what a file says, written together."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import DateTimeField, Model

from accounts.ids import uuid7
from accounts.models import Scope
from memoryapp.models import Confirmation, Decision, Dispute, Memory, MemoryVersion
from memoryapp.models.memory import LIVING, State
from memoryapp.policy.secrets import mask_secrets
from memoryapp.policy.types import POLICY_VERSION, Placement, WriteDecision
from memoryapp.services.carried import Carried
from memoryapp.services.import_json import time_of
from memoryapp.services.indexing import index_fresh
from memoryapp.services.slots import TEXTLESS_RULES
from memoryapp.services.writing import Writer, masked

ORIGIN = "imported"
_GIVEN_HERE = {"id", "person", "scope", "memory", "version", "statement", "current_version", "agent_key", "origin"}
_OF_HEAD = _GIVEN_HERE - {"version"} | {"versions", "original_origin", "changed_at", "forgotten_at"}


@dataclass(slots=True)
class Rows:
    """What is to be written; `write` writes it, and empties this. `is_barred`: a text is not to be learned again."""

    writer: Writer
    is_barred: Callable[[str], bool]
    memories: list[Memory] = field(default_factory=list)
    versions: list[MemoryVersion] = field(default_factory=list)
    confirmations: list[Confirmation] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    disputes: list[Dispute] = field(default_factory=list)
    _sources: dict[str, str | None] = field(default_factory=dict)

    def write(self) -> None:
        Memory.objects.bulk_create(self.memories)
        MemoryVersion.objects.bulk_create(self.versions)
        Confirmation.objects.bulk_create(self.confirmations)
        Decision.objects.bulk_create(self.decisions)
        Dispute.objects.bulk_create(self.disputes)
        index_fresh([memory for memory in self.memories if memory.state in LIVING and not memory.disputed])
        for rows in (self.memories, self.versions, self.confirmations, self.decisions, self.disputes, self._sources):
            rows.clear()

    def as_exported(
        self, one: Carried, scope: Scope, kept: Sequence[Mapping[str, Any]], scopes: Mapping[str, Scope]
    ) -> Memory:
        """The memory as its own export has it: state, history, and how often it was said. Its ids are new.

        `kept` are its versions that may be kept, the current one among them, and `scopes` where each belongs.
        """
        head, person_id = one.head, self.writer.person.pk
        memory = Memory(
            **_columns(Memory, head, _OF_HEAD),
            id=uuid7(),
            person_id=person_id,
            scope=scope,
            versions=max(row["number"] for row in one.versions),
            changed_at=self.writer.now,
            **_origin(head),
        )
        memory.source = self._source(memory.source)
        ids = {row["id"]: uuid7() for row in kept}
        for row in kept:
            version = MemoryVersion(
                **_columns(MemoryVersion, row, _GIVEN_HERE | {"original_origin"}),
                id=ids[row["id"]],
                person_id=person_id,
                scope=scopes[row["scope"]],
                memory=memory,
                statement_id=ids.get(row["statement"], ids[row["id"]]),
                **_origin(row),
            )
            version.source = self._source(version.source)
            # The gate has looked through what stands; the past may be older than what the gate knows of secrets.
            version.reason = self._source(version.reason)
            version.aliases = [name for name in version.aliases if mask_secrets(name) == name]
            self.versions.append(version)
            self.confirmations += [self._said(said, version.pk) for said in row["said"]]
        memory.current_version_id = ids[head["current_version"]]
        memory.statement_id = ids.get(head["statement"], memory.current_version_id)
        self.memories.append(memory)
        self.disputes += [self._disputed(row, memory) for row in one.head.get("disputes", ())]
        return memory

    def waiting(self, one: Carried, placement: Placement, scope: Scope, said_at: datetime, rule: str) -> Memory:
        """Its words alone, which wait for the person."""
        writer, head = self.writer, one.head
        said: dict[str, Any] = {
            "person_id": writer.person.pk,
            "scope": scope,
            "kind": placement.kind,
            "subject": placement.subject,
            "subject_key": placement.subject_key,
            "state": State.PENDING,
            "text": one.text,
            "source": self._source(head.get("source")),
            "occurred_at": said_at,
            "reason": head.get("reason"),
            "aliases": list(head.get("aliases", ())),
            "valid_from": said_at,
            "origin": ORIGIN,
        }
        statement_id = uuid7()
        memory = Memory(
            **said,
            id=uuid7(),
            state_by=writer.actor.kind,
            pending_rule=rule,
            metadata=head.get("metadata", {}),
            current_version_id=statement_id,
            statement_id=statement_id,
            confirmed_at=said_at,
            created_at=writer.now,
            changed_at=writer.now,
        )
        version = MemoryVersion(
            **said,
            id=statement_id,
            memory=memory,
            number=1,
            statement_id=statement_id,
            scope_name=scope.name,
            actor_kind=writer.actor.kind,
            agent_key_id=writer.actor.key_id,
            recorded_at=writer.now,
        )
        self.memories.append(memory)
        self.versions.append(version)
        self.confirmations.append(
            Confirmation(
                person_id=writer.person.pk,
                version_id=statement_id,
                said_at=said_at,
                source=memory.source,
                actor_kind=writer.actor.kind,
                agent_key_id=writer.actor.key_id,
                recorded_at=writer.now,
            )
        )
        return memory

    def decided(self, one: Carried, decision: WriteDecision, said_at: datetime, memory: Memory | None) -> None:
        """The decision's row. What a rule refuses is kept as far as that rule lets it be."""
        keeps_text = decision.rule not in TEXTLESS_RULES
        placement = decision.placement
        # What is let in was looked through.
        said = masked if memory is None else _as_it_is
        self.decisions.append(
            Decision(
                id=uuid7(),
                person_id=self.writer.person.pk,
                memory_id=memory.pk if memory else None,
                version_id=memory.current_version_id if memory else None,
                action=decision.action,
                rule=decision.rule,
                policy_version=POLICY_VERSION,
                kind=said("kind", one.kind) or "",
                scope_name=said("scope_name", placement.scope if placement else one.scope),
                subject=said("subject", placement.subject if placement else one.subject) if keeps_text else None,
                said_at=said_at,
                text=masked("text", one.text) if keeps_text and memory is None else None,
                source=self._source(one.head.get("source")) if keeps_text else None,
                origin=ORIGIN,
                actor_kind=self.writer.actor.kind,
                agent_key_id=self.writer.actor.key_id,
                recorded_at=self.writer.now,
                session=one.head.get("session") if memory else None,
                turn=one.head.get("turn") if memory else None,
            )
        )

    def _disputed(self, row: Mapping[str, Any], memory: Memory) -> Dispute:
        columns = _columns(Dispute, row, _GIVEN_HERE - {"version"} | {"memory_id"})
        columns["text"] = self._source(columns["text"])
        return Dispute(**columns, id=uuid7(), person_id=self.writer.person.pk, memory_id=memory.pk)

    def _source(self, text: str | None) -> str | None:
        if text is None:
            return None
        # The head, its version and how often it was said mostly name one message.
        if text not in self._sources:
            self._sources[text] = None if self.is_barred(text) else mask_secrets(text)
        return self._sources[text]

    def _said(self, row: Mapping[str, Any], version_id: UUID) -> Confirmation:
        columns = _columns(Confirmation, row, _GIVEN_HERE)
        columns["source"] = self._source(columns.get("source"))
        return Confirmation(**columns, id=uuid7(), person_id=self.writer.person.pk, version_id=version_id)


def _origin(row: Mapping[str, Any]) -> dict[str, str | None]:
    """The first origin stays beside `imported`, however often it is carried on."""
    was = row["origin"]
    return {"origin": ORIGIN, "original_origin": row.get("original_origin") if was == ORIGIN else was}


def _columns(model: type[Model], row: Mapping[str, Any], left_out: set[str]) -> dict[str, Any]:
    """Columns by name, as far as the file has them."""
    return {
        column.name: time_of(row[column.name]) if isinstance(column, DateTimeField) else row[column.name]
        for column in model._meta.concrete_fields
        if column.name not in left_out and column.name in row
    }


def _as_it_is(column: str, value: str | None) -> str | None:
    return value
