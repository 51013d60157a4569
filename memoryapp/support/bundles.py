"""A case to hand on: as a file for engineering, and as a page to print."""

from uuid import UUID

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.http import require_safe

from memoryapp.rendering import page, private
from memoryapp.services import desk
from memoryapp.services.case_bundle import case_bundle
from memoryapp.support.request import StaffRequest, staffed
from memoryapp.support.trace import context_of


@staffed
@require_safe
def bundle(request: StaffRequest, trace_id: UUID) -> HttpResponse:
    whole = case_bundle(trace_id, staff=request.staff)
    response = JsonResponse(whole, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = f'attachment; filename="case-{trace_id}.json"'
    return private(response)


@staffed
@require_safe
def to_print(request: StaffRequest, trace_id: UUID) -> HttpResponse:
    """The same as a page: everything unfolded, nothing to press."""
    whole = case_bundle(trace_id, staff=request.staff)
    found = desk.case(trace_id, staff=request.staff, is_look=False)
    digests = {(item["memory"], item["version"]): item["digest"] for item in whole["items"]}
    context = context_of(found, request)
    rows = [*context["sent"], *context["left_out"], *context["folded"]]
    context["rows"] = [(row, digests.get((str(row.weighed.memory_id), row.weighed.version))) for row in rows]
    context["now"] = timezone.now()
    return page(request, "support/print.html", context)
