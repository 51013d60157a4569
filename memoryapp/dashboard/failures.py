"""What a page says instead: refusals in words, and the error pages, whole or as a small fragment for `#alert`."""

import logging
import sys
from collections.abc import Mapping
from typing import Any

from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from memoryapp.dashboard import wording
from memoryapp.rendering import is_htmx, private
from memoryapp.services import errors

_log = logging.getLogger("memoryapp.dashboard")


def refused(request: HttpRequest, error: errors.ServiceError) -> HttpResponse:
    """A service's refusal where the view has no better place for it. Raises Http404 for what is not there."""
    match error:
        case errors.NotFound():
            raise Http404
        case errors.Conflict() | errors.StaleVersion():
            return failure(request, 409, detail=in_words(error))
    return failure(request, 422, detail=in_words(error))


def in_words(error: errors.ServiceError) -> str:
    """One sentence in the person's language. The services speak English to programs."""
    said: str | None
    match error:
        case errors.Refused():
            said = str(wording.RULES.get(error.rule, "")) or None
        case errors.Invalid():
            said = {
                "text": _("Write what is to be remembered."),
                "subject": _("Name what it is about."),
                "expires_at": _("Choose a day that is still to come."),
                "into": _("Choose another scope."),
                "scope": _("Choose another scope."),
                "other": _("Choose two memories."),
                "verb": _("Choose what to do with them."),
                "days": _("Choose one of the times that are offered."),
            }.get(error.field)
        case _:
            said = {
                "not_current": _("This memory does not stand any more, so that it cannot be changed."),
                "slot_taken": _("Another memory stands in its place by now. Forget or move that one first."),
                "person_decides": _("This waits for your review. Keep or reject it there."),
                "stale_version": _("This memory was changed in the meantime. Reload the page to see it as it is."),
                "not_waiting": _("That does not wait for an answer any more."),
                "not_rejected": _("There is nothing to take back."),
                "not_undoable": _("There is nothing to take back."),
                "count_changed": _("There are more or fewer of them now than you were shown. Nothing was changed."),
                "staff": _("This is an account of staff. An operator has to close that first."),
                "personal_stays": _("The personal scope keeps its name."),
                "scope_exists": _("You have a scope of that name. Merge the two instead."),
            }.get(error.code)
    return said or _("The request could not be understood. Nothing was changed.")


def failure(
    request: HttpRequest, status: int, *, detail: str = "", context: Mapping[str, Any] | None = None
) -> HttpResponse:
    """An error page, or with htmx one sentence for the alert region; what is on the page stays as it is."""
    known = status if status in (403, 404, 500, 503) else 400
    given = {"status": status, "detail": detail, "reference": reference_of(request), **(context or {})}
    given["is_desk"] = _is_at_desk(request)
    # What was only read can be asked for again as a whole page; a change has its button still.
    given["retry"] = request.get_full_path() if request.method == "GET" else None
    template = f"errors/{known}.html"
    if not is_htmx(request):
        return private(HttpResponse(render_to_string(template, given, request), status=status))
    response = HttpResponse(render_to_string(f"{template}#alert", given, request), status=status)
    response["HX-Retarget"], response["HX-Reswap"] = "#alert", "innerHTML"
    response["HX-Push-Url"] = "false"
    return private(response)


def _is_at_desk(request: HttpRequest) -> bool:
    """Whether staff asked for a page of the desk; to everybody else there is no desk."""
    found, user = request.resolver_match, getattr(request, "user", None)
    return bool(found and "support" in found.namespaces and user and user.is_staff)


def reference_of(request: HttpRequest) -> str:
    """The request's id, as the log has it."""
    return str(request.META.get("memory.request_id", ""))


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failure(request, 400)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failure(request, 403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return failure(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Also for a database that is away: then 503 and a word on trying again. The page itself needs no database."""
    exception = sys.exc_info()[1]
    if isinstance(exception, OperationalError | InterfaceError):
        _log.warning("The database does not answer: %s.", type(exception.__cause__ or exception).__name__)
        return failure(request, 503)
    return failure(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """A form whose token is out of date: nothing typed is lost, and it can be sent again from the page shown.

    Only for forms that came from our own pages; another site's form is refused without that offer.
    """
    get_token(request)
    is_ours = request.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")
    fields = [(name, value) for name, values in request.POST.lists() for value in values if name != _TOKEN]
    context = {"is_old_form": is_ours, "fields": fields if is_ours else [], "action": request.get_full_path()}
    return failure(request, 403, context=context)


_TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - a field's name
