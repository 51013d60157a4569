"""After an erasure no dump holds a word of it, nor do the tables' files once they are written anew; nor a backup."""

import subprocess
from pathlib import Path
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.database.tools import dbname, environment, tool
from memoryapp.models import Memory, Receipt
from memoryapp.refusal import Refused
from memoryapp.services import erase_person
from memoryapp.services.audit import verify
from memoryapp.services.erase import erase_now
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.forget import forget
from tests.lives import live

pytestmark = pytest.mark.django_db(transaction=True)

HERS, HIS = ("zanzibar", "xylophone-7"), ("quicksilver", "marimba-8")
"""A word that is in each text of theirs, and the agent's id of them."""


@pytest.fixture(autouse=True)
def ledger(tmp_path):
    # The settings that the commands read are the process's own.
    before = settings.ERASURE_LEDGER
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    yield settings.ERASURE_LEDGER
    settings.ERASURE_LEDGER = before


@pytest.fixture
def her(bot):
    return live(bot, HERS[1], HERS[0])


@pytest.fixture
def him(bot):
    return live(bot, HIS[1], HIS[0])


def erase(actor):
    with acting_for(actor.person_id):
        count = Memory.objects.count()
    receipt_id = erase_person.begin(expected_count=count, actor=actor)
    work_now()
    assert Receipt.objects.get(pk=receipt_id).done_at
    return receipt_id


def dumped():
    """A plain dump of everything, every person's rows included."""
    database = connection.settings_dict
    ran = subprocess.run(
        [tool("pg_dump"), "--enable-row-security", "--dbname", dbname(database)],
        env=environment(database, reason="test"), capture_output=True, check=True,
    )  # fmt: skip
    return ran.stdout


def files():
    """Every byte of the database's own files."""
    with connection.cursor() as cursor:
        cursor.execute("select oid from pg_database where datname = current_database()")
        folder = settings.MEMORY_PATHS.cluster / "base" / str(cursor.fetchone()[0])
    return b"".join(path.read_bytes() for path in sorted(folder.iterdir()))


def words_in(where):
    return {word for word in (*HERS, *HIS) if word.encode() in where}


def test_no_dump_holds_a_word_of_a_person(her, him):
    assert words_in(dumped()) == {*HERS, *HIS}
    erase(her)
    assert words_in(dumped()) == set(HIS)


@pytest.mark.skipif(not settings.MEMORY_USES_EMBEDDED, reason="the server's files are out of reach")
def test_no_table_file_holds_a_word_of_a_person_after_vacuum(her, him):
    with connection.cursor() as cursor:
        # The planner notes values, too.
        cursor.execute("analyze")
    call_command("vacuum", verbosity=0)
    assert words_in(files()) == {*HERS, *HIS}
    erase(her)
    call_command("vacuum", verbosity=0)
    assert words_in(files()) == set(HIS)


@pytest.mark.skipif(not settings.MEMORY_USES_EMBEDDED, reason="the server's files are out of reach")
def test_neither_holds_a_memory_that_was_erased_alone(ada, herself, remember):
    memory = remember("Likes zanzibar tea.", source="zanzibar please", aliases=["zanzibar"])
    remember("Likes quicksilver.", subject="metal")
    forget(UUID(memory["id"]), relearn="block", source="erase", actor=herself)
    assert words_in(dumped()) == {"zanzibar", "quicksilver"}
    erase_now(UUID(memory["id"]), actor=herself)
    assert words_in(dumped()) == {"quicksilver"}
    call_command("vacuum", verbosity=0)
    assert words_in(files()) == {"quicksilver"}


def test_a_backup_that_is_restored_brings_nothing_back(her, him, ada, herself, remember, tmp_path, ledger):
    alone, kept = remember("Likes zanzibar tea."), remember("Likes jazz.", subject="music")
    backup = tmp_path / "memory.backup"
    call_command("backup", str(backup), verbosity=0)
    assert backup.stat().st_mode & 0o777 == 0o600
    with pytest.raises(Refused, match="there already"):
        call_command("backup", str(backup), verbosity=0)

    receipt_id = erase(her)
    forget(UUID(alone["id"]), relearn="allow", source="keep", actor=herself)
    erase_now(UUID(alone["id"]), actor=herself)
    remember("Likes chess.", subject="game")
    with pytest.raises(CommandError, match="--replace"):
        call_command("restore", str(backup))

    call_command("restore", str(backup), replace=True, verbosity=0)
    assert words_in(dumped()) == set(HIS)
    assert not User.objects.filter(pk=her.person_id).exists()
    with acting_for(ada.person_id):
        # As it was then, without what was erased since.
        assert [str(pk) for pk in Memory.objects.values_list("pk", flat=True)] == [kept["id"]]
    with acting_for(him.person_id):
        assert Memory.objects.count() == 4
    receipt = Receipt.objects.get(pk=receipt_id)
    assert receipt.done_at is not None and not any(receipt.verified_left.values())
    assert list(verify()) == []

    # Without its ledger the backup would have brought her back: it is the ledger that kept her out.
    ledger.unlink()
    call_command("restore", str(backup), replace=True, verbosity=0)
    assert words_in(dumped()) == {*HERS, *HIS}


def test_what_is_no_backup_changes_nothing(ada, remember, tmp_path):
    remember("Likes tea.")
    wrong = tmp_path / "wrong"
    wrong.write_bytes(b"nothing of the kind")
    with pytest.raises(Refused, match="pg_restore failed"):
        call_command("restore", str(wrong), replace=True)
    cut = tmp_path / "cut"
    whole = Path(tmp_path / "whole")
    call_command("backup", str(whole), verbosity=0)
    cut.write_bytes(whole.read_bytes()[: -whole.stat().st_size // 4])
    with pytest.raises(Refused):
        call_command("restore", str(cut), replace=True)
    with acting_for(ada.person_id):
        assert Memory.objects.count() == 1
