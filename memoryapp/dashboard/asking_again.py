"""Asking an answer's request again, now or as of an instant: what is added, removed or in another place."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.http import HttpResponse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from memoryapp.dashboard import verdicts, wording
from memoryapp.dashboard.answers_place import AnswersPlace
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.dashboard.word_diff import Piece, word_diff
from memoryapp.policy.types import PERSONAL
from memoryapp.rendering import page
from memoryapp.services.asking_again import Again, Compared, ask_again
from memoryapp.services.trace_view import trace_view

_LONGEST_SHOWN = 600


@dataclass(frozen=True, slots=True)
class Row:
    """One memory that was sent or would be. `why` says in words why it would go, or would not any more."""

    compared: Compared
    text: str | None
    diff: tuple[Piece, ...]
    why: str


@personal
@require_safe
def again(request: PersonRequest, trace_id: UUID) -> HttpResponse:
    view = trace_view(trace_id, actor=request.actor)
    then = view.as_of or view.at
    given = request.GET.get("as_of", "")
    as_of = then if given == "then" else _instant(given)
    is_wrong = bool(given) and (as_of is None or as_of > timezone.now())
    outcome = ask_again(trace_id, actor=request.actor, as_of=None if is_wrong else as_of)
    context = {
        "again": outcome,
        "view": outcome.view,
        "place": Place.at_answer(trace_id, AnswersPlace.of_query(request.GET)),
        "rows": [_row(one, outcome) for one in outcome.compared],
        "counts": [(change, outcome.count(change)) for change in ("added", "removed", "moved", "kept")],
        "is_wrong": is_wrong,
        "is_then": as_of == then,
        "typed": timezone.localtime(as_of or then).strftime("%Y-%m-%dT%H:%M") if not is_wrong else given[:40],
        "latest": timezone.localtime().strftime("%Y-%m-%dT%H:%M"),
    }
    return page(request, "dashboard/again.html", context)


def _instant(typed: str) -> datetime | None:
    """A minute as a browser's field gives it, in the person's zone."""
    try:
        given = datetime.fromisoformat(typed)
        return timezone.make_aware(given) if given.tzinfo is None else given
    except (ValueError, OverflowError):
        return None


def _row(one: Compared, outcome: Again) -> Row:
    now = one.again.offered.text if one.again else None
    then = one.then.text if one.then else None
    diff: tuple[Piece, ...] = ()
    if one.is_reworded and then is not None and now is not None:
        diff = word_diff(then[:_LONGEST_SHOWN], now[:_LONGEST_SHOWN])
    return Row(one, now if one.change != "removed" else then, diff, _why(one, outcome))


def _why(one: Compared, outcome: Again) -> str:
    if one.again:
        score = one.again.offered.score
        relevance = score.relevance if score else None
        return verdicts.sentence(one.again.verdict, one.again.why, relevance, outcome.view.floor)
    if outcome.outcome.notice == "use_off":
        return _("Use is switched off.")
    then = one.then
    if then is None or then.since in ("forgotten", "erased"):
        return _("It is forgotten.") if then and then.since == "forgotten" else _("It is erased.")
    if then.is_disputed:
        return _("It is disputed, and waits for your review.")
    if then.status in ("paused", "stale", "expired", "closed", "pending"):
        return _by_status(then.status)
    if then.now and then.now.scope not in (*outcome.view.scopes, PERSONAL):
        return _("It is in another scope now: %(scope)s.") % {"scope": wording.scope(then.now.scope)}
    return _("It was not known then, or did not hold.") if outcome.as_of else _("It is not offered any more.")


def _by_status(status: str) -> str:
    return {
        "paused": _("It is paused."),
        "stale": _("Nobody has confirmed it for long."),
        "expired": _("It has expired."),
        "closed": _("It holds no longer."),
    }.get(status) or _("It waits for your review.")
