"""What staff did: with filters in the address, to export, and whether the chains hold."""

import csv
from datetime import datetime, time, timedelta
from io import StringIO
from typing import Any, cast, get_args
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.views.decorators.http import require_safe

from memoryapp.rendering import page, private
from memoryapp.services import staff_audit
from memoryapp.services.errors import Invalid
from memoryapp.services.grants import TICKET
from memoryapp.services.shown import time_json
from memoryapp.services.staff_audit import Access, Filters, Sort
from memoryapp.support.request import StaffRequest, staffed

_COLUMNS = ("at", "staff", "verb", "object_type", "object_id", "reason", "person_id", "seq", "id")
_NAMES = ("sort", "staff", "person", "ticket", "since", "until")


def _audit(request: StaffRequest) -> HttpResponse:
    filters, given = _filters(request)
    try:
        found = staff_audit.accesses(filters, staff=request.staff, cursor=request.GET.get("older") or None)
    except Invalid:
        return redirect("support:audit")
    kept = urlencode(given)
    context = {
        "here": "audit",
        "staff": request.staff,
        "found": found,
        "given": given,
        "kept": kept,
        "sorts": get_args(Sort),
        "sort": filters.sort,
        "chains": staff_audit.chain_state() if request.GET.get("check") == "chains" else None,
        "now": timezone.now(),
    }
    return page(request, "support/audit.html", context)


def _as_csv(request: StaffRequest) -> HttpResponse:
    filters, _ = _filters(request)
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(_COLUMNS)
    for one in staff_audit.export_accesses(filters, staff=request.staff):
        writer.writerow([_plain(value) for value in _row(one).values()])
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="accesses.csv"'
    return private(response)


def _as_json(request: StaffRequest) -> HttpResponse:
    filters, _ = _filters(request)
    rows = [_row(one) for one in staff_audit.export_accesses(filters, staff=request.staff)]
    response = JsonResponse({"accesses": rows}, json_dumps_params={"ensure_ascii": False, "indent": 1})
    response["Content-Disposition"] = 'attachment; filename="accesses.json"'
    return private(response)


audit = staffed(require_safe(_audit), need="any")
as_csv = staffed(require_safe(_as_csv), need="any")
as_json = staffed(require_safe(_as_json), need="any")


def _row(one: Access) -> dict[str, Any]:
    row = {name: getattr(one, name) for name in _COLUMNS}
    return {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()} | {
        "at": time_json(one.at)
    }


def _plain(value: Any) -> Any:
    """A cell that a spreadsheet takes for text and not for a formula."""
    return f"'{value}" if isinstance(value, str) and value.startswith(("=", "+", "-", "@")) else value


def _filters(request: HttpRequest) -> tuple[Filters, dict[str, str]]:
    """What the address asks for. What means nothing is left out, of the answer's address too."""
    given = {name: request.GET.get(name, "").strip()[:100] for name in _NAMES}
    filters = Filters(
        sort=cast(Sort, given["sort"]) if given["sort"] in get_args(Sort) else "all",
        staff_id=_uuid(given["staff"]),
        person_id=_uuid(given["person"]),
        ticket=given["ticket"] if TICKET.fullmatch(given["ticket"]) else None,
        since=_day(given["since"], 0),
        until=_day(given["until"], 1),
    )
    kept = {
        "sort": filters.sort != "all", "staff": filters.staff_id, "person": filters.person_id,
        "ticket": filters.ticket, "since": filters.since, "until": filters.until,
    }  # fmt: skip
    return filters, {name: given[name] for name in _NAMES if kept[name]}


def _day(text: str, ahead: int) -> datetime | None:
    """The beginning of that day, or of one `ahead`, in the staff member's zone."""
    try:
        day = parse_date(text)
    except ValueError:
        return None
    if day is None or not 1900 < day.year < 9000:
        return None
    return timezone.make_aware(datetime.combine(day + timedelta(days=ahead), time.min))


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None
