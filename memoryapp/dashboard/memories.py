"""The list: what is remembered, found by typing, narrowed by facets, a page at a time."""

from typing import Any
from uuid import uuid4

from django.http import HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from memoryapp.dashboard import undo, wording
from memoryapp.dashboard.facets import chosen, facets
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.rows import row
from memoryapp.rendering import page, wants_fragment
from memoryapp.services.errors import Invalid
from memoryapp.services.finding import find
from memoryapp.services.preferences import note_visit

PARTIAL = "memories"
_TEMPLATE = "dashboard/memories.html"


@personal
@require_safe
def memories(request: PersonRequest) -> HttpResponse:
    note_visit(request.user)
    place = Place.of(request)
    try:
        return show_list(request, place)
    except Invalid:
        # A cursor of another order, or one that was cut on its way: the first page.
        return HttpResponseRedirect(place.narrowed().url)


def show_list(request: PersonRequest, place: Place, *, said: str = "", focus: str = "") -> HttpResponse:
    """The list at this place, whole or as its fragment, with the undo bars. Invalid for a cursor that is none."""
    context = _context(request, place)
    is_found = wants_fragment(request) and request.method == "GET"
    if is_found:
        said = _found(context["found"].count)
    response = page(request, _TEMPLATE, context, partial=PARTIAL, also=("bars",), said=said, focus=focus)
    if is_found and _is_search(request):
        response["HX-Replace-Url"] = place.url
    return response


def _context(request: PersonRequest, place: Place) -> dict[str, Any]:
    found = find(place.filters, actor=request.actor, cursor=place.cursor, direction=place.direction)
    return {
        "place": place,
        "found": found,
        "once": str(uuid4()),
        "rows": [row(memory, place) for memory in found.rows],
        "filters": place.filters,
        "facets": facets(place, found),
        "chosen": chosen(place),
        "clear_url": place.cleared().url,
        "new_url": place.cleared().narrowed(new=True).url,
        "older_url": place.turned(found.older, "older").url if found.older else "",
        "newer_url": place.turned(found.newer, "newer").url if found.newer else "",
        "last": found.first + len(found.rows) - 1 if found.rows else 0,
        "sorts": _sorts(),
        "bars": undo.bars(request),
    }


def _sorts() -> list[tuple[str, str]]:
    return [
        ("said", _("Sort: last said")),
        ("written", _("Sort: last written")),
        ("used", _("Sort: last used")),
        ("most", _("Sort: most said")),
    ]


def _is_search(request: PersonRequest) -> bool:
    return request.headers.get("HX-Source") == "form#search"


def _found(count: int) -> str:
    return ngettext("%(n)s memory matches.", "%(n)s memories match.", count) % {"n": wording.number(count)}
