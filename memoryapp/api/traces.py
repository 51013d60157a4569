"""Traces of retrievals, and the answers that were given with them."""

from uuid import UUID

from django.http import HttpResponse

from memoryapp.api import examples
from memoryapp.api.call import call
from memoryapp.api.describing import UUID_SCHEMA, Call
from memoryapp.api.reply import reply
from memoryapp.api.requests import JoinRequest
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services import traces
from memoryapp.services.agents import open_owner

_TRACE_PATH = {"trace_id": UUID_SCHEMA}
_ANSWER_PATH = {"answer_id": {"type": "string", "minLength": 1, "maxLength": 256}}


class OneTrace(AgentView):
    @call(
        Call(
            "read_trace",
            "One retrieval: what was considered, sent and left out.",
            returns={200: ("Trace", examples.TRACE)},
            path=_TRACE_PATH,
        )
    )
    def get(self, request: AgentRequest, given: Given, trace_id: UUID) -> HttpResponse:
        return reply(traces.read_trace(trace_id, actor=open_owner(request.actor, "trace", trace_id)))


class JoinAnswer(AgentView):
    @call(
        Call(
            "join_answer",
            "Say which answer was given with this context. A read-only key may.",
            returns={200: ("JoinedAnswer", examples.JOINED)},
            body=JoinRequest,
            example=examples.JOIN,
            path=_TRACE_PATH,
            problems=(409,),
            retries=True,
        )
    )
    def post(self, request: AgentRequest, given: Given, trace_id: UUID) -> HttpResponse:
        def act() -> Answer:
            actor = open_owner(request.actor, "trace", trace_id)
            model, text = given.get("model"), given.get("text")
            joined = traces.join_answer(trace_id, answer_id=given["answer_id"], model=model, text=text, actor=actor)
            return 200, joined, actor.person_id

        return answer_once(request, act)


class OneAnswer(AgentView):
    @call(
        Call(
            "read_answer",
            "The traces behind an answer.",
            returns={200: ("Answer", examples.ANSWER)},
            path=_ANSWER_PATH,
        )
    )
    def get(self, request: AgentRequest, given: Given, answer_id: str) -> HttpResponse:
        return reply(traces.read_answer(answer_id, actor=request.actor))
