"""Privacy: how much is held, and all of it to take along."""

from collections.abc import Iterator
from itertools import batched
from tempfile import TemporaryFile
from typing import IO

from django.http import FileResponse, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard.proof import proof_url
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import keep_private, page
from memoryapp.services import export as held_by_us
from memoryapp.services.grants import open_to_person

_WHAT = {
    "memories": (_("Memories"), "dashboard:memories"),
    "trash": (_("In the trash"), "dashboard:trash"),
    "versions": (_("Versions of them, with their history"), ""),
    "refused": (_("Proposals that were refused"), "dashboard:not_remembered"),
    "messages": (_("Messages of conversations"), ""),
    "retrievals": (_("Records of what was sent"), "dashboard:activity"),
    "answers": (_("Answers that were given with it"), ""),
    "do_not_learn": (_("Entries of the do-not-learn list"), "dashboard:settings"),
    "events": (_("Entries of the activity"), "dashboard:activity"),
}
_TEMPLATE = "dashboard/export.html"
_READABLE = ("memories", "trash", "decisions", "messages", "retrievals", "answers", "support_grants", "do_not_learn")
"""The parts that a page shows. What only programs read is in the file."""

_AT_ONCE = 100
_CUT = "<!-- parts -->"


@personal
@require_safe
def privacy(request: PersonRequest) -> HttpResponse:
    return show_privacy(request)


def show_privacy(request: PersonRequest, *, file_error: str = "", status: int = 200) -> HttpResponse:
    """The page; `file_error` says why a file that was brought cannot be read."""
    held = held_by_us.held(actor=request.actor)
    context = {
        "held": held,
        "rows": held_rows(held),
        "accesses": open_to_person(actor=request.actor),
        "proof_url": proof_url(request, back="dashboard:privacy"),
        "file_error": file_error,
    }
    return page(request, "dashboard/privacy.html", context, status=status)


def held_rows(held: held_by_us.Held) -> list[tuple[str | Promise, int, str]]:
    """What is held, how much of it, and the page that shows it, or an empty text."""
    return [(label, getattr(held, name), to) for name, (label, to) in _WHAT.items()]


@personal
@require_safe
def export_page(request: PersonRequest) -> HttpResponseBase:
    """All of it to read and to print."""
    if to := proof_url(request, back="dashboard:privacy"):
        return redirect(to)
    file = TemporaryFile()  # noqa: SIM115 - closed with the response
    with held_by_us.exporting(actor=request.actor) as export:
        for piece in _pieces(request, export):
            file.write(piece.encode())
    return _sent(file, "text/html; charset=utf-8")


@personal
@require_safe
def export(request: PersonRequest) -> HttpResponseBase:
    if to := proof_url(request, back="dashboard:privacy"):
        return redirect(to)
    response = _sent(held_by_us.export_file(actor=request.actor), "application/json")
    response["Content-Disposition"] = f'attachment; filename="memory-{timezone.localdate().isoformat()}.json"'
    return response


def _sent(file: IO[bytes], content_type: str) -> HttpResponseBase:
    """However long that takes, no connection to the database waits for it; the file has no name and goes by itself."""
    file.seek(0)
    response = FileResponse(file, content_type=content_type)
    keep_private(response)
    return response


def _pieces(request: PersonRequest, export: held_by_us.Export) -> Iterator[str]:
    before, after = render_to_string(_TEMPLATE, {}, request).split(_CUT)
    yield before
    is_empty = True
    for name in _READABLE:
        rows = export.parts[name]
        if name == "decisions":
            rows = (row for row in rows if row["action"] == "rejected")
        is_first = True
        for some in batched(rows, _AT_ONCE):
            yield render_to_string(f"{_TEMPLATE}#{name}", {"rows": some, "is_first": is_first})
            is_empty = is_first = False
        yield "" if is_first else "</ol></section>\n"
    yield (render_to_string(f"{_TEMPLATE}#nothing") if is_empty else "") + after
