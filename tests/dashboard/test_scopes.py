"""Scopes: renamed, merged, forgotten as a whole with their count."""

import pytest

from memoryapp.services.detail import memory_detail
from memoryapp.services.switches import read_switches
from memoryapp.services.trash import trash

pytestmark = pytest.mark.django_db


@pytest.fixture
def facts(remember):
    db = remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    auth = remember("Atlas uses cookies.", kind="fact", scope="atlas", subject="auth")
    other = remember("Beacon uses MySQL.", kind="fact", scope="beacon", subject="db")
    return db, auth, other


def names(actor):
    return {scope.name: scope.memories for scope in read_switches(actor=actor).scopes}


def test_it_is_renamed(hers, his, facts, herself):
    assert "2 memories are kept here." in hers.get("/settings/scopes/atlas/").text
    answer = hers.post("/settings/scopes/atlas/", {"name": "Titan"})
    assert (answer.status_code, answer["Location"]) == (303, "/settings/scopes/titan/")
    assert names(herself) == {"personal": 0, "beacon": 1, "titan": 2}
    assert his.get("/settings/scopes/titan/").status_code == 404
    assert his.post("/settings/scopes/titan/", {"name": "mine"}).status_code == 404


@pytest.mark.parametrize(
    ("scope", "name", "says"),
    [("atlas", "no spaces", "Use letters"), ("atlas", "beacon", "Merge the two"), ("personal", "me", "keeps its name")],
)
def test_it_a_name_that_cannot_be_is_said(hers, facts, herself, scope, name, says):
    before = names(herself)
    for send in (hers.post, hers.press):
        answer = send(f"/settings/scopes/{scope}/", {"name": name})
        assert answer.status_code == 422
        assert says in answer.text or scope == "personal"
    assert names(herself) == before


def test_it_merging_moves_all_but_what_clashes(hers, his, facts, herself):
    db, auth, _other = facts
    page = hers.get("/settings/scopes/atlas/merge/?into=beacon").text
    assert "1 memory moves" in page and "Atlas uses PostgreSQL." in page and "Beacon uses MySQL." in page
    assert his.get("/settings/scopes/atlas/merge/?into=beacon").status_code == 404
    assert hers.get("/settings/scopes/atlas/merge/?into=nowhere").status_code == 404
    answer = hers.post("/settings/scopes/atlas/merge/", {"into": "beacon", "expected_count": "2"})
    assert answer.status_code == 303 and answer["Location"].startswith("/memories/bulk/")
    scope_of = {row["id"]: memory_detail(row["id"], actor=herself).memory.scope for row in (db, auth)}
    assert scope_of == {db["id"]: "atlas", auth["id"]: "beacon"}


def test_it_forgetting_it_needs_the_count_that_was_shown(hers, his, facts, remember, herself):
    page = hers.get("/settings/scopes/atlas/forget/").text
    assert "Forget 2 memories" in page and 'value="2"' in page
    remember("Atlas has a cat.", kind="fact", scope="atlas", subject="cat")
    for send in (hers.post, hers.press):
        answer = send("/settings/scopes/atlas/forget/", {"expected_count": "2"})
        assert answer.status_code == 409 and "Forget 3 memories" in answer.text
    assert his.post("/settings/scopes/atlas/forget/", {"expected_count": "3"}).status_code == 404
    assert names(herself)["atlas"] == 3
    done = hers.post("/settings/scopes/atlas/forget/", {"expected_count": "3"})
    assert done.status_code == 303
    assert (names(herself)["atlas"], names(herself)["beacon"], trash(actor=herself).count) == (0, 1, 3)
    assert "Undo" in hers.get(done["Location"]).text
