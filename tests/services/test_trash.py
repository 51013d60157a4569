"""The trash: what was forgotten, brought back one by one, or erased at once."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Decision, Episode, IdempotencyRecord, Memory, MemoryVersion, Tombstone
from memoryapp.services.by_person import SlotTaken
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.forget import forget
from memoryapp.services.idempotency import once
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.traces import read_trace
from memoryapp.services.trash import bring_back, trash

pytestmark = pytest.mark.django_db


@pytest.fixture
def drop(herself):
    """Forgets as the person."""

    def act(memory, actor=herself, relearn="allow"):
        forget(UUID(memory["id"]), relearn=relearn, source="keep", actor=actor)
        return UUID(memory["id"])

    return act


@pytest.fixture
def stranger(ben):
    return replace(ben, kind="person", key_id=None)


def test_it_lists_what_was_forgotten_latest_first(remember, drop, ada, herself, stranger, settings):
    first = drop(remember("Likes tea."), relearn="block")
    second = drop(remember("Likes rum.", subject="spirit"), actor=ada)
    page = trash(actor=herself)
    assert [(one.id, one.by, one.agent, one.is_barred) for one in page.items] == [
        (second, "agent", "bot", False), (first, "person", None, True),
    ]  # fmt: skip
    assert page.items[0].restorable_until - page.items[0].forgotten_at == timedelta(days=settings.MEMORY_TRASH_DAYS)
    assert (page.items[1].memory.text, page.count, page.older) == ("Likes tea.", 2, None)
    assert trash(actor=stranger).items == ()


def test_pages_follow_each_other(remember, drop, herself):
    ids = [drop(remember(f"Has {number}.", subject=f"n{number}")) for number in range(5)][::-1]
    page = trash(actor=herself, limit=2)
    seen = [*page.items]
    while page.older:
        page = trash(actor=herself, cursor=page.older, limit=2)
        seen += page.items
    assert [one.id for one in seen] == ids


def test_what_is_past_its_time_is_not_offered(remember, drop, herself, settings):
    memory_id = drop(remember("Likes tea."))
    with acting_for(herself.opened):
        Memory.objects.update(forgotten_at=datetime.now(UTC) - timedelta(days=settings.MEMORY_TRASH_DAYS, seconds=1))
    assert trash(actor=herself).count == 0
    with pytest.raises(NotFound):
        bring_back(memory_id, actor=herself)


def test_two_are_forgotten_and_one_comes_back(remember, drop, propose_one, herself):
    one, two = remember("Likes tea."), remember("Likes rum.", subject="spirit")
    drop(one, relearn="block")
    drop(two, relearn="block")
    assert bring_back(UUID(one["id"]), actor=herself).status == "current"
    assert [str(item.id) for item in trash(actor=herself).items] == [two["id"]]
    assert propose_one("Likes tea.").action == "reconfirmed"
    assert propose_one("Likes rum.", subject="spirit").rule == "forgotten"


def test_what_stands_in_its_place_is_shown(remember, drop, herself):
    memory_id = drop(remember("Likes tea."))
    other = remember("Likes rum.")
    with pytest.raises(SlotTaken) as caught:
        bring_back(memory_id, actor=herself)
    assert str(caught.value.other.id) == other["id"]
    assert trash(actor=herself).count == 1


def test_it_is_for_the_person_alone(remember, drop, ada, herself, stranger):
    memory_id = drop(remember("Likes tea."))
    for verb in (bring_back, erase_now):
        with pytest.raises(NotFound):
            verb(memory_id, actor=stranger)
        with pytest.raises(Conflict):
            verb(memory_id, actor=ada)
    assert trash(actor=herself).count == 1


def test_the_number_of_queries_does_not_grow(remember, drop, herself):
    def queries():
        with CaptureQueriesContext(connection) as seen:
            trash(actor=herself)
        return len(seen)

    drop(remember("Likes tea."))
    before = queries()
    for number in range(5):
        drop(remember(f"Has {number}.", subject=f"n{number}"))
    assert queries() == before


def test_erasing_leaves_nothing_of_it_and_all_of_its_neighbour(remember, drop, propose_one, ada, herself):
    store_turns(session="s", scope=None, turns=[Turn(1, "user", "tea please"), Turn(2, "user", "and rum")], actor=ada)

    def answer():
        memory = propose_one("Likes tea.", source="tea please", session="s", turn=1).memory
        return 200, {"results": [{"action": "new", "memory": memory, "previous": None}]}, ada.person_id

    once(key_id=ada.key_id, key="k", fingerprint=b"f", act=answer)
    neighbour = remember("Likes rum.", subject="spirit", source="and rum", session="s", turn=2)
    memory = remember("Likes tea.")
    sent = recall(ContextRequest(query="tea"), actor=ada)
    forget(UUID(memory["id"]), relearn="block", source="erase", actor=herself)
    erase_now(UUID(memory["id"]), actor=herself)

    with acting_for(herself.opened):
        assert list(Memory.objects.values_list("text", flat=True)) == ["Likes rum."]
        assert list(MemoryVersion.objects.values_list("text", flat=True)) == ["Likes rum."]
        assert Decision.objects.get().memory_id == UUID(neighbour["id"])
        assert [episode.content for episode in Episode.objects.all()] == ["and rum"]
        assert "tea" not in str(IdempotencyRecord.objects.get().body)
        assert Tombstone.objects.get().memory_id is None
        last = AuditEvent.objects.latest("seq")
        assert (last.verb, str(last.object_id)) == ("erase", memory["id"])
    trace = read_trace(UUID(sent["trace_id"]), actor=ada)
    assert "Likes tea." not in trace["context"] and "Likes rum." in trace["context"]
    assert propose_one("Likes tea.").rule == "forgotten"
    assert trash(actor=herself).count == 0
    with pytest.raises(NotFound):
        erase_now(UUID(memory["id"]), actor=herself)


def test_what_is_not_forgotten_is_not_erased(remember, herself):
    memory = remember("Likes tea.")
    with pytest.raises(NotFound):
        erase_now(UUID(memory["id"]), actor=herself)
