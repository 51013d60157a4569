"""What a key may learn of itself, and of the persons that it acts for."""

from django.http import HttpResponse

from memoryapp.api import examples
from memoryapp.api.call import call
from memoryapp.api.describing import Call
from memoryapp.api.queries import DEFAULT_PAGE, EraseQuery, PersonPageQuery, PersonQuery
from memoryapp.api.reply import reply
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services import erase_jobs, erase_person, overview
from memoryapp.services.agents import open_person
from memoryapp.services.errors import NotFound
from memoryapp.services.shown import time_json


class Me(AgentView):
    @call(Call("read_me", "What this key is and may do.", returns={200: ("Me", examples.ME)}))
    def get(self, request: AgentRequest, given: Given) -> HttpResponse:
        key = request.key
        return reply(
            {
                "name": key.name,
                "kind": "personal" if key.person else "service",
                "namespace": key.namespace,
                "user": key.person.external_id if key.person else None,
                "can_write": key.can_write,
                "scopes": key.scopes,
                "expires_at": time_json(key.expires_at),
            }
        )


class Subjects(AgentView):
    @call(
        Call(
            "list_subjects",
            "The taken slots, so that an extractor reuses their names.",
            returns={200: ("Subjects", examples.SUBJECTS)},
            query=PersonPageQuery,
        )
    )
    def get(self, request: AgentRequest, given: Given) -> HttpResponse:
        actor = open_person(request.actor, given.get("user"))
        limit = given.get("limit", DEFAULT_PAGE)
        return reply(overview.subjects(actor=actor, cursor=given.get("cursor"), limit=limit))


class Scopes(AgentView):
    @call(
        Call(
            "list_scopes",
            "A person's switches, and the scopes with what they hold.",
            returns={200: ("Scopes", examples.SCOPES)},
            query=PersonQuery,
        )
    )
    def get(self, request: AgentRequest, given: Given) -> HttpResponse:
        return reply(overview.scopes(actor=open_person(request.actor, given.get("user"))))


class People(AgentView):
    @call(
        Call(
            "erase_person",
            "Erase a person and everything that is held on them; it cannot be undone. 409 when `expected_count` is not"
            " the number of their memories. The receipt tells how far it has come.",
            returns={202: ("Erasing", examples.ERASING)},
            query=EraseQuery,
            problems=(409,),
            writes=True,
            retries=True,
        )
    )
    def delete(self, request: AgentRequest, given: Given) -> HttpResponse:
        if request.actor.scopes is not None:
            raise NotFound

        def act() -> Answer:
            actor = open_person(request.actor, given.get("user"))
            if actor is None:
                raise NotFound
            receipt_id = erase_person.begin(expected_count=given["expected_count"], actor=actor)
            erase_jobs.work_soon()
            # Kept for retries as nobody's: it would go with the person.
            return 202, {"receipt_id": str(receipt_id)}, None

        return answer_once(request, act)
