"""Erasing everything, as the person asks for it, and the receipt that they keep."""

from uuid import UUID

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

from memoryapp.dashboard.privacy import held_rows
from memoryapp.dashboard.proof import proof_url
from memoryapp.dashboard.receipt_stores import stores
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.policy.normal import normal_form
from memoryapp.rendering import leave, page
from memoryapp.services import erase_jobs, erase_person
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.export import held
from memoryapp.services.receipts import read_receipt


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def erase(request: PersonRequest) -> HttpResponse:
    """POST begins it, and signs out: from then on there is nobody here. It needs a fresh proof and a typed word."""
    if request.method != "POST":
        return _ask(request)
    if proof_url(request, back="dashboard:erase"):
        return _ask(request, status=403, focus="proof")
    if normal_form(request.POST.get("typed", "")) != normal_form(_word()):
        return _ask(request, status=422, focus="typed", is_other_word=True)
    try:
        expected_count = int(request.POST.get("expected_count", ""))
        receipt_id = erase_person.begin(expected_count=expected_count, actor=request.actor)
    except (ValueError, Conflict) as error:
        if isinstance(error, Conflict) and error.code != "count_changed":
            raise
        return _ask(request, status=409, focus="other-count", is_other_count=True)
    erase_jobs.work_soon()
    language = request.user.language
    request.session.flush()
    response = leave(request, reverse("dashboard:receipt", args=[receipt_id]))
    if language:
        # The receipt speaks as the pages did.
        response.set_cookie(settings.LANGUAGE_COOKIE_NAME, language, secure=settings.SESSION_COOKIE_SECURE)
    return response


@login_not_required
@require_safe
def receipt(request: HttpRequest, receipt_id: UUID) -> HttpResponse:
    """For whoever has its address; it says nothing of anybody."""
    try:
        found = read_receipt(receipt_id, actor=None)
    except NotFound:
        raise Http404 from None
    context = {
        "receipt": found,
        "stores": stores(found),
        "total": sum(found.counted.values()),
        "done": sum(found.erased.values()),
        "left": sum((found.verified_left or {}).values()),
    }
    said = _("Everything is erased.") if found.done_at and request.headers.get("HX-Request") else ""
    return page(request, "dashboard/receipt.html", context, partial="receipt", said=said)


def _word() -> str:
    # Translators: the word that a person types to confirm that everything is to be erased.
    return _("erase")


def _ask(
    request: PersonRequest,
    *,
    status: int = 200,
    focus: str = "",
    is_other_word: bool = False,
    is_other_count: bool = False,
) -> HttpResponse:
    now = held(actor=request.actor)
    context = {
        "rows": held_rows(now),
        "count": now.memories + now.trash,
        "word": _word(),
        "days": settings.MEMORY_BACKUP_DAYS,
        "proof_url": proof_url(request, back="dashboard:erase"),
        "is_other_word": is_other_word,
        "is_other_count": is_other_count,
    }
    return page(request, "dashboard/erase.html", context, partial="form", status=status, focus=focus)
