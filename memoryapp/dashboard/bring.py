"""Bringing memories along: a file is counted, shown as counted, and brought when the person says so."""

from collections.abc import Mapping
from uuid import UUID, uuid4

from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard import wording
from memoryapp.dashboard.once import first_time
from memoryapp.dashboard.privacy import show_privacy
from memoryapp.dashboard.proof import proof_url
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave, page
from memoryapp.services import uploads
from memoryapp.services.errors import Invalid, Malformed, NotFound, TooMany
from memoryapp.services.importing import Counted

_MIB = 1024 * 1024
_RULES: dict[str, wording.Word] = {
    **wording.RULES,
    "already_known": gettext_lazy("It is known already."),
    "other_person": gettext_lazy("It is about somebody else."),
    "too_long": gettext_lazy("It is too long for a memory."),
    "not_in_force": gettext_lazy("It did not hold any more where it came from."),
    "other_content": gettext_lazy("Another message stands in its place here."),
    "unknown_wording": gettext_lazy("The file does not say which wording it was."),
}
"""Why a memory of a file is not brought: the rules of the write policy, and those that only files meet."""


@personal
def upload(request: PersonRequest) -> HttpResponse:
    """Counts what a file would bring; nothing of it is in force."""
    if request.method != "POST" or proof_url(request, back="dashboard:privacy"):
        return redirect("dashboard:privacy")
    given = request.FILES.get("file")
    if given is None:
        is_large = int(request.META.get("CONTENT_LENGTH") or 0) > uploads.LARGEST
        return show_privacy(request, file_error=_too_large() if is_large else _("Choose a file first."), status=422)
    try:
        kept = uploads.keep_upload(given.read(), actor=request.actor)
    except (Malformed, Invalid) as error:
        return show_privacy(request, file_error=_unreadable(error), status=422)
    return leave(request, reverse("dashboard:bring_waiting", args=[kept.id]))


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def waiting(request: PersonRequest, upload_id: UUID) -> HttpResponse:
    """What would come, as counted. POST brings exactly that; when it has become other, it shows the new count."""
    if proof_url(request, back="dashboard:privacy"):
        return redirect("dashboard:privacy")
    try:
        if request.method != "POST":
            return _show(request, upload_id, uploads.waiting_upload(upload_id, actor=request.actor).counted)
        with first_time(request) as is_first:
            if not is_first:
                return leave(request, reverse("dashboard:memories"))
            counted, is_done = uploads.bring(upload_id, actor=request.actor)
    except NotFound:
        return _gone(request)
    if not is_done:
        return _show(request, upload_id, counted, is_other=True)
    to = "dashboard:review" if counted.pending and not counted.new else "dashboard:memories"
    return leave(request, reverse(to), said=_brought(counted))


@personal
def let_go(request: PersonRequest, upload_id: UUID) -> HttpResponse:
    if request.method != "POST":
        return redirect("dashboard:privacy")
    uploads.let_go(upload_id, actor=request.actor)
    return leave(request, reverse("dashboard:privacy"), said=_("The file is gone, and nothing was brought."))


def _gone(request: PersonRequest) -> HttpResponse:
    return leave(request, reverse("dashboard:privacy"), said=_("That file does not wait any more."))


def _show(request: PersonRequest, upload_id: UUID, counted: Counted, *, is_other: bool = False) -> HttpResponse:
    context = {
        "upload_id": upload_id,
        "counted": counted,
        "refused": _refused(counted.refused),
        "beside": [
            (what, tally, _refused(tally.refused))
            for what, tally in (
                (_("Messages of conversations"), counted.messages),
                (_("Entries of the do-not-learn list"), counted.do_not_learn),
            )
            if tally.new or tally.same or tally.refused
        ],
        "is_other": is_other,
        "once": str(uuid4()),
    }
    focus, status = ("other-count", 409) if is_other else ("", 200)
    return page(request, "dashboard/bring.html", context, partial="bring", focus=focus, status=status)


def _refused(by_rule: Mapping[str, int]) -> list[tuple[wording.Word, int]]:
    return [(_RULES.get(rule, rule), number) for rule, number in by_rule.items()]


def _brought(counted: Counted) -> str:
    said = []
    if counted.new:
        n = wording.number(counted.new)
        said.append(ngettext("%(n)s memory was brought.", "%(n)s memories were brought.", counted.new) % {"n": n})
    if counted.pending:
        n = wording.number(counted.pending)
        waits = ngettext("%(n)s waits for your review.", "%(n)s wait for your review.", counted.pending)
        said.append(waits % {"n": n})
    if counted.messages.new:
        n = wording.number(counted.messages.new)
        came = ngettext("%(n)s message was brought.", "%(n)s messages were brought.", counted.messages.new)
        said.append(came % {"n": n})
    if counted.do_not_learn.new:
        n = wording.number(counted.do_not_learn.new)
        came = ngettext(
            "%(n)s entry was added to your do-not-learn list.",
            "%(n)s entries were added to your do-not-learn list.",
            counted.do_not_learn.new,
        )
        said.append(came % {"n": n})
    return " ".join(said)


def _too_large() -> str:
    return _("The file is larger than %(n)s MiB. Whoever runs this service can bring it for you.") % {
        "n": wording.number(uploads.LARGEST // _MIB)
    }


def _unreadable(error: Malformed | Invalid) -> str:
    if isinstance(error, TooMany):
        return _("The file holds more than %(n)s memories. Whoever runs this service can bring it for you.") % {
            "n": wording.number(error.most)
        }
    if isinstance(error, Invalid):
        return _("This export was written here and has been changed since. Choose the file as it was written.")
    if error.line is None:
        return _("This is no file that can be read here: an export, a mem0 export or an OpenMemory zip.")
    return _("Line %(line)s of the file cannot be read. Nothing was brought.") % {"line": wording.number(error.line)}
