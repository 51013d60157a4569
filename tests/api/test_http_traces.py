"""Traces and answers over HTTP: only for whom the key may act, and gone for agents is gone in the replay too."""

import pytest

from accounts.models import User

PERSON = "mira"
"""No id can hold this name, as ids are hexadecimal."""

OWN = {
    "owner": ({}, 200),
    "same-namespace": ({"name": "second"}, 200),
    "other-namespace": ({"name": "elsewhere", "namespace": "elsewhere"}, 404),
    "other-scopes": ({"name": "narrow", "scopes": ["beacon"]}, 404),
    "without-the-personal-scope": ({"name": "project", "scopes": ["atlas"]}, 404),
    "right-scopes": ({"name": "wide", "scopes": ["atlas", "personal"]}, 200),
    "hers": ({"name": "laptop", "person": PERSON}, 200),
    "hers-for-another-scope": ({"name": "phone", "person": PERSON, "scopes": ["beacon"]}, 404),
    "his": ({"name": "his", "person": "ben"}, 404),
}


@pytest.fixture
def told(api, remembered):
    """A retrieval of hers that sent one memory of Atlas and one personal one."""
    remembered(text="Likes tea.", subject="drink", source="Likes tea.", user=PERSON)
    uses = "Atlas uses PostgreSQL."
    remembered(text=uses, kind="fact", subject="db", scope="atlas", source=uses, user=PERSON)
    api.post("/memories", {"user": "ben", "text": "Likes rum.", "kind": "preference", "subject": "x", "source": "rum"})
    found = api.post("/context", {"user": PERSON, "scope": "atlas", "query": "PostgreSQL"}).json()
    assert len(found["memories"]) == 2
    return found


def program(api, key_of, options):
    if not options:
        return api
    person = options.get("person")
    return key_of(**options | ({"person": User.objects.get(external_id=person)} if person else {}))


@pytest.mark.parametrize(("options", "status"), OWN.values(), ids=OWN)
def test_a_key_reads_and_joins_only_what_it_may_act_for(options, status, told, api, key_of):
    other = program(api, key_of, options)
    read = other.get(f"/traces/{told['trace_id']}")
    assert read.status_code == status
    if status == 200:
        assert read.json()["context"] == told["context"]
    else:
        for word in ("PostgreSQL", "tea", PERSON):
            assert word not in read.content.decode()
    assert other.post(f"/traces/{told['trace_id']}/answer", {"answer_id": "a-1"}).status_code == status


@pytest.mark.parametrize("options", [one for one, _ in list(OWN.values())[1:]], ids=list(OWN)[1:])
def test_an_answer_is_its_agents_own(options, told, api, key_of):
    assert api.post(f"/traces/{told['trace_id']}/answer", {"answer_id": "a-1"}).status_code == 200
    assert [one["id"] for one in api.get("/answers/a-1").json()["traces"]] == [told["trace_id"]]
    assert program(api, key_of, options).get("/answers/a-1").status_code == 404


def test_what_is_paused_or_forgotten_since_is_a_gap_for_agents(told, api):
    db = next(one for one in told["memories"] if one["subject"] == "db")
    for act, gap in ((lambda: api.post(f"/memories/{db['id']}/pause"), "paused"),
                     (lambda: api.delete(f"/memories/{db['id']}"), "forgotten")):  # fmt: skip
        assert act().status_code == 200
        replay = api.get(f"/traces/{told['trace_id']}").json()["context"]
        assert replay == told["context"].replace("Atlas uses PostgreSQL.", f"[not shown: {gap}]")
        assert "Likes tea." in replay


def test_the_trace_tells_agents_nothing_of_what_was_held_back(told, api):
    db = next(one for one in told["memories"] if one["subject"] == "db")
    api.post(f"/memories/{db['id']}/pause")
    found = api.post("/context", {"user": PERSON, "scope": "atlas", "query": "PostgreSQL", "kinds": ["fact"]}).json()
    assert found["withheld"]["paused"] == 1
    trace = api.get(f"/traces/{found['trace_id']}").json()
    assert trace["withheld"]["paused"] == 1 and trace["considered"] == []
    assert db["id"] not in str(trace) and "held" not in trace
