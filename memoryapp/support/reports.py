"""What persons have put to the supervisors."""

from typing import Literal, cast

from django.http import Http404, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.rendering import leave, page
from memoryapp.services import access_reports
from memoryapp.services.errors import Conflict
from memoryapp.support.request import StaffRequest, refuse, staffed


def _reports(request: StaffRequest) -> HttpResponse:
    found = access_reports.questioned(staff=request.staff)
    context = {
        "here": "reports",
        "staff": request.staff,
        "open": [one for one in found if one.report.state != "closed"],
        "closed": [one for one in found if one.report.state == "closed"],
    }
    return page(request, "support/reports.html", context)


def _settle(request: StaffRequest, reference: str, to: str) -> HttpResponse:
    back = reverse("support:reports")
    if request.method != "POST":
        return redirect(back)
    if to not in ("taken", "closed"):
        raise Http404
    try:
        access_reports.settle(reference, cast(Literal["taken", "closed"], to), staff=request.staff)
    except Conflict as error:
        return refuse(request, back, error)
    said = _("Taken up. The person sees that.") if to == "taken" else _("Closed. The person sees that.")
    return leave(request, back, said=said)


reports = staffed(require_safe(_reports), need="supervisor")
settle = staffed(_settle, need="supervisor")
