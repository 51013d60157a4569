"""Looking up what a ticket names, and the staff member's own grants."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from memoryapp.rendering import leave, page
from memoryapp.services import desk, grants
from memoryapp.support.request import StaffRequest, staffed


def _lookup(request: StaffRequest) -> HttpResponse:
    """Names may be addresses of people, so that they travel in the body and never in an address."""
    if not request.staff.is_support:
        return redirect("support:audit")
    name = request.POST.get("name", "").strip()[:300]
    found: tuple[desk.Found, ...] | None = None
    if request.method == "POST":
        found = desk.find(name, staff=request.staff)
        if len(found) == 1:
            return leave(request, reverse("support:trace", args=[found[0].trace_id]))
    own, waiting = grants.grants_at_desk(staff=request.staff)
    context = {
        "here": "lookup",
        "staff": request.staff,
        "found": found,
        "name": name,
        "open": [grant for grant in own if grant.is_running or grant.is_waiting],
        "past": [grant for grant in own if not (grant.is_running or grant.is_waiting)][:5],
        "waiting": waiting,
    }
    return page(request, "support/lookup.html", context)


lookup = staffed(require_http_methods(["GET", "HEAD", "POST"])(_lookup), need="any")


@staffed
def end(request: StaffRequest, grant_id: UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect("support:lookup")
    grant = grants.end_grant(grant_id, by=request.staff)
    return leave(request, reverse("support:trace", args=[grant.trace_id]))
