"""One-time links to a person's page."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse

from accounts.models import User
from memoryapp.api import examples
from memoryapp.api.call import call
from memoryapp.api.describing import Call
from memoryapp.api.problems import Problem
from memoryapp.api.requests import PersonRequest
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services.agents import open_person
from memoryapp.services.errors import NotFound
from memoryapp.services.links import link_path, make_link
from memoryapp.services.shown import time_json


class Links(AgentView):
    @call(
        Call(
            "make_link",
            "A one-time link that opens the person's page within 15 minutes; for service keys of all scopes.",
            returns={201: ("Link", examples.LINK)},
            body=PersonRequest,
            example=examples.LINK_REQUEST,
            writes=True,
            retries=True,
        )
    )
    def post(self, request: AgentRequest, given: Given) -> HttpResponse:
        # The page shows all of a person: a key that may see one scope would see the others through it.
        if request.actor.person_id is not None or request.actor.scopes is not None:
            raise Problem(403, "Only a service key for all scopes may make links.")

        def act() -> Answer:
            actor = open_person(request.actor, given.get("user"))
            if actor is None:
                raise NotFound
            link = make_link(User.objects.get(pk=actor.opened), actor=actor)
            return 201, {"id": str(link.id), "expires_at": time_json(link.expires_at)}, actor.opened

        def shown(kept: dict[str, Any]) -> dict[str, Any]:
            """The token is not kept for retries: it follows from the id."""
            url = request._request.build_absolute_uri(link_path(UUID(kept["id"])))
            return {"url": url, "expires_at": kept["expires_at"]}

        return answer_once(request, act, shown)
