"""From a proposal to the turn that it came from, and what else came of the conversation; and back."""

from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import page
from memoryapp.services.conversation import conversation_of


@personal
@require_safe
def turn(request: PersonRequest, decision_id: UUID) -> HttpResponse:
    found = conversation_of(decision_id, actor=request.actor)
    own = next((one for turn in found.turns for one in turn.outcomes if one.id == decision_id), None)
    return page(request, "dashboard/turn.html", {"found": found, "own": own})
