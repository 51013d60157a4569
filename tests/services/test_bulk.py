"""One verb for many: exactly those that were chosen, in pieces, taken back as one."""

from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import BulkRun, Memory
from memoryapp.services import bulk
from memoryapp.services.bulk import apply_bulk, bulk_progress, continue_bulk, preview_bulk, skipped, undo_bulk
from memoryapp.services.errors import Conflict, Invalid, NotFound
from memoryapp.services.finding import find
from memoryapp.services.forget import forget
from memoryapp.services.matching import PageFilters
from memoryapp.services.states import pause

pytestmark = pytest.mark.django_db


@pytest.fixture
def ids(remember):
    """Five facts of atlas and one preference."""
    remember("Likes tea.")
    return [UUID(remember(f"Number {n}.", kind="fact", scope="atlas", subject=f"n{n}")["id"]) for n in range(5)]


def statuses(actor, ids):
    with acting_for(actor.opened):
        rows = Memory.objects.in_bulk(ids)
    return [str(rows[memory_id].state) for memory_id in ids]


def test_it_does_what_the_filters_match_and_nothing_else(ids, herself):
    preview = preview_bulk("forget", filters=PageFilters(scope="atlas"), actor=herself)
    assert (preview.count, len(preview.sample)) == (5, 5)
    assert statuses(herself, ids) == ["current"] * 5
    progress = apply_bulk(preview.run_id, expected_count=5, actor=herself)
    assert (progress.total, progress.changed, progress.skipped, progress.is_finished) == (5, 5, 0, True)
    assert statuses(herself, ids) == ["forgotten"] * 5
    assert [row.text for row in find(PageFilters(), actor=herself).rows] == ["Likes tea."]


def test_what_comes_later_is_not_taken_along(ids, remember, herself):
    preview = preview_bulk("pause", filters=PageFilters(kind="fact"), actor=herself)
    late = remember("Number 9.", kind="fact", scope="atlas", subject="n9")
    apply_bulk(preview.run_id, expected_count=5, actor=herself)
    assert statuses(herself, [*ids, UUID(late["id"])]) == ["paused"] * 5 + ["current"]


def test_another_count_than_was_shown_changes_nothing(ids, herself):
    preview = preview_bulk("forget", filters=PageFilters(scope="atlas"), actor=herself)
    with pytest.raises(Conflict) as caught:
        apply_bulk(preview.run_id, expected_count=4, actor=herself)
    assert caught.value.code == "count_changed"
    assert statuses(herself, ids) == ["current"] * 5


def test_twice_is_once(ids, herself):
    preview = preview_bulk("forget", ids=ids, actor=herself)
    assert apply_bulk(preview.run_id, expected_count=5, actor=herself) == apply_bulk(
        preview.run_id, expected_count=5, actor=herself
    )


def test_it_goes_piece_by_piece_and_tells_how_far_it_is(ids, herself, monkeypatch):
    monkeypatch.setattr(bulk, "PIECE", 2)
    run = preview_bulk("pause", ids=ids, actor=herself).run_id
    assert bulk_progress(run, actor=herself).is_started is False
    assert continue_bulk(run, actor=herself).done == 0
    steps = [apply_bulk(run, expected_count=5, actor=herself)]
    assert bulk_progress(run, actor=herself) == steps[0]
    while not steps[-1].is_finished:
        steps.append(continue_bulk(run, actor=herself))
    assert [(step.done, step.is_finished) for step in steps] == [(2, False), (4, False), (5, True)]
    assert continue_bulk(run, actor=herself) == steps[-1]
    assert statuses(herself, ids) == ["paused"] * 5


def test_what_it_cannot_change_is_skipped_and_named(ids, herself):
    pause(ids[0], actor=herself)
    run = preview_bulk("pause", ids=ids, actor=herself).run_id
    forget(ids[1], relearn="allow", source="keep", actor=herself)
    progress = apply_bulk(run, expected_count=5, actor=herself)
    assert (progress.changed, progress.skipped) == (3, 2)
    assert [row.id for row in skipped(run, actor=herself)] == [ids[0]]
    assert statuses(herself, ids) == ["paused", "forgotten", "paused", "paused", "paused"]


@pytest.mark.parametrize("verb", ["forget", "pause", "move"])
def test_it_is_taken_back_as_one_and_only_what_it_changed(verb, ids, remember, herself):
    if verb == "pause":
        pause(ids[0], actor=herself)
    if verb == "move":
        remember("Taken.", kind="fact", scope="beacon", subject="n0")
    before = statuses(herself, ids)
    run = preview_bulk(verb, ids=ids, scope="beacon", actor=herself).run_id
    done = apply_bulk(run, expected_count=5, actor=herself)
    assert (done.changed, done.can_undo) == (5 if verb == "forget" else 4, True)
    undone = undo_bulk(run, actor=herself)
    assert (undone.changed, undone.skipped, undone.can_undo) == (done.changed, 0, False)
    assert statuses(herself, ids) == before
    with acting_for(herself.opened):
        assert set(Memory.objects.filter(pk__in=ids).values_list("scope__name", flat=True)) == {"atlas"}
    assert undo_bulk(run, actor=herself) == undone
    assert bulk_progress(run, actor=herself).can_undo is False
    with pytest.raises(Conflict):
        undo_bulk(undone.run_id, actor=herself)


def test_a_run_that_is_taken_back_half_way_goes_no_further(ids, herself, monkeypatch):
    monkeypatch.setattr(bulk, "PIECE", 2)
    run = preview_bulk("forget", ids=ids, actor=herself).run_id
    apply_bulk(run, expected_count=5, actor=herself)
    assert undo_bulk(run, actor=herself).changed == 2
    assert continue_bulk(run, actor=herself).done == 2
    assert statuses(herself, ids) == ["current"] * 5


def test_moving_keeps_how_it_stands(ids, propose_one, herself):
    pause(ids[0], actor=herself)
    guess = propose_one("Perhaps.", kind="fact", scope="atlas", subject="guess", source=None).memory
    chosen = [*ids, UUID(guess["id"])]
    run = preview_bulk("move", ids=chosen, scope="Beacon", actor=herself)
    assert run.scope == "beacon"
    apply_bulk(run.run_id, expected_count=6, actor=herself)
    assert statuses(herself, chosen) == ["paused", *["current"] * 4, "pending"]
    assert find(PageFilters(scope="beacon"), actor=herself).count == 6


def test_it_may_bar_what_it_forgets(ids, propose_one, herself):
    run = preview_bulk("forget", ids=ids[:1], bars=True, actor=herself).run_id
    apply_bulk(run, expected_count=1, actor=herself)
    assert propose_one("Number 0.", kind="fact", scope="atlas", subject="n0").rule == "forgotten"


@pytest.mark.parametrize(
    ("verb", "scope", "field"),
    [("erase", None, "verb"), ("restore", None, "verb"), ("move", None, "scope"), ("move", "no scope!", "scope")],
)
def test_what_cannot_be_done_is_said(verb, scope, field, ids, herself):
    with pytest.raises(Invalid) as caught:
        preview_bulk(verb, ids=ids, scope=scope, actor=herself)
    assert caught.value.field == field


def test_it_is_for_the_person_alone(ids, ada, ben, herself):
    stranger = replace(ben, kind="person", key_id=None)
    assert preview_bulk("forget", ids=ids, actor=stranger).count == 0
    assert preview_bulk("forget", filters=PageFilters(), actor=stranger).count == 0
    with pytest.raises(Conflict):
        preview_bulk("forget", ids=ids, actor=ada)
    run = preview_bulk("forget", ids=ids, actor=herself).run_id
    for call in (
        lambda: apply_bulk(run, expected_count=5, actor=stranger),
        lambda: continue_bulk(run, actor=stranger),
        lambda: bulk_progress(run, actor=stranger),
        lambda: undo_bulk(run, actor=stranger),
        lambda: bulk_progress(uuid4(), actor=herself),
    ):
        with pytest.raises(NotFound):
            call()
    assert statuses(herself, ids) == ["current"] * 5


def test_what_was_never_begun_is_cleared_away(ids, herself):
    from datetime import UTC, datetime, timedelta

    preview_bulk("pause", ids=ids, actor=herself)
    with acting_for(herself.opened):
        BulkRun.objects.update(created_at=datetime.now(UTC) - timedelta(days=2))
    kept = preview_bulk("pause", ids=ids, actor=herself).run_id
    with acting_for(herself.opened):
        assert [run.pk for run in BulkRun.objects.all()] == [kept]
