"""A backup that is restored takes nothing back that was forgotten, barred or revoked since, and no undoing of it."""

from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command

from accounts.models import AgentKey
from memoryapp.database.isolation import acting_for
from memoryapp.models import Confirmation, Episode, Memory, Tombstone
from memoryapp.services import do_not_learn
from memoryapp.services.audit import verify
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.erase import erase_now
from memoryapp.services.erase_replay import replay_ledger
from memoryapp.services.export import export_person
from memoryapp.services.forget import forget, restore
from memoryapp.services.keys import create_key, revoke_key
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.trash import trash
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
    assert propose_one("Is tall.", subject="lifted").rule == "forgotten"  # as in the backup: lifting is not replayed
    assert list(verify()) == []
    assert "it was about is not known any more" in signed_in(herself).get("/settings/").text
    assert restore(life["tea"], actor=herself)["text"] == "Likes tea."

    # Once is enough, and what the person changed meanwhile stays.
    assert replay_ledger() == 0
    assert "Likes tea." in standing(ada)


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
    from django.db import transaction

    with pytest.raises(ZeroDivisionError), transaction.atomic():
        forget(life["tea"], relearn="block", source="erase", actor=ada)
        raise ZeroDivisionError
    assert not ledger.exists() and replay_ledger() == 0 and "Likes tea." in standing(ada)
