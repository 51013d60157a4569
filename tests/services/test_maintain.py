"""What time does to the store."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from memoryapp.database.isolation import acting_for
from memoryapp.models import IdempotencyRecord, Memory
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
