"""The leak monitor: nothing is said of what was allowed, and each planted leak is found, noted once and counted."""

import json
import uuid
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client

from accounts.actors import Actor
from accounts.ids import instant_of, uuid7
from memoryapp.database.isolation import SYSTEM, acting_for
from memoryapp.database.url import psycopg_parameters
from memoryapp.models import AuditEvent, RetrievalTrace
from memoryapp.services.agents import actor_of, ensure_person
from memoryapp.services.erase import erase_now
from memoryapp.services.forget import forget
from memoryapp.services.keys import create_key
from memoryapp.services.leaks import SLACK, find_leaks, leak_figures, watch_leaks
from memoryapp.services.maintain import maintain
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.scope_verbs import rename_scope
from memoryapp.services.states import pause
from memoryapp.services.switches import set_use

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not settings.MEMORY_USES_EMBEDDED, reason="plants as a superuser that trusts us"),
]

LATER = timedelta(minutes=1)


def soon():
    return datetime.now(UTC) + LATER


@pytest.fixture
def superuser(ada):
    parameters = psycopg_parameters(settings.DATABASES["default"]) | {"dbname": connection.settings_dict["NAME"]}
    with psycopg.connect(**parameters | {"user": "postgres"}, autocommit=True) as link:
        yield link


@pytest.fixture
def rows(remember, ada, ben):
    """By name: a memory of Ada's in each of two scopes and in the personal one, and one of Ben's."""
    return {
        "atlas": remember("Atlas uses PostgreSQL.", kind="fact", subject="db", scope="atlas"),
        "beacon": remember("Beacon uses SQLite.", kind="fact", subject="db", scope="beacon"),
        "tea": remember("Likes tea."),
        "ben": remember("Ben likes rum.", actor=ben),
    }


@pytest.fixture
def plant(superuser, ada, rows):
    """`plant("ben")`: a retrieval of Ada's that says it sent that memory, written past every policy and trigger."""

    def act(name, *, scopes=("atlas",), key_id=ada.key_id, minutes=0, verdict="included", version=None):
        memory = rows[name]
        trace_id = uuid7(int((datetime.now(UTC) + timedelta(minutes=minutes)).timestamp() * 1000))
        items = [[uuid.UUID(memory["id"]).hex, version or memory["version"], verdict, None, 0.9, {}, None]]
        counts = {"offered": 1, "limit": 20, "withheld": {}, "used": {"tokens": 1, "chars": 1}}
        superuser.execute(
            "insert into memoryapp_retrievaltrace (id, created_at, person_id, agent_key_id, scopes, query, floor,"
            " budget, policy_version, scorer, items, counts)"
            " values (%s, %s, %s, %s, %s, 'q', 0.3, '{}', '1', 'lexical', %s, %s)",
            [trace_id, instant_of(trace_id), ada.opened, key_id, list(scopes), json.dumps(items), json.dumps(counts)],
        )
        return trace_id

    return act


def found(**options):
    _, leaks = find_leaks(datetime.now(UTC) - timedelta(days=1), datetime.now(UTC) + timedelta(days=1), **options)
    return [(leak.trace_id, leak.problem) for leak in leaks]


def events(person_id, verb):
    with acting_for(person_id):
        return [(one.object_id, one.reason) for one in AuditEvent.objects.filter(verb=verb).order_by("seq")]


def test_what_was_allowed_is_no_leak(rows, ada, herself, superuser):
    for scopes in ((), ("atlas",), ("beacon", "atlas")):
        assert recall(ContextRequest(scopes=scopes, query="Which database?", floor=0), actor=ada)["memories"]
    recall(ContextRequest(scopes=("atlas",), query="database", as_of=datetime.now(UTC)), actor=ada)
    recall(ContextRequest(), actor=ada)
    looked_at, leaks = find_leaks(datetime.now(UTC) - LATER, soon())
    assert (looked_at, leaks) == (5, [])


def test_what_changed_afterwards_is_no_leak(rows, ada, herself, plant):
    recall(ContextRequest(scopes=("atlas",), query="PostgreSQL"), actor=ada)
    recall(ContextRequest(scopes=("beacon",), query="SQLite"), actor=ada)
    pause(rows["tea"]["id"], actor=herself)
    set_use(False, scope="beacon", actor=herself)
    rename_scope("atlas", "zeus", actor=herself)
    recall(ContextRequest(scopes=("zeus",), query="PostgreSQL"), actor=ada)
    # Neither the name of when it was written nor that of today is the one that was asked for.
    rename_scope("zeus", "hera", actor=herself)
    forget(uuid.UUID(rows["beacon"]["id"]), relearn="allow", source="keep", actor=herself)
    erase_now(uuid.UUID(rows["beacon"]["id"]), actor=herself)
    assert found() == []
    # The control: the same look finds what is wrong.
    trace_id = plant("ben")
    assert found() == [(trace_id, "person")]


def test_each_kind_of_leak_is_found(rows, ada, herself, bot, plant):
    foreign = create_key("elsewhere", actor=Actor("system"), namespace="elsewhere")[0]
    narrow = create_key("narrow", actor=Actor("system"), scopes=["beacon"])[0]
    others = ensure_person(actor_of(foreign), "ada")
    pause(rows["tea"]["id"], actor=herself)
    planted = {
        plant("ben"): "person",
        plant("beacon"): "scope",
        plant("atlas", key_id=foreign.pk): "key",
        plant("atlas", key_id=narrow.pk): "key",
        plant("tea", version=2): "state",
        plant("atlas", minutes=-30): "time",
    }
    fine = [plant("atlas"), plant("beacon", scopes=("beacon", "atlas")), plant("tea", version=1)]
    fine.append(plant("ben", verdict="below_floor"))
    set_use(False, scope="beacon", actor=herself)
    planted[plant("beacon", scopes=("beacon",), minutes=10)] = "switch"
    set_use(True, scope="beacon", actor=herself)
    fine.append(plant("beacon", scopes=("beacon",), minutes=10))
    assert others.person_id != ada.person_id
    leaks = dict(found())
    assert planted.items() - leaks.items() == {(trace, "switch") for trace, why in planted.items() if why == "switch"}
    assert not leaks.keys() & set(fine)


def test_a_switch_that_was_off_is_a_leak_and_on_again_none(rows, herself, plant):
    set_use(False, scope="atlas", actor=herself)
    off = plant("atlas", minutes=5)
    assert found() == [(off, "switch")]
    set_use(True, scope="atlas", actor=herself)
    assert found() == []


def test_a_leak_is_noted_once_and_alerts(rows, ada, herself, plant, caplog):
    recall(ContextRequest(scopes=("atlas",), query="PostgreSQL"), actor=ada)
    assert watch_leaks(soon()) == []
    assert (leak_figures().found, b"memory_leaks 0.0" in Client().get("/metrics").content) == (0, True)
    trace_id = plant("ben", minutes=-1)
    assert [leak.trace_id for leak in watch_leaks(soon())] == [trace_id]
    watch_leaks(soon())
    assert events(ada.opened, "leak_found") == [(trace_id, "person")]
    assert leak_figures().found == 1 and leak_figures().checked_at is not None
    shown = Client().get("/metrics").content.decode()
    assert "memory_leaks 1.0" in shown and "memory_leaks_checked_timestamp_seconds" in shown
    assert events(SYSTEM, "check_leaks")[-1] == (None, "2 retrievals, 1 leaks")
    assert "rum" not in caplog.text and str(ada.opened) not in caplog.text
    with pytest.raises(CommandError, match="1 memories"):
        call_command("check_leaks", days=400)


def test_the_daily_round_looks_for_leaks(rows, ada, plant):
    plant("ben", minutes=-1)
    maintain(soon())
    assert len(events(ada.opened, "leak_found")) == 1


def test_what_is_younger_than_the_slack_is_looked_at_the_next_time(rows, plant):
    plant("ben")
    assert watch_leaks() == []
    assert len(watch_leaks(datetime.now(UTC) + 2 * SLACK)) == 1
    assert RetrievalTrace.objects.count() == 0  # only by its own wide look: nobody is open here
