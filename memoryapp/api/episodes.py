"""Storing the raw turns of a conversation."""

from django.http import HttpResponse

from accounts.actors import Actor
from memoryapp.api import examples
from memoryapp.api.body import MIB
from memoryapp.api.call import call
from memoryapp.api.describing import Call
from memoryapp.api.requests import EpisodesRequest
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.first_write import writing_about


class Episodes(AgentView):
    @call(
        Call(
            "store_turns",
            "Store raw turns, all or none; the same turn with the same content again is known.",
            returns={200: ("StoredTurns", examples.STORED)},
            body=EpisodesRequest,
            example=examples.EPISODES,
            problems=(409,),
            writes=True,
            retries=True,
            limit=8 * MIB,
        )
    )
    def post(self, request: AgentRequest, given: Given) -> HttpResponse:
        turns = [Turn(**turn) for turn in given["turns"]]

        def act(actor: Actor) -> Answer:
            stored = store_turns(session=given["session"], scope=given.get("scope"), turns=turns, actor=actor)
            return 200, stored, actor.person_id

        return answer_once(request, lambda: writing_about(request.actor, given.get("user"), act))
