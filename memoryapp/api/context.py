"""Retrieval: the block for the next prompt."""

from django.http import HttpResponse

from memoryapp import metrics
from memoryapp.api import examples
from memoryapp.api.call import call
from memoryapp.api.describing import Call
from memoryapp.api.requests import RecallRequest
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services.agents import open_person
from memoryapp.services.recall import ContextRequest, recall, understanding_of

_DEFAULT_LIMIT = 20


class Context(AgentView):
    @call(
        Call(
            "recall",
            "The memories that serve a request, as a block for the prompt, with the id of its trace. "
            "A read-only key may.",
            returns={200: ("Context", examples.CONTEXT)},
            body=RecallRequest,
            example=examples.ASK,
            retries=True,
        )
    )
    def post(self, request: AgentRequest, given: Given) -> HttpResponse:
        asked = _request(given)

        def act() -> Answer:
            understood = understanding_of(asked)
            actor = open_person(request.actor, given.get("user"))
            found = recall(asked, actor=actor, understood=understood)
            metrics.count_retrieval(found)
            return 200, found, actor.person_id if actor else None

        return answer_once(request, act)


def _request(given: Given) -> ContextRequest:
    scopes = (given["scope"],) if "scope" in given else given.get("scopes", ())
    return ContextRequest(
        scopes=tuple(dict.fromkeys(scopes)),
        query=given.get("query"),
        budget_tokens=given.get("budget_tokens"),
        budget_chars=given.get("budget_chars"),
        floor=given.get("floor"),
        limit=given.get("limit", _DEFAULT_LIMIT),
        kinds=given.get("kinds"),
        as_of=given.get("as_of"),
        session=given.get("session") or None,
        agent_request_id=given.get("agent_request_id") or None,
        explain=given.get("explain", False),
    )
