"""Reading: pages that hold still, filters, search that takes letters as they are, a history that tells the truth."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.services import overview
from memoryapp.services.correct import Changes, correct
from memoryapp.services.errors import Invalid, NotFound
from memoryapp.services.forget import forget
from memoryapp.services.paging import encode_cursor
from memoryapp.services.reading import Filters, history, list_memories, read_memory
from memoryapp.services.states import confirm, pause, pin
from tests.alike import alike

pytestmark = pytest.mark.django_db

NOW = datetime.now(UTC)
LAST_YEAR = NOW - timedelta(days=365)


@pytest.fixture
def page(ada):
    def act(actor=ada, cursor=None, limit=50, **filters):
        return list_memories(Filters(**filters), actor=actor, cursor=cursor, limit=limit)

    return act


@pytest.fixture
def walk(page):
    """All rows, page by page; `between` is called before each further page."""

    def act(limit, between=lambda: None, **filters):
        rows, cursor = [], None
        while True:
            one = page(cursor=cursor, limit=limit, **filters)
            assert len(one["results"]) <= limit
            rows += one["results"]
            cursor = one["next_cursor"]
            if cursor is None:
                return rows
            between()

    return act


def subjects_of(page):
    return {one["subject"] for one in page["results"]}


def gone(memory_id, actor):
    forget(memory_id, relearn="allow", source="keep", actor=actor)


@pytest.fixture
def everyone(remember, propose_one, ada, herself):
    """One memory of each status; its subject is the status."""
    remember("Is current.", subject="current")
    remember("Is pending.", subject="pending", source=None)
    pause(remember("Is paused.", subject="paused")["id"], actor=ada)
    stale = remember("Is stale.", subject="stale")["id"]
    remember("Has ended.", subject="expired")
    remember("Is closed.", subject="closed")
    propose_one(None, subject="closed", retract=True, source="no more")
    gone(remember("Is forgotten.", subject="forgotten")["id"], ada)
    with acting_for(ada.person_id):
        Memory.objects.filter(pk=stale).update(state=State.STALE)
        Memory.objects.filter(subject="expired").update(expires_at=LAST_YEAR)


STATUSES = ("current", "pending", "paused", "stale", "expired", "closed")


def test_each_status_lists_what_stands_so(everyone, page):
    for status in STATUSES:
        listed = page(status=status)
        assert (listed["count"], subjects_of(listed)) == (1, {status})
        assert listed["results"][0]["status"] == status
    assert subjects_of(page()) == {"current"}
    assert (page(status="any")["count"], subjects_of(page(status="any"))) == (6, set(STATUSES))
    assert page(status="forgotten") == {"count": 0, "results": [], "next_cursor": None}


def test_filters_narrow_and_combine(remember, propose_one, page, herself):
    remember("Likes tea.", subject="drink")
    remember("Uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Uses Redis.", kind="fact", subject="atlas.cache", actor=herself, source=None)
    remember("Uses SQLite.", kind="fact", subject="beacon.db")
    for filters, expected in (
        ({}, {"drink", "db", "cache"}),
        ({"scope": "atlas"}, {"db", "cache"}),
        ({"scope": "unknown"}, set()),
        ({"kind": "preference"}, {"drink"}),
        ({"origin": "corrected"}, {"cache"}),
        ({"scope": "atlas", "origin": "stated"}, {"db"}),
        ({"scope": "atlas", "kind": "fact", "q": "redis", "status": "any"}, {"cache"}),
    ):
        assert subjects_of(page(**filters)) == expected, filters
        assert page(**filters)["count"] == len(page(**filters)["results"])


@pytest.fixture
def of_every_letter(remember):
    remember("Likes tea.", subject="drink", source="they told me")
    remember("Uses it.", subject="db", aliases=("k8s", "kube"))
    remember("喜欢寿司。", subject="food")
    remember("Любит борщ.", subject="soup")
    remember("Aime l'été.", subject="season")
    remember("يحب القهوة", subject="coffee")
    remember("Owns 5% of it.", subject="share")
    remember("Writes snake_case.", subject="snake")
    remember("Works in C:\\src.", subject="path")


@alike(
    ("q", "found"),
    [
        pytest.param("TEA", {"drink"}, id="text, any case"),
        pytest.param("db", {"db"}, id="subject"),
        pytest.param("K8S", {"db"}, id="alias"),
        pytest.param("told me", {"drink"}, id="source"),
        pytest.param("寿司", {"food"}, id="Chinese"),
        pytest.param("ЛЮБИТ", {"soup"}, id="Cyrillic, any case"),
        pytest.param("ÉTÉ", {"season"}, id="accents, any case"),
        pytest.param("القهوة", {"coffee"}, id="Arabic"),
        pytest.param("%", {"share"}, id="percent"),
        pytest.param("_", {"snake"}, id="underscore"),
        pytest.param("\\", {"path"}, id="backslash"),
        pytest.param("te_", set(), id="no wildcard for one letter"),
        pytest.param("t%a", set(), id="no wildcard for many"),
        pytest.param("' or 1=1 --", set(), id="quote"),
        pytest.param("drink\nfood", set(), id="line break"),
        pytest.param("nothing like it", set(), id="nothing"),
        pytest.param("", None, id="empty"),
    ],
)
def test_search_takes_every_letter_as_it_is(q, found, of_every_letter, page):
    assert subjects_of(page(q=q)) == (subjects_of(page()) if found is None else found)


def test_aliases_are_searched_one_by_one(remember, page):
    remember("Uses it.", subject="tool", aliases=("one", "two"))
    assert page(q="two")["count"] == 1
    assert page(q="onetwo")["count"] == 0


def test_pages_hold_every_row_once_while_others_are_written(remember, walk, page, ada):
    present = [remember(f"Memory {number}.", subject=f"s{number}")["id"] for number in range(11)]
    made = []

    def between():
        number = len(made)
        made.append(remember(f"Later {number}.", subject=f"later{number}")["id"])
        pin(present[0], actor=ada)
        remember(f"Changed {number}.", subject="s5")

    rows = [one["id"] for one in walk(3, between)]
    assert [one for one in rows if one in present] == present[::-1]
    assert page(limit=3)["count"] == len(present) + len(made)
    assert [one["id"] for one in walk(200)] == [*made[::-1], *present[::-1]]
    assert [one["id"] for one in walk(1)] == [*made[::-1], *present[::-1]]


def test_what_is_forgotten_between_pages_shifts_nothing(remember, walk, ada):
    present = [remember(f"Memory {number}.", subject=f"s{number}")["id"] for number in range(8)]
    lost = [present[7], present[1]]

    def between():
        if lost:
            gone(lost.pop(0), ada)

    rows = [one["id"] for one in walk(3, between)]
    assert rows == [present[i] for i in (7, 6, 5, 4, 3, 2, 0)]


def test_changes_come_oldest_first_with_what_was_forgotten(remember, walk, page, ada):
    ids = [remember(f"Memory {number}.", subject=f"s{number}")["id"] for number in range(5)]
    since = datetime.now(UTC)
    assert page(changed_since=since)["results"] == []
    pin(ids[3], actor=ada)
    gone(ids[1], ada)
    confirm(ids[0], actor=ada)
    pause(ids[4], actor=ada)
    rows = walk(2, changed_since=since)
    assert [one["id"] for one in rows] == [ids[3], ids[1], ids[0], ids[4]]
    assert [one["status"] for one in rows] == ["current", "forgotten", "current", "paused"]
    assert rows[1] == {"id": ids[1], "status": "forgotten"}
    assert page(changed_since=since, limit=1)["count"] == 4
    assert [one["id"] for one in walk(1, changed_since=since, status="forgotten")] == [ids[1]]
    assert page(changed_since=since, q="Memory 1")["results"] == []


def test_a_cursor_of_another_kind_is_refused(remember, page, ada):
    memory = remember("Likes tea.")
    nested = "[" * 9000
    for place in (("x",), ("\0",), ("\ud800",), (), ("a", "b"), (memory["id"], "b"), ("2026-01-01", memory["id"])):
        for filters in ({}, {"changed_since": LAST_YEAR}):
            with pytest.raises(Invalid):
                page(cursor=encode_cursor(*place), **filters)
        with pytest.raises(Invalid):
            overview.subjects(actor=ada, cursor=encode_cursor(*place), limit=9)
        with pytest.raises(Invalid):
            history(memory["id"], actor=ada, cursor=encode_cursor(*place), limit=9)
    for cursor in ("", "!", "é", "AAAA", encode_cursor(nested), "W1tbW1tb" * 5000):
        with pytest.raises(Invalid):
            page(cursor=cursor)
    assert page(changed_since=LAST_YEAR, cursor=encode_cursor("0001-01-01T00:00:00+00:00", memory["id"]))["count"] == 1


def test_a_stranger_reads_nothing(everyone, page, ben, ada):
    nothing = {"count": 0, "results": [], "next_cursor": None}
    for actor in (ben, None):
        assert page(actor=actor, status="any") == nothing
        assert page(actor=actor, changed_since=LAST_YEAR) == nothing
        assert overview.subjects(actor=actor, cursor=None, limit=9)["results"] == []
        assert all(one["current"] == 0 for one in overview.scopes(actor=actor)["results"])
    memory_id = page()["results"][0]["id"]
    assert page(actor=ben, cursor=encode_cursor("f" * 32)) == nothing
    # Ada's id as a place in Ben's list opens nothing of hers.
    assert overview.subjects(actor=ben, cursor=encode_cursor(memory_id), limit=9)["results"] == []


def test_a_key_of_some_scopes_reads_those(remember, page, ada):
    remember("Likes tea.", subject="drink")
    remember("Uses PostgreSQL.", kind="fact", subject="atlas.db")
    limited = replace(ada, scopes=frozenset({"atlas"}))
    assert (page(actor=limited)["count"], subjects_of(page(actor=limited))) == (1, {"db"})
    with pytest.raises(NotFound):
        page(actor=limited, scope="personal")
    assert [one["scope"] for one in overview.scopes(actor=limited)["results"]] == ["atlas"]
    assert [one["scope"] for one in overview.subjects(actor=limited, cursor=None, limit=9)["results"]] == ["atlas"]


def test_subjects_are_the_taken_slots_page_by_page(everyone, remember, ada):
    long = "名" * 200
    remember("長い。", subject=long)
    remember("Likes jazz.", subject="current", source=None)  # waits behind what stands there
    remember("Uses PostgreSQL.", kind="fact", subject="atlas.db")
    rows, cursor = [], None
    while True:
        page = overview.subjects(actor=ada, cursor=cursor, limit=1)
        rows += page["results"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
        assert len(cursor) <= 512
    assert {one["subject"]: one["status"] for one in rows} == {
        "db": "current", "current": "current", "pending": "pending", "paused": "paused", "stale": "stale",
        "expired": "expired", long: "current",
    }  # fmt: skip
    assert len(rows) == 7 and rows[0] == {"scope": "atlas", "kind": "fact", "subject": "db", "status": "current"}
    assert overview.subjects(actor=ada, cursor=None, limit=9)["results"] == rows


def test_scopes_count_what_they_hold(everyone, ada):
    (personal,) = overview.scopes(actor=ada)["results"]
    assert personal == {
        "scope": "personal", "learning": True, "use": True, "current": 1, "pending": 1, "paused": 1, "stale": 1,
    }  # fmt: skip


# --- history


def test_history_tells_what_was_said_when_and_by_whom(remember, propose_one, ada, herself):
    first = remember("Likes tea.", source="tea please", turn=1, session="s", occurred_at=LAST_YEAR)
    remember("Likes tea.", source="tea again", turn=4, session="s", occurred_at=LAST_YEAR + timedelta(hours=1))
    pin(first["id"], actor=ada)
    second = remember("Likes coffee.", source="coffee now")
    correct(first["id"], Changes(text="Likes milk."), expected_version=second["version"], actor=herself)
    confirm(first["id"], actor=herself)
    propose_one(None, retract=True, source="never mind")

    entries = history(first["id"], actor=ada, cursor=None, limit=9)["results"]
    shown = [(one["action"], one["text"], one["source"], one["turn"], one["actor"]) for one in entries[::-1]]
    assert shown == [
        ("new", "Likes tea.", "tea please", 1, "bot"),
        ("reconfirmed", "Likes tea.", "tea again", 4, "bot"),
        ("superseded", "Likes coffee.", "coffee now", None, "bot"),
        ("superseded", "Likes milk.", None, None, "person"),
        ("reconfirmed", "Likes milk.", None, None, "person"),
        ("retracted", "Likes milk.", "never mind", None, "bot"),
    ]
    times = [one["recorded_at"] for one in entries[::-1]]
    assert times == sorted(times)
    tea, again, coffee, milk, still, back = entries[::-1]
    assert tea["valid_from"] == first["valid_from"]
    # What pinning made of it is another version of the same value: its end shows on every entry of that value.
    assert tea["valid_to"] == again["valid_to"] == coffee["valid_from"]
    assert coffee["valid_to"] == milk["valid_from"]
    assert milk["valid_to"] == still["valid_to"] == back["valid_to"] > milk["valid_from"]


def test_history_comes_in_pages(remember, ada):
    for number in range(7):
        memory_id = remember(f"Number {number}.")["id"]
    whole = history(memory_id, actor=ada, cursor=None, limit=200)["results"]
    assert [one["text"] for one in whole] == [f"Number {number}." for number in range(6, -1, -1)]
    rows, cursor = [], None
    while True:
        page = history(memory_id, actor=ada, cursor=cursor, limit=3)
        rows += page["results"]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert rows == whole


def test_what_was_only_ever_past_shows_its_days(remember, ada):
    remember("Eats meat.", subject="diet")
    past = remember("Ate fish.", subject="diet", valid_from=LAST_YEAR - timedelta(days=9), valid_to=LAST_YEAR)
    again = remember("Ate kelp.", subject="diet", valid_from=LAST_YEAR - timedelta(days=9), valid_to=LAST_YEAR)
    entries = history(past["id"], actor=ada, cursor=None, limit=9)["results"]
    assert again["id"] == past["id"]
    assert [(one["action"], one["text"]) for one in entries] == [("recorded", "Ate kelp."), ("recorded", "Ate fish.")]
    assert {one["valid_to"] for one in entries} == {LAST_YEAR.isoformat().replace("+00:00", "Z")}
    assert read_memory(past["id"], actor=ada)["status"] == "closed"
