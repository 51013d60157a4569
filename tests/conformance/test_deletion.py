"""The deletion table: wherever a memory could be met, after whatever happened to it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection

from accounts.models import AgentKey, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services import erase_person, indexing
from memoryapp.services.agents import actor_of, open_person
from memoryapp.services.erase import erase_now
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.export import export_person
from memoryapp.services.forget import forget
from memoryapp.services.maintain import maintain
from memoryapp.services.uses import count_waiting
from tests.api.conftest import Api
from tests.conformance.cells import DELETION
from tests.dashboard.conftest import signed_in
from tests.rich import bring, file_of

pytestmark = pytest.mark.django_db(transaction=True)

GONE, KEPT, ASKED = "zanzibar", "quicksilver", "tea jazz"


@pytest.fixture(autouse=True)
def ledger(tmp_path):
    before = settings.ERASURE_LEDGER
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    yield
    settings.ERASURE_LEDGER = before


class World:
    """One person with one memory that goes and one that stays, and every question that could meet them."""

    def __init__(self, secret, user):
        self.api, self.user = Api(secret), user
        self.memory = self.say("drink", f"Likes {GONE} tea.", key="first", turn=1).json()["memory"]
        self.neighbour = self.say("music", f"Likes {KEPT} jazz.", key="other", turn=2).json()["memory"]
        self.before = (datetime.now(UTC)).isoformat()
        self.trace = self.ask(query=ASKED).json()["trace_id"]
        self.api.post(f"/traces/{self.trace}/answer", {"answer_id": f"a/{user}"})
        bot = actor_of(AgentKey.objects.get(name="bot"))
        self.actor = open_person(bot, user)
        self.herself = replace(self.actor, kind="person", key_id=None, key_name=None)
        self.browser = signed_in(self.herself)

    def say(self, subject, text, key=None, turn=None):
        body = {"user": self.user, "kind": "preference", "subject": subject, "text": text, "source": text}
        if turn is not None:
            body |= {"session": "s", "turn": turn}
        return self.api.post("/memories", body, {"Idempotency-Key": f"{key}-{self.user}"} if key else None)

    def ask(self, **fields):
        return self.api.post("/context", {"user": self.user, **fields})

    def retried(self):
        return [
            self.say("drink", f"Likes {GONE} tea.", key="first", turn=1),
            self.say("music", f"Likes {KEPT} jazz.", key="other", turn=2),
        ]

    def answers(self):
        """What each place shows, as text."""
        api, user = self.api, self.user
        # What was just forgotten can be taken back on the page until this.
        self.browser.post("/memories/hide-bars/")
        shown = {
            "context": self.ask(query=ASKED),
            "explain": self.ask(query=ASKED, explain=True, limit=0),
            "opening": self.ask(),
            "as_of": self.ask(query=ASKED, as_of=self.before),
            "list": api.get("/memories", user=user, status="any"),
            "search": api.get("/memories", user=user, q="Likes", status="any"),
            "changes": api.get("/memories", user=user, changed_since="2020-01-01T00:00:00Z"),
            "one": [api.get(f"/memories/{one['id']}") for one in (self.memory, self.neighbour)],
            "history": [api.get(f"/memories/{one['id']}/history") for one in (self.memory, self.neighbour)],
            "trace": api.get(f"/traces/{self.trace}"),
            "answer": api.get(f"/answers/a/{user}"),
            "retry": self.retried(),
            "page": self.browser.get("/memories/"),
            "page_search": self.browser.get("/memories/?q=Likes"),
            "preview": self.browser.get("/preview/?q=tea+jazz"),
        }
        texts = {
            name: "".join(one.text for one in (found if isinstance(found, list) else [found]))
            for name, found in shown.items()
        }
        texts["count"] = str(api.get("/scopes", user=user).json()["results"])
        texts["subjects"] = api.get("/subjects", user=user).text
        return texts


def meets(row, text, what):
    match row:
        case "count":
            return any(f"'current': {count}" in text for count in ((1, 2) if what == KEPT else (2,)))
        case "subjects":
            return ('"music"' if what == KEPT else '"drink"') in text
    return what in text


@pytest.fixture
def world(bot_key):
    return World(bot_key[1], "ada")


@pytest.fixture
def other(bot_key, world):
    """Somebody else, with the same words."""
    return World(bot_key[1], "ben")


def look(column, world, neighbour):
    """Compares with what was to be met before; the neighbour is met still."""
    found, beside = world.answers(), neighbour.answers()
    for row in DELETION.rows:
        if (row, column.name) in DELETION.no:
            continue
        there = meets(row, found[row], GONE)
        stays = meets(row, beside[row], KEPT)
        column.check(row, not there and stays)


@pytest.fixture(scope="module")
def controlled():
    return set()


@pytest.fixture
def control(world, controlled):
    """Before anything happened every place shows it: what shows nothing would prove nothing.

    Once is enough: the world of each test begins alike.
    """
    if not controlled:
        before = world.answers()
        hidden = [row for row, text in before.items() if not meets(row, text, GONE)]
        assert hidden == []
        controlled.add(world.user)


def gone(world, relearn="block"):
    forget(UUID(world.memory["id"]), relearn=relearn, source="keep", actor=world.herself)


def test_forgotten(world, control, column):
    gone(world, "allow")
    look(column("deletion", "forgotten"), world, world)


def test_with_its_message(world, control, column):
    """What was said in one message goes with it, though another memory was the one to be forgotten."""
    other = world.say("cup", "Has a blue cup.", turn=1).json()["memory"]
    forget(UUID(other["id"]), relearn="allow", source="erase", actor=world.herself)
    look(column("deletion", "with its message"), world, world)


def test_erased(world, control, column):
    gone(world)
    erase_now(UUID(world.memory["id"]), actor=world.herself)
    look(column("deletion", "erased"), world, world)


def test_person_erased(world, control, other, column, monkeypatch):
    with acting_for(world.actor.person_id):
        count = Memory.objects.count()
    erase_person.begin(expected_count=count, actor=world.actor)
    work_now()
    monkeypatch.setattr(World, "retried", lambda self: [])
    look(column("deletion", "person erased"), world, other)


def test_backup_restored(world, control, column, tmp_path):
    count_waiting()
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)
    gone(world)
    erase_now(UUID(world.memory["id"]), actor=world.herself)
    call_command("restore", str(backup), replace=True, verbosity=0)
    world.browser = signed_in(world.herself)
    look(column("deletion", "backup restored"), world, world)


def test_forgotten_since_the_backup(world, control, column, tmp_path):
    count_waiting()
    backup = tmp_path / "backup"
    call_command("backup", str(backup), verbosity=0)
    gone(world)
    call_command("restore", str(backup), replace=True, verbosity=0)
    world.browser = signed_in(world.herself)
    look(column("deletion", "forgotten since the backup"), world, world)
    assert world.say("drink", f"Likes {GONE} tea.").json()["rule"] == "forgotten"


def test_said_again(world, control, column):
    gone(world)
    assert world.say("drink", f"Likes {GONE} tea.").json()["rule"] == "forgotten"
    assert world.say("music", f"Likes {KEPT} jazz.").json()["rule"] == "same_value"
    look(column("deletion", "said again"), world, world)


def test_imported(world, control, column):
    """An export from before brings its neighbour's words, and not these, forgotten or erased."""
    before = file_of(world.herself)
    gone(world)
    erase_now(UUID(world.memory["id"]), actor=world.herself)
    counted = bring(before, world.herself)
    assert (counted.refused, counted.same, counted.brought) == ({"forgotten": 1}, 1, 0)
    look(column("deletion", "imported"), world, world)


def test_new_connections(world, control, column):
    gone(world)
    connection.close()
    connection.close_pool()
    look(column("deletion", "new connections"), world, world)


def test_indexed_anew(world, control, column):
    gone(world)
    with acting_for(world.actor.person_id):
        for memory in Memory.objects.select_related("scope"):
            indexing.index(memory)
    look(column("deletion", "indexed anew"), world, world)


def test_background_jobs(world, control, column):
    gone(world)
    count_waiting()
    maintain()
    maintain(datetime.now(UTC) + timedelta(days=1))
    world.browser = signed_in(world.herself)
    look(column("deletion", "background jobs"), world, world)


def test_exported(world, control, column):
    gone(world)
    exported = export_person(actor=world.herself)
    assert GONE not in str(exported["memories"]) and KEPT in str(exported["memories"])
    assert GONE in str(exported["trash"])
    look(column("deletion", "exported"), world, world)
    erase_now(UUID(world.memory["id"]), actor=world.herself)
    exported = export_person(actor=world.herself)
    assert GONE not in str(exported["memories"]) + str(exported["trash"]) and KEPT in str(exported["memories"])
    assert User.objects.filter(external_id="ada").exists()
