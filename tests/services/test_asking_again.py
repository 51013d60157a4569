"""The same request again, now or as of an instant: added, removed, in another place; and nothing is noted."""

import uuid
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import RetrievalTrace
from memoryapp.services.asking_again import _moved, ask_again
from memoryapp.services.by_person import EditFields
from memoryapp.services.edit import edit
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pause, pin
from memoryapp.services.switches import set_use

pytestmark = pytest.mark.django_db

SAME = {"kind": "fact", "scope": "atlas"}


@pytest.fixture
def rows(remember):
    return {
        "db": remember("Atlas uses a PostgreSQL database.", subject="db", **SAME),
        "backup": remember("The Atlas database is backed up every night.", subject="backup", **SAME),
        "tea": remember("Likes tea.", subject="drink"),
    }


@pytest.fixture
def asked(rows, ada):
    sent = recall(ContextRequest(scopes=("atlas",), query="Which database does Atlas use?"), actor=ada)
    assert len(sent["memories"]) == 3
    return uuid.UUID(sent["trace_id"])


def changes(again, rows):
    names = {uuid.UUID(row["id"]): name for name, row in rows.items()}
    return {names[one.memory_id]: one.change for one in again.compared}


def test_unchanged_it_is_the_same_to_the_byte(asked, rows, herself):
    for as_of in (None, datetime.now(UTC)):
        again = ask_again(asked, actor=herself, as_of=as_of)
        assert again.is_same and set(changes(again, rows).values()) == {"kept"}
        assert [one.place_then for one in again.compared] == [one.place_again for one in again.compared] == [1, 2, 3]


def test_what_came_and_went_since(asked, rows, herself, remember):
    rows["replica"] = remember("The Atlas database uses a replica.", subject="replica", **SAME)
    forget(uuid.UUID(rows["db"]["id"]), relearn="allow", source="keep", actor=herself)
    pause(rows["tea"]["id"], actor=herself)
    again = ask_again(asked, actor=herself)
    assert changes(again, rows) == {"replica": "added", "db": "removed", "tea": "removed", "backup": "kept"}
    assert (again.count("added"), again.count("removed"), again.is_same) == (1, 2, False)
    added = next(one for one in again.compared if one.change == "added")
    assert (added.then, added.again.offered.text) == (None, "The Atlas database uses a replica.")
    gone = next(one for one in again.compared if one.memory_id == uuid.UUID(rows["db"]["id"]))
    assert (gone.then.text, gone.then.since, gone.again) == (None, "forgotten", None)


def test_as_of_then_it_does_not_know_what_came_later(asked, rows, herself, remember):
    then = datetime.now(UTC)
    rows["replica"] = remember("The Atlas database uses a replica.", subject="replica", **SAME)
    assert changes(ask_again(asked, actor=herself), rows)["replica"] == "added"
    again = ask_again(asked, actor=herself, as_of=then)
    assert "replica" not in changes(again, rows) and again.is_same


def test_a_correction_is_the_same_memory_in_other_words(asked, rows, herself):
    row = rows["db"]
    fields = EditFields(text="Atlas uses a MySQL database.", kind="fact", subject="db", scope="atlas", aliases=())
    edit(uuid.UUID(row["id"]), fields, expected_version=row["version"], actor=herself)
    again = ask_again(asked, actor=herself)
    reworded = [one for one in again.compared if one.is_reworded]
    assert [str(one.memory_id) for one in reworded] == [row["id"]]
    assert "MySQL" in again.outcome.context and "PostgreSQL" in again.view.block


def test_a_pinned_one_moves_to_the_front(asked, rows, herself):
    pin(rows["backup"]["id"], actor=herself)
    again = ask_again(asked, actor=herself)
    assert [one.change for one in again.compared].count("moved") == 1
    assert again.compared[0].place_again == 1


def test_it_keeps_the_settings_of_the_request(remember, ada, herself, rows):
    sent = recall(
        ContextRequest(scopes=("atlas",), query="Which database?", budget_chars=150, floor=0, limit=1, kinds=("fact",)),
        actor=ada,
    )
    again = ask_again(uuid.UUID(sent["trace_id"]), actor=herself)
    assert again.is_same and again.outcome.context == sent["context"]
    assert again.outcome.withheld == sent["withheld"]


def test_nothing_is_noted_of_it(asked, rows, ada, herself, django_capture_on_commit_callbacks):
    def noted(act):
        with django_capture_on_commit_callbacks() as uses:
            act()
        with acting_for(herself.opened):
            return RetrievalTrace.objects.count(), len(uses)

    assert noted(lambda: ask_again(asked, actor=herself)) == (1, 0)
    assert noted(lambda: recall(ContextRequest(scopes=("atlas",), query="database"), actor=ada)) == (2, 1)


def test_with_use_off_all_would_be_gone(asked, rows, herself):
    set_use(False, actor=herself)
    again = ask_again(asked, actor=herself)
    assert again.outcome.notice == "use_off" and set(changes(again, rows).values()) == {"removed"}


def test_a_stranger_may_not_ask(asked, ben, herself):
    assert ask_again(asked, actor=herself).compared
    with pytest.raises(NotFound):
        ask_again(asked, actor=replace(ben, kind="person", key_id=None))


@pytest.mark.parametrize(
    ("before", "after", "moved"),
    [
        pytest.param("abc", "abc", "", id="none"),
        pytest.param("abcd", "bcda", "a", id="first-to-last"),
        pytest.param("abcd", "dabc", "d", id="last-to-first"),
        pytest.param("", "", "", id="empty"),
    ],
)
def test_only_what_left_its_run_has_moved(before, after, moved):
    ids = {letter: uuid.UUID(int=ord(letter)) for letter in "abcd"}
    assert _moved([ids[one] for one in before], [ids[one] for one in after]) == {ids[one] for one in moved}
