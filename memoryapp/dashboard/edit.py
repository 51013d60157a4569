"""Correcting one memory. When it changed meanwhile, both texts are shown and nothing typed is lost."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard import failures, wording
from memoryapp.dashboard.forms import MemoryForm, last_day
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.word_diff import word_diff
from memoryapp.policy.types import DURABLE_KINDS
from memoryapp.rendering import leave, page
from memoryapp.services.by_person import EditFields, SlotTaken
from memoryapp.services.detail import memory_detail
from memoryapp.services.edit import edit
from memoryapp.services.errors import Conflict, Invalid, Refused, StaleVersion
from memoryapp.services.listed import Listed
from memoryapp.services.switches import scopes_to_name

_FIELD_NAMES = {"expires_at": "expires_on"}


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def memory_edit(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    memory = memory_detail(memory_id, actor=request.actor).memory
    if request.method != "POST":
        return _show(request, memory, _form(request, memory))
    form = _form(request, memory, request.POST)
    if not form.is_valid():
        return _show(request, memory, form, status=422)
    given = form.cleaned_data
    names = ("text", "kind", "subject", "scope", "aliases", "reason")
    fields = EditFields(**{name: given[name] for name in names}, expires_at=_end(form, memory))
    try:
        edited = edit(memory_id, fields, expected_version=_version(request), actor=request.actor)
    except StaleVersion:
        # As it is now, which may be later than what was read above.
        memory = memory_detail(memory_id, actor=request.actor).memory
        if _says(memory, fields):
            # The form was sent twice; what it asked for is in force.
            return leave(request, _after(request, memory_id), said=_("The correction is in force."))
        return _show(request, memory, form, status=409, is_stale=True)
    except (SlotTaken, Conflict, Refused, Invalid) as error:
        form.add_error(*_place_of(error))
        other = error.other if isinstance(error, SlotTaken) else None
        return _show(request, memory, form, status=409 if isinstance(error, Conflict) else 422, other=other)
    return leave(request, _after(request, edited.memory.id), said=_("The correction is in force with the next answer."))


def _form(request: PersonRequest, memory: Listed, data: Any = None) -> MemoryForm:
    kinds = dict.fromkeys([*DURABLE_KINDS, memory.kind])
    initial = {
        "text": memory.text,
        "kind": memory.kind,
        "subject": memory.subject,
        "scope": memory.scope,
        "aliases": ", ".join(memory.aliases),
        "expires_on": last_day(memory.expires_at),
    }
    return MemoryForm(data, scopes=scopes_to_name(actor=request.actor), kinds=kinds, initial=initial)


def _end(form: MemoryForm, memory: Listed) -> Any:
    """To the second as it was when its day stayed, else the end of the new day."""
    if str(form.cleaned_data["expires_on"] or "") == last_day(memory.expires_at):
        return memory.expires_at
    return form.expires_at


def _version(request: PersonRequest) -> int:
    given = request.POST.get("version", "")
    return int(given) if given.isascii() and given.isdecimal() and len(given) < 10 else 0


def _says(memory: Listed, fields: EditFields) -> bool:
    names = ("text", "kind", "subject", "scope", "aliases", "expires_at")
    return all(getattr(memory, name) == getattr(fields, name) for name in names)


def _place_of(error: Conflict | Refused | Invalid) -> tuple[str, str]:
    """The field that an answer belongs to, and the answer in words."""
    match error:
        case SlotTaken():
            return "subject", _("Another memory stands under this subject already. Choose another one, or merge them.")
        case Refused():
            return "text", str(wording.RULES.get(error.rule, error.detail))
        case Invalid():
            return _FIELD_NAMES.get(error.field, error.field), failures.in_words(error)
    return "text", failures.in_words(error)


def _after(request: PersonRequest, memory_id: UUID) -> str:
    place = Place.of(request)
    if place.answer:
        return f"{place.url}#w-{memory_id}"
    return reverse("dashboard:memory", args=[memory_id]) + place.query


def _show(
    request: PersonRequest,
    memory: Listed,
    form: MemoryForm,
    *,
    status: int = 200,
    is_stale: bool = False,
    other: Listed | None = None,
) -> HttpResponse:
    """`is_stale`: the version that is sent next is the one shown beside the typed text, so that it was seen."""
    version = memory.version if request.method != "POST" or is_stale else _version(request)
    typed = str(form["text"].value() or "")
    context = {
        "memory": memory,
        "form": form,
        "version": version,
        "is_stale": is_stale,
        "other": other,
        "diff": word_diff(memory.text, typed) if is_stale else (),
        "place": Place.of(request),
    }
    focus = "stale" if is_stale else "form-errors" if form.errors else ""
    return page(request, "dashboard/edit.html", context, partial="form", focus=focus, status=status)
