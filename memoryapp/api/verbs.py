"""What may be done to a memory without saying anything new: one POST each, answered with the memory."""

from collections.abc import Callable
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse

from memoryapp.api import examples
from memoryapp.api.call import call
from memoryapp.api.describing import Call
from memoryapp.api.memories import MEMORY_PATH
from memoryapp.api.requests import DisputeRequest
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services import states
from memoryapp.services.agents import open_owner
from memoryapp.services.disputes import dispute, undispute
from memoryapp.services.forget import restore

VERBS: dict[str, tuple[Callable[..., dict[str, Any]], str]] = {
    "restore": (restore, "Undo an agent's forget within the trash time; its tombstone is lifted."),
    "pause": (states.pause, "Keep it, but do not use it."),
    "resume": (states.resume, "Use it again."),
    "confirm": (states.confirm, "Still true."),
    "pin": (states.pin, "Send it always."),
    "undispute": (
        undispute,
        "Take a dispute back. One that the person opened on their page only they can decide: 409.",
    ),
    "unpin": (states.unpin, "Send it only where it is relevant."),
}


class Dispute(AgentView):
    @call(
        Call(
            "dispute_memory",
            "The person says that it is not right: it is sent to nobody until they decide.",
            returns={200: ("Memory", examples.DISPUTED)},
            body=DisputeRequest,
            example=examples.DISPUTE,
            path=MEMORY_PATH,
            problems=(409,),
            writes=True,
            retries=True,
        )
    )
    def post(self, request: AgentRequest, given: Given, memory_id: UUID) -> HttpResponse:
        return _carry_out(request, memory_id, dispute, text=given.get("text"))


def verb_view(name: str) -> Callable[[HttpRequest], Any]:
    service, summary = VERBS[name]

    class Verb(AgentView):
        @call(
            Call(
                f"{name}_memory",
                summary,
                returns={200: ("Memory", examples.MEMORY)},
                path=MEMORY_PATH,
                problems=(409,),
                writes=True,
                retries=True,
            )
        )
        def post(self, request: AgentRequest, given: Given, memory_id: UUID) -> HttpResponse:
            return _carry_out(request, memory_id, service)

    return Verb.as_view()


def _carry_out(
    request: AgentRequest, memory_id: UUID, service: Callable[..., dict[str, Any]], **given: Any
) -> HttpResponse:
    def act() -> Answer:
        actor = open_owner(request.actor, "memory", memory_id)
        return 200, service(memory_id, actor=actor, **given), actor.person_id

    return answer_once(request, act)
