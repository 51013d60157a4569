"""Importing: every memory of a file through the write gate, all of them or none."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import batched
from typing import IO, Any, Self

from django.db import transaction

from accounts.actors import Actor
from accounts.models import Scope
from memoryapp.models import Memory
from memoryapp.models.memory import LIVING
from memoryapp.services import audit
from memoryapp.services.carried import Carried
from memoryapp.services.disputes import open_dispute
from memoryapp.services.errors import NotFound, TooMany
from memoryapp.services.import_beside import Tally, bring_do_not_learn, bring_messages
from memoryapp.services.import_file import Bundle, open_bundle
from memoryapp.services.import_gate import Gate, Ruling
from memoryapp.services.import_rows import Rows
from memoryapp.services.messages import Turn
from memoryapp.services.shown import time_json
from memoryapp.services.writing import Writer, writer_for

AT_ONCE = 500
"""So many memories are decided and written together."""


@dataclass(slots=True)
class Counted:
    """What a file brings: in force or as history (`new`), to be reviewed (`pending`), here already (`same`).

    `refused` counts by rule. `messages` and `do_not_learn` are of our own export. `same_person`: it is an export of
    ours, of this very person. `decided` is a digest of what was decided on each row, in their order.
    """

    source: str
    exported_at: str | None = None
    same_person: bool = False
    total: int = 0
    new: int = 0
    pending: int = 0
    same: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    messages: Tally = field(default_factory=Tally)
    do_not_learn: Tally = field(default_factory=Tally)
    decided: str = ""

    @classmethod
    def from_json(cls, row: Mapping[str, Any], decided: str) -> Self:
        beside = {name: Tally(**row.get(name, {})) for name in ("messages", "do_not_learn")}
        return cls(**(dict(row) | beside), decided=decided)

    @property
    def memories(self) -> int:
        return self.new + self.pending

    @property
    def brought(self) -> int:
        return self.memories + self.messages.new + self.do_not_learn.new

    def as_json(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self).items() if name != "decided"}


def import_memories(
    file: IO[bytes], *, actor: Actor, dry_run: bool = False, expected: str | None = None, most: int | None = None
) -> Counted:
    """Brings what the file holds, under the person's lock, in one transaction; a dry run only counts.

    Our own signed export comes back as it was, where the place of a memory is free: with its state, its history and how
    often it was said, origin `imported` beside the original one. Whatever else is brought waits for review. What stands
    here already stays as it is, and what is here in the same words is not brought again. Rules 1 to 7 refuse as
    always. `expected` is the `decided` that the person was shown: when it comes out otherwise by now, nothing is done.

    With the memories come the messages that they came from, and before them the do-not-learn list, which only grows.

    Malformed and Invalid as `open_bundle`; TooMany beyond `most` memories; NotFound when the actor may not write about
    all of the person's scopes.
    """
    if actor.scopes is not None:
        raise NotFound
    bundle = open_bundle(file)
    with transaction.atomic():
        with writer_for(actor) as writer:
            if not writer.person.is_active:
                raise NotFound
            counted = _Import(bundle, writer, most).run()
            audit.record("import", "person", writer.person.pk, actor=actor, at=writer.now, reason=bundle.source)
        if dry_run or expected not in (None, counted.decided):
            transaction.set_rollback(True)
    return counted


class _Import:
    """One file, one person, one transaction."""

    def __init__(self, bundle: Bundle, writer: Writer, most: int | None) -> None:
        self._bundle, self._writer, self._most = bundle, writer, most
        self._left_out: set[Turn] = set()
        self._scopes = {scope.name: scope for scope in Scope.objects.filter(person_id=writer.person.pk)}
        self._scope_names = {row["id"]: name for name, row in bundle.scopes.items()}
        self._gate = Gate(bundle, writer, self._scopes)
        self._rows = Rows(writer, self._gate.is_barred)

    def run(self) -> Counted:
        counted = Counted(self._bundle.source, time_json(self._bundle.exported_at), self._gate.is_of_person)
        refused, digest = Counter[str](), hashlib.sha256()
        for outcome in counted.do_not_learn.count(bring_do_not_learn(self._bundle, self._writer)):
            digest.update(f"{outcome}\n".encode())
        for some in batched(self._memories(), AT_ONCE):
            self._gate.load([one for one, _ in some])
            for one, is_others in some:
                ruling = Ruling("refused", "other_person") if is_others else self._gate.rule(one)
                self._carry_out(one, ruling)
                counted.total += 1
                match ruling.outcome:
                    case "refused":
                        refused[ruling.rule] += 1
                    case outcome:
                        setattr(counted, outcome, getattr(counted, outcome) + 1)
                digest.update(f"{ruling.outcome} {ruling.rule}\n".encode())
            self._rows.write()
        for outcome in counted.messages.count(self._messages()):
            digest.update(f"{outcome}\n".encode())
        counted.refused, counted.decided = dict(sorted(refused.items())), digest.hexdigest()
        return counted

    def _messages(self) -> Iterator[str]:
        return bring_messages(
            self._bundle.messages,
            names=self._scope_names,
            scope_of=self._scope,
            is_learned_in=self._gate.is_learned_in,
            is_barred=self._gate.is_barred,
            left_out=self._left_out,
            writer=self._writer,
        )

    def _memories(self) -> Iterator[tuple[Carried, bool]]:
        """Each with whether it is about somebody else: a file of several people is not one person's."""
        if self._bundle.is_own:
            self._require_room_for(self._bundle.held)
            yield from ((one, False) for one in self._bundle.memories)
            return
        memories = list(self._bundle.memories)
        self._require_room_for(len(memories))
        users = {one.user for one in memories} - {None}
        own = {None, self._writer.person.external_id} if len(users) > 1 else {None, *users}
        yield from ((one, one.user not in own) for one in memories)

    def _require_room_for(self, memories: int) -> None:
        if self._most is not None and memories > self._most:
            raise TooMany(self._most)

    def _carry_out(self, one: Carried, ruling: Ruling) -> None:
        decision, said = ruling.decision, ruling.said
        if decision is None or said is None:
            return
        if ruling.outcome == "refused" and ruling.rule == "forgotten":
            times = [one.head, *(row for version in one.versions for row in version["said"])]
            self._left_out |= {(row["session"], row["turn"]) for row in times if row.get("turn") is not None}
        memory: Memory | None = None
        if ruling.outcome != "refused":
            placement = decision.placement
            assert placement is not None
            scope = self._scope(placement.scope)
            if ruling.as_exported:
                memory = self._as_exported(one, scope)
                self._dispute_again(memory)
            else:
                memory = self._rows.waiting(one, placement, scope, said.at, decision.rule)
            self._gate.note(memory)
        self._rows.decided(one, decision, said.at, memory)

    def _as_exported(self, one: Carried, scope: Scope) -> Memory:
        current = one.head["current_version"]
        kept = [row for row in one.versions if row["id"] == current or self._gate.may_keep(row["text"])]
        scopes = {row["scope"]: self._once_in(row["scope"], scope) for row in kept}
        return self._rows.as_exported(one, scope, kept, scopes)

    def _dispute_again(self, memory: Memory) -> None:
        """No file from before a dispute undoes it."""
        if memory.state in LIVING and not memory.disputed and (words := self._gate.disputed_before(memory)):
            open_dispute(memory, words[0], "person", self._writer)

    def _once_in(self, scope_id: str, now_in: Scope) -> Scope:
        """The scope that a version belongs to, where there still was one when the export was written."""
        name = self._scope_names.get(scope_id)
        return self._scope(name) if name else now_in

    def _scope(self, name: str) -> Scope:
        """A scope that comes with our own export keeps its switches."""
        if name not in self._scopes:
            row = self._bundle.scopes.get(name, {})
            self._scopes[name] = Scope.objects.create(
                person_id=self._writer.person.pk,
                name=name,
                learning=row.get("learning", True),
                use=row.get("use", True),
            )
        return self._scopes[name]
