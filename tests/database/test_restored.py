"""A backup that is restored takes nothing back that was forgotten, barred or revoked since, and no undoing of it."""

import json
import os
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection, transaction

from accounts.models import AgentKey, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Confirmation, Episode, LedgerLine, Memory, Tombstone
from memoryapp.services import do_not_learn, since_ledger, since_replay
from memoryapp.services.audit import verify
from memoryapp.services.disputes import dispute, undispute
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.erase import erase_now
from memoryapp.services.erase_replay import replay_ledger
from memoryapp.services.errors import Conflict
from memoryapp.services.export import export_person
from memoryapp.services.forget import forget, restore
from memoryapp.services.keys import create_key, revoke_key
from memoryapp.services.reading import read_memory
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reviewing import keep
from memoryapp.services.since_ledger import Since
from memoryapp.services.states import pause, resume
from memoryapp.services.switches import read_switches, set_learning, set_use
from memoryapp.services.trash import trash
from memoryapp.services.waiting import waiting
from tests.dashboard.conftest import signed_in
from tests.rich import bring, file_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ledger(tmp_path):
    before = settings.ERASURE_LEDGER
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    yield settings.ERASURE_LEDGER
    settings.ERASURE_LEDGER = before


@pytest.fixture
def life(remember, ada):
    """Seven memories, five of them with the messages they came from."""
    store_turns(session="s", scope=None, turns=[Turn(n, "user", f"message {n}") for n in range(1, 6)], actor=ada)
    said = [("tea", 1), ("rum", 2), ("jazz", 3), ("chess", 4), ("go", 5)]
    return {
        word: UUID(remember(f"Likes {word}.", subject=word, source=f"message {turn}", session="s", turn=turn)["id"])
        for word, turn in said
    }


def standing(actor):
    with acting_for(actor.opened):
        return set(Memory.objects.exclude(state="forgotten").values_list("text", flat=True))


def test_what_was_done_since_is_done_again(life, remember, propose_one, ada, herself, ledger, tmp_path):
    key, _ = create_key("old", actor=ada)
    do_not_learn.bar_subject("personal", "lifted", actor=herself)
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)

    later = UUID(remember("Likes mate.", subject="mate")["id"])
    forget(life["tea"], relearn="allow", source="keep", actor=ada)
    forget(life["rum"], relearn="block", source="keep", actor=herself)
    forget(later, relearn="block", source="keep", actor=herself)
    forget(life["jazz"], relearn="allow", source="erase", actor=herself)
    forget(life["chess"], relearn="block", source="keep", actor=herself)
    restore(life["chess"], actor=herself)
    do_not_learn.bar_subject("personal", "weight", actor=herself)
    do_not_learn.lift(
        next(one.id for one in do_not_learn.barred(actor=herself) if one.subject == "lifted"), actor=herself
    )
    revoke_key(key, actor=ada)

    def as_it_is():
        with acting_for(ada.opened):
            turns = set(Episode.objects.values_list("turn", flat=True))
            quotes = Confirmation.objects.filter(source="message 3").count()
        refused = {
            text: propose_one(text, subject=subject).rule
            for text, subject in (("Likes rum.", "rum"), ("likes  MATE", "x"), ("Weighs 60 kg.", "weight"))
        }
        return standing(ada), turns, quotes, refused, AgentKey.objects.get(pk=key.pk).revoked_at is None

    expected = (
        {"Likes chess.", "Likes go."},
        {1, 2, 4, 5},
        0,
        {"Likes rum.": "forgotten", "likes  MATE": "forgotten", "Weighs 60 kg.": "forgotten"},
        False,
    )
    assert as_it_is() == expected
    lines = ledger.read_text()
    assert not any(word in lines for word in ("Likes", "message 3", "rum", "weight", "personal"))

    call_command("restore", str(backup), replace=True, verbosity=0)
    assert as_it_is() == expected
    assert {one.memory.text for one in trash(actor=herself).items} == {"Likes tea.", "Likes rum.", "Likes jazz."}
    assert "tea" not in recall(ContextRequest(query="tea chess"), actor=ada)["context"]
    assert propose_one("Is tall.", subject="lifted").rule == "empty_slot"
    assert list(verify()) == []
    assert "it was about is not known any more" in signed_in(herself).get("/settings/").text
    assert restore(life["tea"], actor=herself)["text"] == "Likes tea."

    # Once is enough, and what the person changed meanwhile stays.
    assert replay_ledger() == 0
    assert "Likes tea." in standing(ada)


def sent(actor, query="tea rum jazz chess go", scopes=()):
    return recall(ContextRequest(query=query, scopes=scopes, floor=0.0), actor=actor)


def test_no_restriction_and_no_objection_is_undone(life, remember, propose_one, ada, herself, ledger, tmp_path):
    """Paused, disputed, learning and use off since the backup: so it stays. Nothing else is touched."""
    remember("Atlas uses Redis.", kind="fact", scope="atlas", subject="cache")
    remember("Beacon uses Kafka.", kind="fact", scope="beacon", subject="queue")
    remember("Likes rye.", subject="bread")
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)

    pause(life["tea"], actor=herself)
    pause(life["rum"], actor=ada)
    pause(life["go"], actor=herself)
    resume(life["go"], actor=herself)
    dispute(life["jazz"], text="I like zanzibar blues.", actor=herself)
    dispute(life["chess"], text="No.", actor=herself)
    keep(life["chess"], actor=herself)
    set_use(False, scope="atlas", actor=herself)
    set_learning(False, scope="beacon", actor=herself)
    # What was paused before it was forgotten comes back from the trash as it was.
    bread = UUID(one_id("Likes rye.", ada))
    pause(bread, actor=herself)
    forget(bread, relearn="allow", source="keep", actor=herself)
    assert "zanzibar" not in ledger.read_text() and "atlas" not in ledger.read_text()

    def as_it_is():
        context = sent(ada, scopes=("atlas", "beacon"))["context"]
        told = {word for word in ("tea", "rum", "jazz", "chess", "go.", "Redis", "Kafka", "rye") if word in context}
        rule = propose_one("Beacon uses NATS.", kind="fact", scope="beacon", subject="bus").rule
        return told, rule, [item.memory.text for item in waiting(actor=herself).items]

    expected = ({"chess", "go.", "Kafka"}, "paused", ["Likes jazz."])
    assert as_it_is() == expected
    call_command("restore", str(backup), replace=True, verbosity=0)
    assert as_it_is() == expected
    assert replay_ledger() == 0
    # They are the person's, as they were: no agent ends them, and the person does.
    for act in (lambda: resume(life["tea"], actor=ada), lambda: undispute(life["jazz"], actor=ada)):
        with pytest.raises(Conflict) as caught:
            act()
        assert caught.value.code == "person_decides"
    resume(life["rum"], actor=ada)
    restore(bread, actor=herself)
    assert read_memory(bread, actor=ada)["status"] == "paused"
    resume(life["tea"], actor=herself)
    undispute(life["jazz"], actor=herself)
    set_use(True, scope="atlas", actor=herself)
    set_learning(True, scope="beacon", actor=herself)
    assert as_it_is() == ({"tea", "rum", "jazz", "chess", "go.", "Redis", "Kafka"}, "empty_slot", [])
    assert list(verify()) == [] and replay_ledger() == 0


def one_id(text, actor):
    with acting_for(actor.opened):
        return str(Memory.objects.get(text=text).pk)


@pytest.mark.parametrize("last", [False, True], ids=["off", "on again"])
def test_the_last_word_on_a_switch_counts(last, life, propose_one, ada, herself, ledger, tmp_path):
    def switch(*words):
        for word in words:
            set_learning(word, actor=herself)
            set_use(word, actor=herself)

    def switched():
        read = read_switches(actor=herself)
        return read.learning, read.use

    switch(last)
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)
    switch(not last, last, not last, last)
    call_command("restore", str(backup), replace=True, verbosity=0)
    assert switched() == (last, last)
    switch(not last)
    call_command("restore", str(backup), replace=True, verbosity=0)
    assert switched() == (not last, not last)
    is_on = not last
    assert (propose_one("Likes ale.", subject="ale").rule == "paused") is not is_on
    assert (sent(ada)["notice"] == "use_off") is not is_on


def test_it_is_on_the_disk_before_anybody_is_told(life, ada, ledger, monkeypatch):
    """Whoever is killed the moment after has said it for good."""
    synced = []
    real = os.fsync
    monkeypatch.setattr("os.fsync", lambda descriptor: (real(descriptor), synced.append(len(ledger.read_text()))))
    forget(life["tea"], relearn="block", source="keep", actor=ada)
    assert {json.loads(line)["since"] for line in ledger.read_text().splitlines()} == {"forgotten", "barred"}
    assert synced[-1] == len(ledger.read_text()) > 0
    assert not LedgerLine.objects.exists()


@pytest.mark.parametrize("ends", ["the process is killed", "the disk is full"])
def test_what_comes_between_the_commit_and_the_ledger_takes_nothing_back(
    ends, life, ada, herself, ledger, tmp_path, monkeypatch
):
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)

    def fail(*args, **kwargs):
        raise KeyboardInterrupt if ends == "the process is killed" else OSError(28, "No space left on device")

    with monkeypatch.context() as broken:
        broken.setattr("memoryapp.services.erase_ledger.append", fail)
        with suppress(KeyboardInterrupt):
            forget(life["tea"], relearn="block", source="keep", actor=ada)
    connection.close()
    assert not ledger.exists() and "Likes tea." not in standing(ada)
    call_command("restore", str(backup), replace=True, verbosity=0)
    assert "Likes tea." not in standing(ada) and "Likes rum." in standing(ada)
    with acting_for(ada.opened):
        assert Tombstone.objects.count() == 1


def test_however_much_waits_all_of_it_comes_into_the_file(life, ada, ledger, monkeypatch):
    monkeypatch.setattr(since_ledger, "_AT_ONCE", 2)
    ledger.mkdir()
    for word in ("tea", "rum", "jazz"):
        forget(life[word], relearn="block", source="keep", actor=ada)
    assert LedgerLine.objects.count() == 6
    ledger.rmdir()
    forget(life["go"], relearn="allow", source="keep", actor=ada)
    rows = [json.loads(line) for line in ledger.read_text().splitlines()]
    assert [row["since"] for row in rows].count("forgotten") == 4 and len(rows) == 7
    assert not LedgerLine.objects.exists()


def test_what_the_person_takes_back_meanwhile_is_not_done_again(life, ada, herself, ledger, monkeypatch):
    """The daily job has read the ledger, and waits for the person's lock while they change their mind."""
    do_not_learn.bar_subject("personal", "weight", actor=herself)
    with acting_for(ada.opened):
        Tombstone.objects.all().delete()
        User.objects.filter(pk=ada.opened).update(learning=True)
    set_learning(False, actor=herself)
    with acting_for(ada.opened):
        User.objects.filter(pk=ada.opened).update(learning=True)
    real, entry = since_replay.writer_for, do_not_learn_line(ledger)

    @contextmanager
    def late(actor):
        if not done:
            done.append(True)
            # Done in another process, between the reading and the lock.
            with acting_for(ada.opened):
                since_ledger.note(Since("lifted", entry, datetime.now(UTC), ada.opened))
                since_ledger.note(Since("learning_on", ada.opened, datetime.now(UTC), ada.opened))
        with real(actor) as writer:
            yield writer

    done = []
    monkeypatch.setattr(since_replay, "writer_for", late)
    assert replay_ledger() == 0 and done
    with acting_for(ada.opened):
        assert not Tombstone.objects.exists()
    assert read_switches(actor=herself).learning
    assert not LedgerLine.objects.exists()


def do_not_learn_line(ledger):
    rows = [json.loads(line) for line in ledger.read_text().splitlines()]
    return next(UUID(row["id"]) for row in rows if row["since"] == "barred")


def test_a_subject_that_is_closed_again_is_closed_to_files_too(remember, ada, herself, ledger):
    weight = UUID(remember("Weighs 60 kg.", subject="weight")["id"])
    remember("Likes tea.")
    content = file_of(herself)
    forget(weight, relearn="allow", source="keep", actor=herself)
    erase_now(weight, actor=herself)
    do_not_learn.bar_subject("personal", "weight", actor=herself)
    with acting_for(ada.opened):
        Tombstone.objects.all().delete()
    assert replay_ledger() == 1
    for actor in (herself, ada):
        assert [one["is_whole_subject"] for one in export_person(actor=actor)["do_not_learn"]] == [True]
    counted = bring(content, herself)
    assert (counted.refused, counted.same, standing(ada)) == ({"forgotten": 1}, 1, {"Likes tea."})


def test_it_is_restored_over_a_database_from_before_the_lines(life, ada, tmp_path):
    """As when the service is of a later version than the database, whose upgrade failed."""
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)
    forget(life["tea"], relearn="allow", source="keep", actor=ada)
    with connection.cursor() as cursor:
        cursor.execute("alter table memoryapp_ledgerline rename to memoryapp_other")
    call_command("restore", str(backup), replace=True, verbosity=0)
    assert standing(ada) == {"Likes rum.", "Likes jazz.", "Likes chess.", "Likes go."}


def test_without_the_ledger_it_would_come_back(life, ada, ledger, tmp_path):
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)
    forget(life["tea"], relearn="block", source="erase", actor=ada)
    ledger.unlink()
    call_command("restore", str(backup), replace=True, verbosity=0)
    assert "Likes tea." in standing(ada)
    with acting_for(ada.opened):
        assert not Tombstone.objects.exists()


def test_what_was_rolled_back_is_not_in_it(life, ada, ledger):
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        forget(life["tea"], relearn="block", source="erase", actor=ada)
        raise ZeroDivisionError
    assert not ledger.exists() and not LedgerLine.objects.exists()
    assert replay_ledger() == 0 and "Likes tea." in standing(ada)
