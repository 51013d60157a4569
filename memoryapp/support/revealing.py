"""The press of a button that shows something: it is noted first, then seen."""

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import ngettext

from memoryapp.rendering import leave, wants_fragment
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.grants import own_grant
from memoryapp.services.reveal import Item, reveal
from memoryapp.support.request import StaffRequest, refuse, staffed
from memoryapp.support.trace import show_trace


@staffed
def show(request: StaffRequest, grant_id: UUID) -> HttpResponse:
    """POST notes each `item` (`what:id` or `what:id:version`, more than one with commas) and shows it."""
    if request.method != "POST":
        return redirect("support:lookup")
    grant, _ = own_grant(grant_id, staff=request.staff)
    to = _back(request, grant_id, grant.trace_id)
    items = [_item(name) for name in request.POST.get("item", "").split(",")]
    try:
        reveal(grant_id, items, staff=request.staff)
    except Conflict as error:
        return refuse(request, to, error)
    said = ngettext(
        "%(n)s item shown. The person sees that.", "%(n)s items shown. The person sees that.", len(items)
    ) % {"n": len(items)}
    focus = request.POST.get("focus", "")[:80]
    is_trace = not {"decision", "log", "again"} & request.POST.keys()
    if wants_fragment(request) and is_trace:
        return show_trace(request, grant.trace_id, said=said, focus=focus)
    return leave(request, f"{to}#{focus}" if focus else to, said=said)


def _back(request: StaffRequest, grant_id: UUID, trace_id: UUID) -> str:
    if decision := request.POST.get("decision"):
        return reverse("support:turns", args=[grant_id, _uuid(decision)])
    if request.POST.get("log") is not None:
        return reverse("support:decisions", args=[grant_id])
    if (as_of := request.POST.get("again")) is not None:
        query = f"?{urlencode({'as_of': as_of[:40]})}" if as_of else ""
        return reverse("support:again", args=[trace_id]) + query
    return reverse("support:trace", args=[trace_id])


def _item(name: str) -> Item:
    what, _, rest = name.partition(":")
    object_id, _, number = rest.partition(":")
    if number and not (number.isascii() and number.isdecimal() and len(number) < 10):
        raise NotFound
    return Item(what, _uuid(object_id), int(number or 0))


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise NotFound from None
