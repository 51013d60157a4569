"""The audit chain: every verb leaves an event, and no row can be changed, taken out or put in unseen."""

import uuid

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent
from memoryapp.services.audit import verify
from memoryapp.services.correct import Changes, correct
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.forget import forget, restore
from memoryapp.services.states import confirm, pause, pin, resume, unpin

pytestmark = pytest.mark.django_db


def events(actor):
    with acting_for(actor.person_id):
        return list(AuditEvent.objects.visible_to(actor).order_by("seq"))


def test_every_verb_leaves_an_event(ada, remember):
    memory_id = remember("Likes tea.")["id"]
    correct(memory_id, Changes(text="Likes coffee."), expected_version=1, actor=ada)
    for verb in (pause, resume, confirm, pin, unpin):
        verb(memory_id, actor=ada)
    forget(memory_id, relearn="allow", source="keep", actor=ada)
    restore(memory_id, actor=ada)
    store_turns(session="s", scope=None, turns=[Turn(1, "user", "hello")], actor=ada)

    assert [event.verb for event in events(ada)] == [
        "propose", "correct", "pause", "resume", "confirm", "pin", "unpin", "forget", "restore", "store_turns",
    ]  # fmt: skip
    assert {event.actor_kind for event in events(ada)} == {"agent"}
    assert {event.actor_id for event in events(ada)} == {ada.key_id}


def test_it_keeps_no_text(ada, remember):
    remember("Likes tea.", subject="drink")
    shown = " ".join(str(value) for event in events(ada) for value in vars(event).values())
    assert "propose" in shown
    assert "tea" not in shown and "drink" not in shown


@pytest.fixture
def chains(ada, ben, remember):
    for text in ("One.", "Two.", "Three."):
        remember(text, subject="number")
        remember(text, subject="number", actor=ben)
    return ada


@pytest.fixture
def as_superuser(chains):
    """Runs SQL past triggers and policies, as whoever owns the server can."""

    def act(sql, *parameters):
        with acting_for(chains.person_id), connection.cursor() as cursor:
            cursor.execute("alter table memoryapp_auditevent disable trigger user")
            cursor.execute(sql, parameters)
            cursor.execute("alter table memoryapp_auditevent enable trigger user")

    return act


def test_it_finds_nothing_in_a_chain_that_holds(chains):
    assert list(verify()) == []
    call_command("verify_audit")


@pytest.mark.parametrize(
    "sql",
    [
        pytest.param("update memoryapp_auditevent set verb = 'view' where person_id = %s and seq = 2", id="changed"),
        pytest.param(
            "update memoryapp_auditevent set at = at + interval '1s' where person_id = %s and seq = 3",
            id="changed last",
        ),
        pytest.param("delete from memoryapp_auditevent where person_id = %s and seq = 2", id="missing"),
        pytest.param("delete from memoryapp_auditevent where person_id = %s and seq = 3", id="missing last"),
        pytest.param("delete from memoryapp_auditevent where person_id = %s", id="missing all"),
    ],
)
def test_it_finds_a_changed_and_a_missing_event(sql, chains, as_superuser):
    as_superuser(sql, chains.person_id)
    assert [one.person_id for one in verify()] == [chains.person_id]
    with pytest.raises(CommandError):
        call_command("verify_audit")


@pytest.mark.parametrize("seq", [pytest.param(4, id="at the end"), pytest.param(2, id="in the middle")])
def test_it_finds_an_inserted_event(seq, chains, as_superuser):
    if seq == 2:
        as_superuser(
            "update memoryapp_auditevent set seq = seq + 10 where person_id = %s and seq >= 2", chains.person_id
        )
        as_superuser(
            "update memoryapp_auditevent set seq = seq - 9 where person_id = %s and seq >= 10", chains.person_id
        )
    as_superuser(
        "insert into memoryapp_auditevent (id, person_id, seq, at, actor_kind, verb, object_type, digest)"
        " values (%s, %s, %s, now(), 'agent', 'propose', 'decision', %s)",
        uuid.uuid4(), chains.person_id, seq, b"x" * 32,
    )  # fmt: skip
    assert [one.person_id for one in verify()] == [chains.person_id]


def test_events_cannot_be_changed_by_mistake(chains):
    from django.db import DatabaseError, transaction

    for act in (lambda rows: rows.update(verb="view"), lambda rows: rows.delete()):
        with pytest.raises(DatabaseError), transaction.atomic(), acting_for(chains.person_id):
            act(AuditEvent.objects.filter(person_id=chains.person_id))
    assert len(events(chains)) == 3


def test_a_clock_that_was_set_back_stops_nobody(ada, remember):
    memory_id = remember("Likes tea.")["id"]
    with acting_for(ada.person_id), connection.cursor() as cursor:
        cursor.execute("set constraints all immediate")
        cursor.execute("alter table memoryapp_memoryversion disable trigger user")
        cursor.execute("update memoryapp_memoryversion set recorded_at = recorded_at + interval '1 hour'")
        cursor.execute("alter table memoryapp_memoryversion enable trigger user")
    assert pause(memory_id, actor=ada)["status"] == "paused"
    forget(memory_id, relearn="allow", source="keep", actor=ada)
    assert restore(memory_id, actor=ada)["status"] == "paused"
