"""Forgetting a message where it is shown, after a look at what rests on it."""

from uuid import UUID

from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import leave, page
from memoryapp.services import forget_message as forgetting
from memoryapp.services.errors import Conflict, NotFound


@personal
@require_http_methods(["GET", "HEAD", "POST"])
def message_forget(request: PersonRequest, message_id: UUID) -> HttpResponse:
    """GET shows it with what goes along and what stays; POST forgets it, as shown."""
    back = _back(request)
    try:
        if request.method == "POST":
            shown = request.POST.get("along", "")
            if shown.isascii() and shown.isdigit() and len(shown) < 10:
                forgetting.forget_message(message_id, expected_along=int(shown), actor=request.actor)
                return leave(request, _after(request), said=_("The message is erased."))
    except Conflict:
        return _show(request, message_id, back, is_other=True)
    except NotFound:
        # Forgotten already, by a second press or on another page; or never there.
        return leave(request, _after(request))
    return _show(request, message_id, back)


def _show(request: PersonRequest, message_id: UUID, back: str, *, is_other: bool = False) -> HttpResponse:
    message = forgetting.message_to_forget(message_id, actor=request.actor)
    context = {"message": message, "back": back, "is_other": is_other}
    return page(request, "dashboard/forget_message.html", context, status=409 if is_other else 200)


def _after(request: PersonRequest) -> str:
    """The page where it was shown may have gone with it: the list that it belongs to has not."""
    return reverse("dashboard:not_remembered" if "decision" in request.GET else "dashboard:memories")


def _back(request: PersonRequest) -> str:
    """The page where the message was shown: of a memory, or of a decision."""
    for name, to in (("memory", "dashboard:memory"), ("decision", "dashboard:turn")):
        try:
            return reverse(to, args=[UUID(request.GET[name])])
        except (KeyError, ValueError):
            continue
    return reverse("dashboard:memories")
