"""One scope: its name, joining it with another, forgetting everything in it."""

from collections.abc import Callable
from functools import wraps
from uuid import uuid4

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.settings_forms import ScopeNameForm
from memoryapp.rendering import leave, page
from memoryapp.services import scope_verbs, switches
from memoryapp.services.bulk import Preview, apply_bulk
from memoryapp.services.errors import Conflict, Invalid, NotFound

Change = Callable[[PersonRequest, str], HttpResponse]


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def scope(request: PersonRequest, name: str) -> HttpResponse:
    """POST renames it."""
    form = ScopeNameForm(request.POST) if request.method == "POST" else ScopeNameForm(initial={"name": name})
    if request.method == "POST" and form.is_valid():
        try:
            renamed = scope_verbs.rename_scope(name, form.cleaned_data["name"], actor=request.actor)
            return leave(request, reverse("dashboard:scope", args=[renamed]), said=_("Renamed."))
        except Invalid:
            form.add_error(
                "name", _("Use letters a to z, digits, hyphens and underscores; begin with a letter or digit.")
            )
        except Conflict as error:
            if error.code == "personal_stays":
                form.add_error("name", _("The personal scope keeps its name."))
            else:
                form.add_error("name", _("You have a scope of that name. Merge the two instead."))
        except NotFound:
            # Sent twice: it has its new name already.
            renamed = form.cleaned_data["name"].casefold()
            _find(request, renamed)
            return leave(request, reverse("dashboard:scope", args=[renamed]), said=_("Renamed."))
    row, others = _find(request, name)
    context = {"scope": row, "others": others, "form": form}
    status = 422 if form.errors else 200
    return page(request, "dashboard/scope.html", context, partial="rename", status=status)


def _once(view: Change) -> Change:
    """Sent twice, it was done the first time; the list shows how to take it back."""

    @wraps(view)
    def once(request: PersonRequest, name: str) -> HttpResponse:
        if request.method != "POST":
            return view(request, name)
        with first_time(request) as is_first:
            return view(request, name) if is_first else leave(request, reverse("dashboard:memories"))

    return once


@personal
@require_http_methods(["GET", "HEAD", "POST"])
@_once
def merge(request: PersonRequest, name: str) -> HttpResponse:
    """GET says what would happen, POST does it: everything moves, save what clashes with what stands there."""
    row, others = _find(request, name)
    into = request.POST.get("into") or request.GET.get("into", "")
    target = next((other for other in others if other.name == into), None)
    if target is None:
        raise NotFound
    if request.method == "POST":
        merging = scope_verbs.preview_scope_merge(name, into, actor=request.actor)
        if str(merging.preview.count) == request.POST.get("expected_count"):
            return _run(request, merging.preview)
        row, _others = _find(request, name)
    clashes = scope_verbs.clashes(name, into, actor=request.actor)
    context = {
        "scope": row,
        "into": target,
        "clashes": clashes,
        "moving": row.kept - len(clashes),
        "is_other_count": request.method == "POST",
    }
    return _confirm(request, "dashboard/scope_merge.html", context)


@personal
@require_http_methods(["GET", "HEAD", "POST"])
@_once
def forget(request: PersonRequest, name: str) -> HttpResponse:
    """GET counts what is in it, POST forgets exactly that many, or nothing when there are others by now."""
    row, _others = _find(request, name)
    if request.method == "POST":
        choices = {"bars": bool(request.POST.get("never_again")), "erases_sources": bool(request.POST.get("message"))}
        preview = scope_verbs.preview_scope_forget(name, actor=request.actor, **choices)
        if str(preview.count) == request.POST.get("expected_count"):
            return _run(request, preview)
        row, _others = _find(request, name)
    resting = scope_verbs.rest_with_scope(name, actor=request.actor)
    context = {"scope": row, "resting": resting, "is_other_count": request.method == "POST"}
    return _confirm(request, "dashboard/scope_forget.html", context)


def _find(request: PersonRequest, name: str) -> tuple[switches.ScopeSwitches, list[switches.ScopeSwitches]]:
    """The scope, and the person's others. NotFound."""
    found = switches.read_switches(actor=request.actor).scopes
    for one in found:
        if one.name == name:
            return one, [other for other in found if other is not one]
    raise NotFound


def _run(request: PersonRequest, preview: Preview) -> HttpResponse:
    progress = apply_bulk(preview.run_id, expected_count=preview.count, actor=request.actor)
    return leave(request, reverse("dashboard:bulk_run", args=[progress.run_id]))


def _confirm(request: PersonRequest, template: str, context: dict[str, object]) -> HttpResponse:
    is_other = bool(context["is_other_count"])
    context["once"] = str(uuid4())
    focus = "other-count" if is_other else ""
    return page(request, template, context, partial="form", status=409 if is_other else 200, focus=focus)
