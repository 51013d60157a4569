"""One memory: who says so, the message it came from, what it was before, where it went and who looked."""

from datetime import UTC, datetime
from uuid import UUID

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from memoryapp.dashboard import history, pictures
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.request import PersonRequest, personal
from memoryapp.rendering import page
from memoryapp.services.detail import Detail, memory_detail

_CHANGES = frozenset(
    (
        *("propose", "correct", "edit", "pause", "resume", "pin", "unpin", "confirm", "dispute", "undispute"),
        *("forget", "restore", "merge", "move"),
    )
)
"""Audit verbs that the history tells already; what is left are looks."""


@personal
@require_safe
def memory(request: PersonRequest, memory_id: UUID) -> HttpResponse:
    shown = memory_detail(memory_id, actor=request.actor)
    now = datetime.now(UTC)
    happened = history.entries(shown.versions)
    # The version that first said what it says now; those after it changed other things than the text.
    says_it = next(entry.version for entry in happened if entry.is_statement)
    context = {
        "detail": shown,
        "row": shown.memory,
        "place": Place.of(request),
        "history": happened,
        "says_since": says_it.number,
        "is_own_text": says_it.actor_kind == "person",
        "timeline": _timeline(shown, now),
        "said_times": sum(len(version.said) for version in shown.versions),
        "spark": pictures.sparkline((use.at for use in shown.uses), now=now),
        "looks": [look for look in shown.looks if look.verb not in _CHANGES],
    }
    return page(request, "dashboard/memory.html", context)


def _timeline(shown: Detail, now: datetime) -> pictures.Timeline | None:
    statements = [version for version in shown.versions if version.said or version.previous_text is not None]
    if shown.memory.status == "pending":
        return None
    held = [(version.valid_from, version.valid_to) for version in statements]
    said = [one.said_at for version in statements for one in version.said]
    return pictures.timeline(held, said, now=now)
