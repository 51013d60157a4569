"""One verb for many memories: chosen once, done to exactly those, in pieces that the page can watch."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from accounts.actors import Actor
from accounts.ids import uuid7
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import BulkRun, Memory, MemoryVersion
from memoryapp.models.memory import State
from memoryapp.policy.placement import is_scope_name
from memoryapp.services.edit import move
from memoryapp.services.errors import Conflict, Invalid, NotFound, ServiceError
from memoryapp.services.forget import forget, restore
from memoryapp.services.listed import Listed, listed
from memoryapp.services.matching import PageFilters, matching
from memoryapp.services.messages import Resting
from memoryapp.services.person_only import writing_as_person
from memoryapp.services.resting import resting_with_all
from memoryapp.services.states import pause, resume
from memoryapp.services.writing import Writer, writable_memory

PIECE = 200
"""So many memories are changed in one transaction, which takes about a second."""

_SAMPLE = 10
_KEPT = timedelta(days=1)
_INVERSE = {"forget": "restore", "pause": "resume", "resume": "pause", "move": "move_back"}


@dataclass(frozen=True, slots=True)
class Preview:
    """What a run would change: how many memories, and the first of them. Nothing is changed yet."""

    run_id: UUID
    verb: str
    count: int
    sample: tuple[Listed, ...]
    scope: str | None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run has come. `changed` and `skipped` add up to `done`; `can_undo` once something was changed."""

    run_id: UUID
    verb: str
    scope: str | None
    total: int
    done: int
    skipped: int
    is_started: bool
    is_finished: bool
    can_undo: bool

    @property
    def changed(self) -> int:
        return self.done - self.skipped


def preview_bulk(
    verb: str,
    *,
    actor: Actor,
    filters: PageFilters | None = None,
    ids: Iterable[UUID] | None = None,
    scope: str | None = None,
    bars: bool = False,
    erases_sources: bool = False,
) -> Preview:
    """Takes down which memories these are: all that the filters match, or the ids among the person's.

    Later changes add nothing to them. `scope` is where `move` takes them; `bars` and `erases_sources` are the choices
    of `forget`. Invalid for another verb, and for a scope that cannot be.
    """
    if verb not in _INVERSE:
        raise Invalid("verb", "Choose what to do with them.")
    if verb == "move" and not (scope and is_scope_name(scope)):
        raise Invalid("scope", "Choose the scope to move them to.")
    with writing_as_person(actor) as writer:
        if filters is not None:
            visit = User.objects.values_list("last_visit_at", flat=True).get(pk=actor.opened)
            rows = matching(filters, actor=actor, now=writer.now, last_visit_at=visit)
        else:
            chosen = list(dict.fromkeys(ids or ()))
            rows = Memory.objects.writable_by(actor).filter(pk__in=chosen).exclude(state=State.FORGOTTEN)
        run = _new_run(verb, list(rows.order_by("-confirmed_at", "-id").values_list("pk", flat=True)), writer)
        run.scope_name = scope.casefold() if scope and verb == "move" else None
        run.bars, run.erases_sources = bars, erases_sources
        run.save(force_insert=True)
        return _preview(run, writer.now)


def rest_with(filters: PageFilters, *, actor: Actor) -> Resting:
    """What else rests on the messages of all that match: on them alone, or with other support."""
    with acting_for(actor.opened):
        visit = User.objects.values_list("last_visit_at", flat=True).get(pk=actor.opened)
        rows = matching(filters, actor=actor, now=datetime.now(UTC), last_visit_at=visit)
        return resting_with_all(rows, actor=actor)


def apply_bulk(run_id: UUID, *, expected_count: int, actor: Actor) -> Progress:
    """Does it, or its first 200; the rest with `continue_bulk`. Doing it twice changes nothing more.

    What is gone, or what the verb cannot change, is skipped and counted. NotFound; Conflict `count_changed` when the
    run holds another number of memories than the person was shown.
    """
    with writing_as_person(actor) as writer:
        run = _run(run_id, actor)
        if len(run.memory_ids) != expected_count:
            raise Conflict("count_changed", "There are more or fewer of them now than you were shown.")
        if run.started_at is None:
            run.started_at = writer.now
            _work(run, writer)
        return _progress(run)


def continue_bulk(run_id: UUID, *, actor: Actor) -> Progress:
    """The next 200 of a run that was begun; nothing when it is finished. A run that nobody continues rests."""
    with writing_as_person(actor) as writer:
        run = _run(run_id, actor)
        if run.started_at is not None and run.finished_at is None:
            _work(run, writer)
        return _progress(run)


def bulk_progress(run_id: UUID, *, actor: Actor) -> Progress:
    """How far it has come, without doing more of it."""
    with acting_for(actor.opened):
        return _progress(_run(run_id, actor))


def undo_bulk(run_id: UUID, *, actor: Actor) -> Progress:
    """Takes back what the run has changed, in a run of its own, whose first 200 are done. Conflict `not_undoable`."""
    with writing_as_person(actor) as writer:
        run = _run(run_id, actor)
        known = BulkRun.objects.visible_to(actor).filter(undoes=run.pk).first()
        if known:
            return _progress(known)
        changed = _changed_ids(run)
        if run.verb not in _INVERSE or run.undoes or not changed:
            raise Conflict("not_undoable", "There is nothing to take back.")
        if run.finished_at is None:
            # What was not done yet is not done any more.
            run.memory_ids, run.finished_at = run.memory_ids[: run.done], writer.now
            run.save(update_fields=["memory_ids", "finished_at"])
        back = _new_run(_INVERSE[run.verb], changed, writer)
        back.undoes, back.scope_name, back.started_at = run.pk, run.scope_name, writer.now
        back.save(force_insert=True)
        _work(back, writer)
        return _progress(back)


def skipped(run_id: UUID, *, actor: Actor, limit: int = 50) -> tuple[Listed, ...]:
    """The first memories that the run could not change, as far as they are still there."""
    now = datetime.now(UTC)
    with acting_for(actor.opened):
        ids = _run(run_id, actor).skipped_ids[:limit]
        rows = Memory.objects.visible_to(actor).select_related("scope").exclude(state=State.FORGOTTEN).in_bulk(ids)
        return tuple(listed(rows[memory_id], now) for memory_id in ids if memory_id in rows)


def _new_run(verb: str, memory_ids: list[UUID], writer: Writer) -> BulkRun:
    BulkRun.objects.writable_by(writer.actor).filter(started_at=None, created_at__lt=writer.now - _KEPT).delete()
    return BulkRun(id=uuid7(), person=writer.person, verb=verb, memory_ids=memory_ids, created_at=writer.now)


def _run(run_id: UUID, actor: Actor) -> BulkRun:
    run: BulkRun | None = BulkRun.objects.visible_to(actor).filter(pk=run_id).first()
    if run is None:
        raise NotFound
    return run


def _changed_ids(run: BulkRun) -> list[UUID]:
    skipped_ids = set(run.skipped_ids)
    return [memory_id for memory_id in run.memory_ids[: run.done] if memory_id not in skipped_ids]


def _preview(run: BulkRun, now: datetime) -> Preview:
    first = run.memory_ids[:_SAMPLE]
    heads = Memory.objects.select_related("scope").in_bulk(first)
    sample = tuple(listed(heads[memory_id], now) for memory_id in first)
    return Preview(run.pk, run.verb, len(run.memory_ids), sample, run.scope_name)


def _progress(run: BulkRun) -> Progress:
    can_undo = run.verb in _INVERSE and run.undoes is None and run.done > len(run.skipped_ids)
    return Progress(
        run_id=run.pk,
        verb=run.verb,
        scope=run.scope_name,
        total=len(run.memory_ids),
        done=run.done,
        skipped=len(run.skipped_ids),
        is_started=run.started_at is not None,
        is_finished=run.finished_at is not None,
        can_undo=can_undo and not BulkRun.objects.filter(undoes=run.pk).exists(),
    )


def _work(run: BulkRun, writer: Writer) -> None:
    piece = run.memory_ids[run.done : run.done + PIECE]
    for memory_id in piece:
        try:
            changed = _act(run, memory_id, writer)
        except ServiceError:
            changed = False
        if not changed:
            run.skipped_ids.append(memory_id)
    run.done += len(piece)
    if run.done >= len(run.memory_ids):
        run.finished_at = writer.now
    run.save(update_fields=["started_at", "skipped_ids", "done", "finished_at"])


def _act(run: BulkRun, memory_id: UUID, writer: Writer) -> bool:
    """Does the run's verb to one memory. False, or a ServiceError, when there was nothing to change."""
    actor = writer.actor
    match run.verb:
        case "restore":
            restore(memory_id, actor=actor)
        case "forget":
            forget(
                memory_id,
                relearn="block" if run.bars else "allow",
                source="erase" if run.erases_sources else "keep",
                actor=actor,
                besides=run.memory_ids,
            )
        case "pause" | "resume":
            is_paused = writable_memory(memory_id, writer).state == State.PAUSED
            if is_paused == (run.verb == "pause"):
                return False
            (pause if run.verb == "pause" else resume)(memory_id, actor=actor)
        case _:
            return _move(run, memory_id, writer)
    return True


def _move(run: BulkRun, memory_id: UUID, writer: Writer) -> bool:
    memory = writable_memory(memory_id, writer)
    target: Any = run.scope_name
    if run.verb == "move_back":
        # Only what has not been changed since the run goes back.
        now_on = MemoryVersion.objects.get(pk=memory.current_version_id)
        before = MemoryVersion.objects.filter(memory=memory, closed_at=now_on.recorded_at).first()
        if before is None or memory.scope.name != run.scope_name:
            return False
        target = before.scope_name
    if memory.scope.name == target:
        return False
    move(memory_id, target, actor=writer.actor)
    return True
