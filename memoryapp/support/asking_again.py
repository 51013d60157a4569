"""What would be sent now for the same request, or would have been at an instant: places and verdicts, masked."""

from datetime import datetime
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.views.decorators.http import require_safe

from memoryapp.rendering import page
from memoryapp.services import desk
from memoryapp.services.asked_again import asked_again
from memoryapp.services.errors import Conflict
from memoryapp.support.request import StaffRequest, refuse, staffed


@staffed
@require_safe
def again(request: StaffRequest, trace_id: UUID) -> HttpResponse:
    """`as_of` is an instant of the past in the staff member's zone, or `then`."""
    found = desk.case(trace_id, staff=request.staff, is_look=False)
    if found.grant is None or not found.grant.is_running:
        return redirect("support:trace", trace_id)
    typed = request.GET.get("as_of", "")
    as_of = found.trace.at if typed == "then" else _instant(typed)
    try:
        compared = asked_again(found, staff=request.staff, as_of=as_of)
    except Conflict as error:
        return refuse(request, reverse("support:trace", args=[trace_id]), error)
    context = {
        "here": "lookup",
        "staff": request.staff,
        "view": found.trace,
        "grant": found.grant,
        "again": compared,
        "typed": typed if as_of and typed != "then" else "",
        "is_wrong": bool(typed) and as_of is None,
        "latest": timezone.localtime().strftime("%Y-%m-%dT%H:%M"),
    }
    return page(request, "support/again.html", context)


def _instant(text: str) -> datetime | None:
    try:
        instant = parse_datetime(text)
    except ValueError:
        return None
    if instant is None or not 1900 < instant.year < 9000:
        return None
    aware = timezone.make_aware(instant) if timezone.is_naive(instant) else instant
    return aware if aware <= timezone.now() else None
