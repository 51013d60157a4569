"""Proposing, listing, reading, correcting and forgetting memories."""

from dataclasses import asdict
from typing import Any
from uuid import UUID

from django.http import HttpResponse

from accounts.actors import Actor
from memoryapp import metrics
from memoryapp.api import examples
from memoryapp.api.body import MIB
from memoryapp.api.call import call
from memoryapp.api.describing import UUID_SCHEMA, Call
from memoryapp.api.preconditions import expected_version
from memoryapp.api.queries import DEFAULT_PAGE, ForgetQuery, ListQuery, PageQuery
from memoryapp.api.reply import reply
from memoryapp.api.requests import BatchRequest, CorrectRequest, ProposeRequest
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services import reading
from memoryapp.services.agents import open_owner, open_person
from memoryapp.services.correct import Changes, correct
from memoryapp.services.first_write import writing_about
from memoryapp.services.forget import forget
from memoryapp.services.proposal import Outcome, Proposal
from memoryapp.services.propose import propose
from memoryapp.services.reading import Filters

MEMORY_PATH = {"memory_id": UUID_SCHEMA}
_STORED_ANEW = ("new", "superseded", "recorded", "pending")


class Memories(AgentView):
    @call(
        Call(
            "list_memories",
            "A page of a person's memories, newest first.",
            returns={200: ("MemoryPage", examples.PAGE)},
            query=ListQuery,
        )
    )
    def get(self, request: AgentRequest, given: Given) -> HttpResponse:
        actor = open_person(request.actor, given.pop("user", None))
        cursor, limit = given.pop("cursor", None), given.pop("limit", DEFAULT_PAGE)
        return reply(reading.list_memories(Filters(**given), actor=actor, cursor=cursor, limit=limit))

    @call(
        Call(
            "propose_memory",
            "Propose one memory; the write policy decides. 201 when something was stored anew.",
            returns={201: ("Decision", examples.SUPERSEDED), 200: ("Decision", examples.REJECTED)},
            body=ProposeRequest,
            example=examples.PROPOSAL,
            writes=True,
            retries=True,
        )
    )
    def post(self, request: AgentRequest, given: Given) -> HttpResponse:
        user = given.pop("user", None)

        def act(actor: Actor) -> Answer:
            (outcome,) = propose([_proposal(given)], actor=actor)
            return 201 if outcome.action in _STORED_ANEW else 200, decision_json(outcome), actor.person_id

        return answer_once(request, lambda: writing_about(request.actor, user, act))


class Batch(AgentView):
    @call(
        Call(
            "propose_memories",
            "Propose up to 100 memories of one person, decided in order, in one transaction.",
            returns={200: ("Decisions", examples.BATCH_RESULT)},
            body=BatchRequest,
            example=examples.BATCH,
            writes=True,
            retries=True,
            limit=8 * MIB,
        )
    )
    def post(self, request: AgentRequest, given: Given) -> HttpResponse:
        shared = {name: given[name] for name in ("scope", "session") if name in given}
        proposals = [_proposal(shared | candidate) for candidate in given["candidates"]]

        def act(actor: Actor) -> Answer:
            outcomes = propose(proposals, actor=actor)
            results = [{"index": index, **decision_json(outcome)} for index, outcome in enumerate(outcomes)]
            return 200, {"results": results}, actor.person_id

        return answer_once(request, lambda: writing_about(request.actor, given.get("user"), act))


class OneMemory(AgentView):
    @call(
        Call(
            "read_memory",
            "One memory, with its version as ETag.",
            returns={200: ("Memory", examples.MEMORY)},
            path=MEMORY_PATH,
        )
    )
    def get(self, request: AgentRequest, given: Given, memory_id: UUID) -> HttpResponse:
        memory = reading.read_memory(memory_id, actor=open_owner(request.actor, "memory", memory_id))
        return reply(memory, headers={"ETag": f'"{memory["version"]}"'})

    @call(
        Call(
            "correct_memory",
            "Correct the version that If-Match names. 422 with `rule` when the write policy refuses.",
            returns={200: ("Decision", examples.SUPERSEDED)},
            body=CorrectRequest,
            example=examples.CORRECTION,
            path=MEMORY_PATH,
            problems=(409,),
            writes=True,
            if_match=True,
        )
    )
    def patch(self, request: AgentRequest, given: Given, memory_id: UUID) -> HttpResponse:
        actor = open_owner(request.actor, "memory", memory_id)
        current = reading.read_memory(memory_id, actor=actor)["version"]
        version = expected_version(request, current)
        return reply(decision_json(correct(memory_id, Changes(**given), expected_version=version, actor=actor)))

    @call(
        Call(
            "forget_memory",
            "Forget a memory; it can be restored for a while.",
            returns={200: ("Forgotten", examples.FORGOTTEN)},
            query=ForgetQuery,
            path=MEMORY_PATH,
            writes=True,
        )
    )
    def delete(self, request: AgentRequest, given: Given, memory_id: UUID) -> HttpResponse:
        actor = open_owner(request.actor, "memory", memory_id)
        relearn, source = given.get("relearn", "allow"), given.get("source", "keep")
        return reply(forget(memory_id, relearn=relearn, source=source, actor=actor))


class History(AgentView):
    @call(
        Call(
            "read_history",
            "The decisions on a memory, confirmations included, newest first.",
            returns={200: ("History", examples.HISTORY)},
            query=PageQuery,
            path=MEMORY_PATH,
        )
    )
    def get(self, request: AgentRequest, given: Given, memory_id: UUID) -> HttpResponse:
        actor = open_owner(request.actor, "memory", memory_id)
        limit = given.get("limit", DEFAULT_PAGE)
        return reply(reading.history(memory_id, actor=actor, cursor=given.get("cursor"), limit=limit))


def _proposal(given: Given) -> Proposal:
    fields: dict[str, Any] = {"text": None, **given}
    return Proposal(**fields)


def decision_json(outcome: Outcome) -> dict[str, Any]:
    metrics.count_decision(outcome.action, outcome.rule)
    return asdict(outcome)
