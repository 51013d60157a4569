"""The table of wishes: what a person asked for holds at once, after a backup is restored, and where they bring it."""

from dataclasses import replace
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command

from accounts.models import AgentKey
from memoryapp.database.isolation import acting_for
from memoryapp.models import Episode, Memory
from memoryapp.services import do_not_learn
from memoryapp.services.agents import actor_of, ensure_person
from memoryapp.services.disputes import dispute
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.forget import forget
from memoryapp.services.forget_message import forget_message
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pause
from memoryapp.services.switches import set_learning, set_use
from tests.conformance.cells import WISHES
from tests.rich import bring, file_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ledger(tmp_path):
    before = settings.ERASURE_LEDGER
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    yield
    settings.ERASURE_LEDGER = before


WORDS = ("paused", "disputed", "forgotten", "messaged", "barred", "lifted", "neighbour")
"""One memory each; the last is what nothing was asked about."""


class Life:
    """A person with a memory for every wish, and what an agent meets of it."""

    def __init__(self, name):
        bot = actor_of(AgentKey.objects.get(name="bot"))
        self.agent = ensure_person(bot, name)
        self.herself = replace(self.agent, kind="person", key_id=None, key_name=None)

    def begin(self):
        store_turns(session="s", scope=None, turns=[Turn(1, "user", "I like messaged tea.")], actor=self.agent)
        self.ids = {}
        for word in WORDS:
            turn = {"session": "s", "turn": 1, "source": "messaged tea"} if word == "messaged" else {}
            self.ids[word] = UUID(self.say(word, word, **turn).memory["id"])
        self.say("Atlas cache", "cache", kind="fact", scope="atlas")
        self.say("Beacon queue", "queue", kind="fact", scope="beacon")
        do_not_learn.bar_subject("personal", "lifted", actor=self.herself)
        with acting_for(self.agent.opened):
            self.message = Episode.objects.get().pk
        return self

    def say(self, word, subject, kind="preference", **fields):
        fields = {"source": f"I like {word}"} | fields
        return propose([Proposal(kind=kind, subject=subject, text=f"Likes {word} tea.", **fields)], actor=self.agent)[0]

    def wish(self):
        ids, herself = self.ids, self.herself
        pause(ids["paused"], actor=herself)
        dispute(ids["disputed"], actor=herself)
        forget(ids["forgotten"], relearn="allow", source="keep", actor=herself)
        forget_message(self.message, expected_along=1, actor=herself)
        forget(ids["barred"], relearn="block", source="keep", actor=herself)
        do_not_learn.bar_subject("personal", "closed", actor=herself)
        (entry,) = (one for one in do_not_learn.barred(actor=herself) if one.subject == "lifted")
        do_not_learn.lift(entry.id, actor=herself)
        set_use(False, scope="atlas", actor=herself)
        set_learning(False, scope="beacon", actor=herself)

    def held(self):
        """Row by row: whether the wish holds. `neighbour` is the control, and has to be met."""
        sent = recall(ContextRequest(query="tea", scopes=("atlas", "beacon"), floor=0.0), actor=self.agent)["context"]
        with acting_for(self.agent.opened):
            stored = {memory.text for memory in Memory.objects.exclude(state="forgotten")}
            messages = Episode.objects.count()

        def refused(word, subject, **fields):
            return self.say(word, subject, **fields).rule

        found = {
            "paused": "paused tea" not in sent and "Likes paused tea." in stored,
            "disputed": "disputed tea" not in sent and "Likes disputed tea." in stored,
            "forgotten": "forgotten tea" not in sent and "Likes forgotten tea." not in stored,
            "message": "messaged tea" not in sent and messages == 0,
            "barred": refused("barred", "elsewhere") == "forgotten",
            "closed": refused("closed", "closed") == "forgotten",
            "lifted": refused("lifted once more", "lifted") != "forgotten",
            "use_off": "Atlas cache" not in sent,
            "learning_off": refused("Beacon bus", "bus", kind="fact", scope="beacon") == "paused",
        }
        assert "neighbour tea" in sent and "Beacon queue" in sent
        assert refused("another neighbour", "another") == "empty_slot"
        return found


@pytest.fixture
def life(bot_key):
    return Life("ada").begin()


@pytest.fixture
def control(life):
    """Before anything was asked, none of it holds: what always held would prove nothing."""
    found = Life("control").begin().held()
    assert [row for row, holds in found.items() if holds] == []


def look(column, found):
    for row in WISHES.rows:
        if (row, column.name) not in WISHES.no:
            column.check(row, found[row])


def test_at_once(life, control, column):
    life.wish()
    look(column("wishes", "at once"), life.held())


def test_after_a_backup_from_before_is_restored(life, control, column, tmp_path):
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)
    life.wish()
    call_command("restore", str(backup), replace=True, verbosity=0)
    look(column("wishes", "older backup restored"), life.held())


def test_where_an_export_is_brought(life, control, column):
    life.wish()
    zoe = Life("zoe")
    bring(file_of(life.herself), zoe.herself)
    look(column("wishes", "export brought to another account"), zoe.held())


def test_where_an_export_from_before_is_brought_back(life, control, column):
    before = file_of(life.herself)
    life.wish()
    bring(before, life.herself)
    look(column("wishes", "older export brought back"), life.held())
