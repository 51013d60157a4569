"""Making one of two memories that say one thing."""

from uuid import UUID

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave, page
from memoryapp.services.detail import memory_detail
from memoryapp.services.merge import merge


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def merge_two(request: PersonRequest) -> HttpResponse:
    """Both are shown; the person chooses which one remains."""
    given = request.POST if request.method == "POST" else request.GET
    one, two = (_id(given.get(name, "")) for name in ("keep", "other"))
    place = Place.of(request)
    if request.method != "POST":
        pair = [memory_detail(each, actor=request.actor).memory for each in (one, two)]
        return page(request, "dashboard/merge.html", {"pair": pair, "place": place})
    if given.get("choice") == str(two):
        one, two = two, one
    with first_time(request) as is_first:
        if is_first:
            merge(one, two, actor=request.actor)
    to = reverse("dashboard:memory", args=[one]) + place.query
    return leave(request, to, said=_("Merged. What was said of either counts for this one."))


def _id(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError:
        raise Http404 from None
