"""One verb for many memories: those that are ticked, or all that match; shown as counted, undone as a whole."""

from uuid import UUID, uuid4

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard import failures
from memoryapp.dashboard.facets import chosen
from memoryapp.dashboard.memories import show_list
from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.wording import bulk_done
from memoryapp.rendering import leave, page, wants_fragment
from memoryapp.services.bulk import (
    Progress,
    apply_bulk,
    bulk_progress,
    continue_bulk,
    preview_bulk,
    rest_with,
    skipped,
    undo_bulk,
)
from memoryapp.services.finding import find
from memoryapp.services.switches import scopes_to_name


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def bulk(request: PersonRequest) -> HttpResponse:
    """GET asks what to do with all that match. POST does it, or does it to what is ticked."""
    place = Place.of(request)
    if request.method != "POST":
        return _choose(request, place)
    is_all = "expected_count" in request.POST
    ids = _ids(request.POST.getlist("id"))
    if not is_all and not ids:
        return failures.failure(request, 422, detail=_("Tick one or more memories first."))
    if not is_all and request.POST.get("verb") == "merge":
        return _to_merge(request, ids, place)
    with first_time(request) as is_first:
        return _do(request, place, ids, is_all=is_all) if is_first else leave(request, place.url)


def _do(request: PersonRequest, place: Place, ids: list[UUID], *, is_all: bool) -> HttpResponse:
    verb = request.POST.get("verb", "")
    scope = request.POST.get("scope") if verb == "move" else None
    if is_all:
        preview = preview_bulk(
            verb,
            actor=request.actor,
            filters=place.filters,
            scope=scope,
            bars=bool(request.POST.get("never_again")),
            erases_sources=bool(request.POST.get("message")),
        )
        if str(preview.count) != request.POST["expected_count"]:
            return _choose(request, place, is_other_count=True)
    else:
        preview = preview_bulk(verb, actor=request.actor, ids=ids, scope=scope)
    return _after(request, place, apply_bulk(preview.run_id, expected_count=preview.count, actor=request.actor))


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def bulk_run(request: PersonRequest, run_id: UUID) -> HttpResponse:
    """How far a long one has come; each POST does the next piece of it."""
    act = continue_bulk if request.method == "POST" else bulk_progress
    progress = act(run_id, actor=request.actor)
    left_out = skipped(run_id, actor=request.actor) if progress.is_finished else ()
    context = {"run": progress, "what": bulk_done(progress), "skipped": left_out, "place": Place.of(request)}
    said = bulk_done(progress) if progress.is_finished and wants_fragment(request) else ""
    return page(request, "dashboard/bulk_run.html", context, partial="run", said=said)


@personal
def bulk_undo(request: PersonRequest, run_id: UUID) -> HttpResponse:
    place = Place.of(request)
    if request.method != "POST":
        return redirect(place.url)
    return _after(request, place, undo_bulk(run_id, actor=request.actor))


def _after(request: PersonRequest, place: Place, progress: Progress) -> HttpResponse:
    """The list when it is done; a long one has a page of its own."""
    if not progress.is_finished:
        return leave(request, reverse("dashboard:bulk_run", args=[progress.run_id]) + place.query)
    said = bulk_done(progress)
    first = Place(place.filters, place.since)
    if wants_fragment(request) and request.headers.get("HX-Target") == "div#memories":
        return show_list(request, first, said=said)
    return leave(request, first.url, said=said)


def _choose(request: PersonRequest, place: Place, *, is_other_count: bool = False) -> HttpResponse:
    found = find(place.filters, actor=request.actor, limit=5)
    context = {
        "place": place,
        "found": found,
        "chosen": chosen(place),
        "scopes": scopes_to_name(actor=request.actor),
        "resting": rest_with(place.filters, actor=request.actor),
        "is_other_count": is_other_count,
        "once": str(uuid4()),
    }
    focus = "other-count" if is_other_count else ""
    status = 409 if is_other_count else 200
    return page(request, "dashboard/bulk.html", context, partial="form", focus=focus, status=status)


def _to_merge(request: PersonRequest, ids: list[UUID], place: Place) -> HttpResponse:
    if len(ids) != 2:
        return failures.failure(request, 422, detail=_("Tick the two memories that say one thing."))
    pair = f"?keep={ids[0]}&other={ids[1]}"
    return leave(request, reverse("dashboard:merge") + pair + place.query.replace("?", "&", 1))


def _ids(given: list[str]) -> list[UUID]:
    ids = []
    for text in given[:1000]:
        try:
            ids.append(UUID(text))
        except ValueError:
            continue
    return ids
