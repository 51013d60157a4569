"""What time does to the store."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection

from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, IdempotencyRecord, Memory, MemoryVersion, Tombstone
from memoryapp.services.forget import forget, restore
from memoryapp.services.idempotency import once
from memoryapp.services.maintain import create_partitions, forget_responses, maintain, mark_stale
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import confirm

pytestmark = pytest.mark.django_db

NOW = datetime.now(UTC)


def state_after(days, memory, actor):
    mark_stale(NOW + timedelta(days=days))
    with acting_for(actor.person_id):
        return Memory.objects.get(pk=memory["id"]).state


@pytest.mark.parametrize(
    ("kind", "days", "state"),
    [
        pytest.param("fact", 89, "current", id="in time"),
        pytest.param("fact", 91, "stale", id="a fact"),
        pytest.param("decision", 91, "stale", id="a decision"),
        pytest.param("preference", 1000, "current", id="a preference never"),
        pytest.param("identifier", 1000, "current", id="an identifier never"),
    ],
)
def test_what_nobody_spoke_of_turns_stale(kind, days, state, remember, ada):
    memory = remember("Atlas uses PostgreSQL.", kind=kind, subject="atlas.db")
    assert state_after(days, memory, ada) == state


def test_use_keeps_it_current(remember, ada):
    memory = remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    with acting_for(ada.person_id):
        Memory.objects.update(last_used_at=NOW + timedelta(days=5))
    assert state_after(91, memory, ada) == "current"
    assert state_after(96, memory, ada) == "stale"


def test_a_stale_memory_is_counted_not_sent_and_current_again_when_confirmed(remember, ada):
    memory = remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    request = ContextRequest(scopes=("atlas",), query="PostgreSQL")
    assert state_after(91, memory, ada) == "stale"
    stale = recall(request, actor=ada)
    assert (stale["memories"], stale["withheld"]["stale"]) == ([], 1)
    confirm(memory["id"], actor=ada)
    assert len(recall(request, actor=ada)["memories"]) == 1


def test_a_partition_is_ready_for_every_month_to_come():
    create_partitions(datetime(2031, 5, 17, tzinfo=UTC))
    create_partitions(datetime(2031, 6, 1, tzinfo=UTC))
    with connection.cursor() as cursor:
        cursor.execute(
            "select to_regclass('memoryapp_retrievaltrace_2031_05'), to_regclass('memoryapp_retrievaltrace_2032_06')"
        )
        assert None not in cursor.fetchone()


def test_kept_responses_go_after_a_day(ada):
    once(key_id=ada.key_id, key="k", fingerprint=b"f", act=lambda: (200, {}, ada.person_id))
    forget_responses(NOW + timedelta(hours=23))
    with acting_for(ada.person_id):
        assert IdempotencyRecord.objects.count() == 1
    forget_responses(NOW + timedelta(hours=25))
    with acting_for(ada.person_id):
        assert IdempotencyRecord.objects.count() == 0


def test_it_may_run_twice():
    maintain()
    maintain()


def test_what_is_past_its_time_in_the_trash_is_erased_on_its_day(remember, ada, ben, herself):
    tea, rum = remember("Likes tea."), remember("Likes rum.", subject="spirit")
    theirs = remember("Ben likes gin.", actor=ben)
    kept = remember("Likes jazz.", subject="music")
    forget(tea["id"], relearn="block", source="keep", actor=herself)
    forget(theirs["id"], relearn="allow", source="keep", actor=ben)
    forget(rum["id"], relearn="allow", source="keep", actor=herself)
    restore(rum["id"], actor=herself)

    def texts(actor):
        with acting_for(actor.person_id):
            return set(Memory.objects.values_list("text", flat=True))

    maintain(datetime.now(UTC) + timedelta(days=29, hours=23))
    assert texts(ada) == {"Likes tea.", "Likes rum.", "Likes jazz."} and texts(ben) == {"Ben likes gin."}
    for _ in range(2):
        maintain(datetime.now(UTC) + timedelta(days=30, minutes=1))
        assert texts(ada) == {"Likes rum.", "Likes jazz."} and texts(ben) == set()
    with acting_for(ada.person_id):
        assert set(MemoryVersion.objects.values_list("memory", flat=True)) == {UUID(rum["id"]), UUID(kept["id"])}
        event = AuditEvent.objects.get(verb="erase")
        assert (event.actor_kind, event.reason, event.object_id) == ("system", "trash_time", UUID(tea["id"]))
        # That it is not to be learned again outlives it.
        assert Tombstone.objects.get().memory_id is None
