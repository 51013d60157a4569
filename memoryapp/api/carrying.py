"""Everything that is held on a person, to take along, and what was taken along brought back."""

from io import BytesIO

from django.http import FileResponse, HttpResponse, HttpResponseBase

from accounts.actors import Actor
from memoryapp.api import examples
from memoryapp.api.body import MIB
from memoryapp.api.call import call
from memoryapp.api.describing import Call
from memoryapp.api.queries import ImportQuery, PersonQuery
from memoryapp.api.retries import Answer, answer_once
from memoryapp.api.shape import Given
from memoryapp.api.view import AgentRequest, AgentView
from memoryapp.services.agents import open_person
from memoryapp.services.errors import NotFound
from memoryapp.services.export import export_file
from memoryapp.services.first_write import trying_about, writing_about
from memoryapp.services.importing import import_memories
from memoryapp.services.uploads import MOST


class Export(AgentView):
    @call(
        Call(
            "export_person",
            "Everything that is held on a person as JSON, streamed and signed; what is forgotten is gone but for its"
            " id. It is noted in the person's activity.",
            returns={200: ("Export", examples.EXPORT)},
            query=PersonQuery,
        )
    )
    def get(self, request: AgentRequest, given: Given) -> HttpResponseBase:
        _require_all_scopes(request)
        file = export_file(actor=open_person(request.actor, given.get("user")))
        return FileResponse(file, content_type="application/json")


class Import(AgentView):
    @call(
        Call(
            "import_memories",
            "Bring memories: an export of this service, a mem0 export (JSON) or an OpenMemory zip. All go through the"
            " write policy, all of them or none. Those of an own, unchanged export come back as they were where their"
            " place is free, with their messages and the do-not-learn list; all others wait for the person. 400 names"
            f" the line that cannot be read; 422 beyond {MOST} memories: the operator's command takes any number.",
            returns={200: ("Imported", examples.IMPORTED)},
            takes_file=True,
            example=examples.IMPORT,
            query=ImportQuery,
            writes=True,
            retries=True,
            limit=8 * MIB,
        )
    )
    def post(self, request: AgentRequest, given: Given) -> HttpResponse:
        _require_all_scopes(request)
        user, dry_run = given.get("user"), given.get("dry_run", False)

        def act(actor: Actor) -> Answer:
            counted = import_memories(BytesIO(request.received), actor=actor, dry_run=dry_run, most=MOST)
            # Nobody may be there after a dry run.
            return 200, {"dry_run": dry_run, **counted.as_json()}, None if dry_run else actor.person_id

        about = trying_about if dry_run else writing_about
        return answer_once(request, lambda: about(request.actor, user, act))


def _require_all_scopes(request: AgentRequest) -> None:
    """What belongs to a scope that a key may not act for is not there."""
    if request.actor.scopes is not None:
        raise NotFound
