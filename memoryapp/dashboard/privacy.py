"""Privacy: how much is held, and all of it to take along."""

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import page, private
from memoryapp.services import export as exporting
from memoryapp.services.grants import open_to_person

_WHAT = {
    "memories": (_("Memories"), "dashboard:memories"),
    "trash": (_("In the trash"), "dashboard:trash"),
    "versions": (_("Versions of them, with their history"), ""),
    "refused": (_("Proposals that were refused"), "dashboard:not_remembered"),
    "messages": (_("Messages of conversations"), ""),
    "retrievals": (_("Records of what was sent"), "dashboard:activity"),
    "answers": (_("Answers that were given with it"), ""),
    "do_not_learn": (_("Entries of the do-not-learn list"), "dashboard:settings"),
    "events": (_("Entries of the activity"), "dashboard:activity"),
}


@personal
@require_safe
def privacy(request: PersonRequest) -> HttpResponse:
    held = exporting.held(actor=request.actor)
    rows = [(label, getattr(held, name), to) for name, (label, to) in _WHAT.items()]
    accesses = open_to_person(actor=request.actor)
    return page(request, "dashboard/privacy.html", {"held": held, "rows": rows, "accesses": accesses})


@personal
@require_safe
def export_page(request: PersonRequest) -> HttpResponse:
    """All of it to read and to print; what only programs read is in the file."""
    return page(request, "dashboard/export.html", {"whole": exporting.export_person(actor=request.actor)})


@personal
@require_safe
def export(request: PersonRequest) -> HttpResponse:
    whole = exporting.export_person(actor=request.actor)
    response = JsonResponse(whole, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="memory-{timezone.localdate().isoformat()}.json"'
    return private(response)
