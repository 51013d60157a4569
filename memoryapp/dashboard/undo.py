"""The undo bars: what was done in the last minutes and can be taken back. Read from the store, so that they stay."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import Exists, OuterRef

from memoryapp.dashboard.request import PersonRequest
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, BulkRun, Memory, Tombstone
from memoryapp.models.memory import State
from memoryapp.services.bulk import Progress, bulk_progress
from memoryapp.services.retention import trash_time

STAYS = timedelta(minutes=10)
_MOST = 3
_HIDDEN_BEFORE = "bars_hidden_before"


@dataclass(frozen=True, slots=True)
class Bar:
    """One step: a memory that was forgotten, with its text, or a `run` over many. `id` is of the memory or the run.

    `is_barred`: it is not to be learned again either. `is_message_erased`: its message went too, which nothing undoes.
    """

    id: UUID
    at: datetime
    text: str = ""
    kept_until: datetime | None = None
    is_barred: bool = False
    is_message_erased: bool = False
    run: Progress | None = None


def bars(request: PersonRequest) -> list[Bar]:
    """Latest first, at most three; none that the person put away."""
    since = datetime.now(UTC) - STAYS
    hidden = request.session.get(_HIDDEN_BEFORE)
    if hidden:
        since = max(since, datetime.fromisoformat(hidden))
    with acting_for(request.actor.opened):
        lately = BulkRun.objects.visible_to(request.actor).filter(started_at__gt=since, undoes=None)
        runs = list(lately.order_by("-started_at")[:_MOST])
        in_runs = {memory_id for run in runs for memory_id in run.memory_ids}
        found = [*_runs(request, runs), *_forgotten(request, since, in_runs)]
    return sorted(found, key=lambda bar: bar.at, reverse=True)[:_MOST]


def _runs(request: PersonRequest, runs: list[BulkRun]) -> Iterator[Bar]:
    for run in runs:
        progress = bulk_progress(run.pk, actor=request.actor)
        if progress.can_undo and run.started_at:
            yield Bar(run.pk, run.started_at, is_message_erased=run.erases_sources, run=progress)


def _forgotten(request: PersonRequest, since: datetime, in_runs: set[UUID]) -> Iterator[Bar]:
    visible = Memory.objects.visible_to(request.actor).filter(state=State.FORGOTTEN)
    lately = visible.filter(forgotten_at__gt=since, current_version__actor_kind="person").exclude(pk__in=in_runs)
    kept = trash_time(request.actor.opened)
    barred = Tombstone.objects.visible_to(request.actor).filter(memory=OuterRef("pk"))
    # The choices that a forgetting had, as the audit has them.
    erased = AuditEvent.objects.visible_to(request.actor).filter(
        verb="forget", object_id=OuterRef("pk"), at__gte=OuterRef("forgotten_at"), reason__contains="erase"
    )
    shown = lately.annotate(is_barred=Exists(barred), is_erased=Exists(erased)).order_by("-forgotten_at")
    columns = ("id", "text", "forgotten_at", "is_barred", "is_erased")
    for memory_id, text, at, is_barred, is_erased in shown.values_list(*columns)[:_MOST]:
        assert at is not None  # whatever is forgotten was so at an instant
        yield Bar(memory_id, at, text=text, kept_until=at + kept, is_barred=is_barred, is_message_erased=is_erased)


def hide(request: PersonRequest) -> None:
    """Puts the bars away. The trash still has what they offered."""
    request.session[_HIDDEN_BEFORE] = datetime.now(UTC).isoformat()
