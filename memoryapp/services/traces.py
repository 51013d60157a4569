"""Reading a trace, rebuilding the block that was sent, and joining the answer that was given with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import connection, transaction

from accounts.actors import Actor
from accounts.ids import instant_of, uuid7
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Answer, RetrievalTrace
from memoryapp.models.memory import State
from memoryapp.policy.secrets import mask_secrets
from memoryapp.services import audit
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.locking import writing_for
from memoryapp.services.replaying import Versions, replay, versions_of, withheld_since
from memoryapp.services.shown import slot_key, time_json
from memoryapp.services.trace_items import TraceItem, load_items


def read_trace(trace_id: UUID, *, actor: Actor) -> dict[str, Any]:
    """The whole trace, with the block rebuilt; text of what was forgotten since is null and marked."""
    with acting_for(actor.opened):
        return _trace_json(_visible_trace(trace_id, actor), actor)


def block_of(trace_id: UUID) -> str:
    """The block that was sent, byte for byte, with a marked gap for each memory that may not be shown any more.

    To be called while the trace's person is open.
    """
    trace = RetrievalTrace.objects.get(id=trace_id, created_at=instant_of(trace_id))
    items = load_items(trace.items)
    return replay(trace, items, versions_of(items), withheld_since(items))


def join_answer(trace_id: UUID, *, answer_id: str, model: str | None, text: str | None, actor: Actor) -> dict[str, Any]:
    """Says which answer was given with a trace. The same again changes nothing.

    Conflict `answer_taken` when the trace has another answer, or the answer belongs to another person's trace.
    """
    if actor.key_id is None:
        raise NotFound
    model, kept = (mask_secrets(value) if value else value for value in (model, text))
    shown = {"trace_id": str(trace_id), "answer_id": answer_id, "model": model}
    with _naming(answer_id, actor.key_id), writing_for(actor.opened) as now:
        trace = _visible_trace(trace_id, actor)
        if actor.scopes is not None:
            _require_scopes(versions_of(load_items(trace.items)), actor)
        known = Answer.objects.visible_to(actor).filter(trace_id=trace_id).first()
        if known:
            if (known.agent_key_id, known.answer_id, known.model, known.text) != (
                actor.key_id, answer_id, model, kept,
            ):  # fmt: skip
                raise Conflict("answer_taken", "This trace is joined to another answer.")
            return shown
        if _answer_owner(actor.key_id, answer_id) not in (None, actor.opened):
            raise Conflict("answer_taken", "This answer is joined to another trace already.")
        answer = Answer(
            id=uuid7(),
            person_id=actor.opened,
            agent_key_id=actor.key_id,
            answer_id=answer_id,
            trace_id=trace_id,
            model=model,
            text=kept,
            recorded_at=now,
        )
        answer.save(force_insert=True)
        audit.record("join_answer", "answer", answer.id, actor=actor, at=now)
        return shown


@contextmanager
def _naming(answer_id: str, key_id: UUID) -> Iterator[None]:
    """One call at a time for one answer of one agent, or two could give it to two persons. Taken before other locks."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("select pg_advisory_xact_lock(hashtextextended(%s, 2))", [f"{key_id} {answer_id}"])
        yield


def read_answer(answer_id: str, *, actor: Actor) -> dict[str, Any]:
    """The traces behind an answer of this agent, oldest first."""
    if actor.key_id is None:
        raise NotFound
    owner = _answer_owner(actor.key_id, answer_id)
    if owner is None or actor.person_id not in (None, owner):
        raise NotFound
    opened = replace(actor, person_id=owner)
    with acting_for(owner):
        answers = Answer.objects.visible_to(opened).filter(agent_key_id=actor.key_id, answer_id=answer_id)
        traces = [_trace_json(_visible_trace(row.trace_id, opened), opened) for row in answers.order_by("trace_id")]
        return {"answer_id": answer_id, "traces": traces}


def _answer_owner(key_id: UUID, answer_id: str) -> UUID | None:
    with connection.cursor() as cursor:
        cursor.execute(
            "select id from accounts_user where id = (select answer_owner(%s, %s)) and is_active", [key_id, answer_id]
        )
        row = cursor.fetchone()
        return row[0] if row else None


def _visible_trace(trace_id: UUID, actor: Actor) -> RetrievalTrace:
    rows = RetrievalTrace.objects.visible_to(actor).filter(id=trace_id, created_at=instant_of(trace_id))
    trace: RetrievalTrace | None = rows.select_related("agent_key").first()
    if trace is None or not all(map(actor.may_use_scope, trace.scopes)):
        raise NotFound
    return trace


def _require_scopes(versions: Versions, actor: Actor) -> None:
    """A retrieval for one scope draws on the personal one too, which this actor's key may not read."""
    if not all(actor.may_use_scope(version.scope_name) for version in versions.values()):
        raise NotFound


def _trace_json(trace: RetrievalTrace, actor: Actor) -> dict[str, Any]:
    items = load_items(trace.items)
    versions, since = versions_of(items), withheld_since(items)
    _require_scopes(versions, actor)
    answer = Answer.objects.filter(trace_id=trace.id).first()
    return {
        "id": str(trace.id),
        "created_at": time_json(trace.created_at),
        "agent": trace.agent_key.name if trace.agent_key else None,
        "user": User.objects.values_list("external_id", flat=True).get(pk=trace.person_id),
        "scopes": trace.scopes,
        "query": trace.query,
        "as_of": time_json(trace.as_of),
        "floor": trace.floor,
        "budget": trace.budget,
        "policy_version": trace.policy_version,
        "scorer": trace.scorer,
        "considered": [_considered(item, versions, since) for item in items],
        "withheld": trace.counts["withheld"],
        "used": trace.counts["used"],
        "context": replay(trace, items, versions, since),
        "notice": trace.notice,
        "answer": {"answer_id": answer.answer_id, "model": answer.model} if answer else None,
    }


def _considered(item: TraceItem, versions: Versions, since: dict[UUID, str]) -> dict[str, Any]:
    version = versions.get((item.memory_id, item.version))
    is_gone = version is None or since.get(item.memory_id) == State.FORGOTTEN
    shown: dict[str, Any] = {
        "id": str(item.memory_id),
        "version": item.version,
        "key": slot_key(version.kind, version.scope_name, version.subject) if version and not is_gone else None,
        "text": version.text if version and not is_gone else None,
        "relevance": item.relevance,
        "parts": item.parts,
        "verdict": item.verdict,
    }
    return {**shown, "forgotten": True} if is_gone else shown
