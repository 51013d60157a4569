import pytest

PREFERENCE = {"user": "ada", "kind": "preference", "subject": "units"}


def test_it_answers_with_the_decision_of_the_write_policy(api):
    new = api.post("/memories", PREFERENCE | {"text": "Imperial.", "source": "Imperial.", "session": "s", "turn": 1})
    assert new.status_code == 201
    again = api.post("/memories", PREFERENCE | {"text": "imperial", "source": "Imperial!", "session": "s", "turn": 2})
    assert again.status_code == 200
    other = api.post("/memories", PREFERENCE | {"text": "Metric.", "source": "Metric.", "session": "s", "turn": 3})
    assert other.status_code == 201
    refused = api.post("/memories", PREFERENCE | {"kind": "mood", "text": "Tired.", "source": "Tired."})
    assert refused.status_code == 200
    inferred = api.post("/memories", PREFERENCE | {"subject": "tea", "text": "Likes tea."})
    assert inferred.status_code == 201
    back = api.post("/memories", PREFERENCE | {"retract": True, "source": "Forget that.", "session": "s", "turn": 4})
    assert back.status_code == 200
    answers = [response.json() for response in (new, again, other, refused, inferred, back)]
    assert [(answer["action"], answer["rule"]) for answer in answers] == [
        ("new", "empty_slot"),
        ("reconfirmed", "same_value"),
        ("superseded", "slot_changed"),
        ("rejected", "not_durable"),
        ("pending", "inferred"),
        ("retracted", "retracted"),
    ]
    assert answers[2]["previous"]["text"] == "Imperial."
    assert answers[3]["memory"] is None
    assert all(answer["detail"].endswith(".") for answer in answers)


def test_it_decides_a_batch_in_order(api):
    candidate = {"kind": "preference", "subject": "units"}
    body = {
        "user": "ada",
        "session": "s-1",
        "candidates": [
            candidate | {"text": "Imperial.", "source": "Imperial.", "turn": 1},
            candidate | {"text": "Metric.", "source": "Metric.", "turn": 2},
            candidate | {"kind": "mood", "text": "Tired.", "source": "Tired.", "turn": 3},
            candidate | {"text": "Atlas uses SI.", "source": "SI.", "scope": "atlas", "session": "s-2"},
        ],
    }
    results = api.post("/memories/batch", body).json()["results"]
    assert [(result["index"], result["action"]) for result in results] == [
        (0, "new"), (1, "superseded"), (2, "rejected"), (3, "new"),
    ]  # fmt: skip
    assert [results[place]["memory"]["session"] for place in (1, 3)] == ["s-1", "s-2"]
    assert [results[place]["memory"]["scope"] for place in (1, 3)] == ["personal", "atlas"]


def test_it_pages_through_the_memories_of_one_person(api, remembered):
    ids = [remembered(subject=f"subject {number}")["id"] for number in range(5)]
    remembered(user="ben")
    seen, cursor = [], None
    while True:
        page = api.get("/memories", user="ada", limit=2, **({"cursor": cursor} if cursor else {})).json()
        assert page["count"] == 5
        seen += [row["id"] for row in page["results"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert seen == ids[::-1]


def test_it_narrows_a_list_to_what_is_asked_for(api, remembered):
    tea = remembered("Likes green tea.", subject="tea", scope="kitchen")
    units = remembered()
    fact = remembered("Atlas runs on PostgreSQL.", kind="fact", subject="atlas.db")

    def listed(**query):
        return {row["id"] for row in api.get("/memories", user="ada", **query).json()["results"]}

    assert listed() == {tea["id"], units["id"], fact["id"]}
    assert listed(scope="Kitchen") == {tea["id"]}
    assert listed(scope="unknown") == set()
    assert listed(kind="fact") == {fact["id"]}
    assert listed(origin="stated", q="green") == {tea["id"]}
    assert listed(q="") == listed()
    assert listed(status="paused") == set()
    api.post(f"/memories/{tea['id']}/pause")
    assert listed(status="paused") == {tea["id"]}
    assert listed(status="any") == {tea["id"], units["id"], fact["id"]}


def test_it_lists_what_changed_with_what_was_forgotten(api, remembered):
    memory = remembered()
    api.delete(f"/memories/{memory['id']}")
    assert api.get("/memories", user="ada", status="any").json()["results"] == []
    for query in ({}, {"q": ""}, {"status": "any"}):
        changed = api.get("/memories", user="ada", changed_since="2020-01-01T00:00:00Z", **query).json()
        assert changed["results"] == [{"id": memory["id"], "status": "forgotten"}]


def test_it_forgets_and_restores(api, remembered):
    memory = remembered()
    path = f"/memories/{memory['id']}"
    forgotten = api.delete(path)
    assert forgotten.status_code == 200
    assert forgotten.json() == {
        "id": memory["id"],
        "status": "forgotten",
        "restorable_until": forgotten.json()["restorable_until"],
        "tombstone": False,
    }
    for method, suffix, body in (
        ("GET", "", None),
        ("PATCH", "", {"text": "x"}),
        ("DELETE", "", None),
        ("GET", "/history", None),
        *(("POST", f"/{verb}", None) for verb in ("pause", "resume", "confirm", "pin", "unpin")),
    ):
        assert api.request(method, path + suffix, body, {"If-Match": '"2"'}).status_code == 404, (method, suffix)
    restored = api.post(f"{path}/restore")
    assert restored.status_code == 200
    assert (restored.json()["id"], restored.json()["text"]) == (memory["id"], memory["text"])
    assert api.get(path).status_code == 200


@pytest.mark.parametrize(("relearn", "action"), [("allow", "new"), ("block", "rejected")])
def test_it_learns_again_only_what_it_may(api, remembered, relearn, action):
    memory = remembered()
    forgotten = api.delete(f"/memories/{memory['id']}", relearn=relearn, source="erase").json()
    assert forgotten["tombstone"] is (relearn == "block")
    body = PREFERENCE | {"text": memory["text"], "source": memory["source"]}
    assert api.post("/memories", body).json()["action"] == action


@pytest.mark.parametrize("query", [{"relearn": "maybe"}, {"source": ""}, {"relearn": ""}, {"user": "ada"}])
def test_it_refuses_a_malformed_forget(api, remembered, query):
    memory = remembered()
    assert api.delete(f"/memories/{memory['id']}", **query).status_code == 422
    assert api.get(f"/memories/{memory['id']}").status_code == 200


def test_it_says_when_another_memory_stands_in_the_slot(api, remembered):
    memory = remembered()
    api.delete(f"/memories/{memory['id']}")
    remembered("Imperial.")
    response = api.post(f"/memories/{memory['id']}/restore")
    assert (response.status_code, response.json()["code"]) == (409, "slot_taken")


def test_it_leaves_a_pending_memory_to_the_person(api):
    pending = api.post("/memories", PREFERENCE | {"text": "Metric."}).json()["memory"]
    response = api.post(f"/memories/{pending['id']}/confirm")
    assert (response.status_code, response.json()["code"]) == (409, "person_decides")


@pytest.mark.parametrize(
    ("verbs", "expected"),
    [
        (["pause"], {"status": "paused"}),
        (["pause", "resume"], {"status": "current"}),
        (["pin"], {"pinned": True}),
        (["pin", "unpin"], {"pinned": False}),
        (["confirm"], {"seen": 2}),
    ],
)
def test_it_returns_the_memory_of_each_verb(api, remembered, verbs, expected):
    memory = remembered()
    for verb in verbs:
        response = api.post(f"/memories/{memory['id']}/{verb}")
        assert response.status_code == 200
    shown = response.json()
    assert shown | expected == shown
    assert shown == api.get(f"/memories/{memory['id']}").json()


def test_it_tells_the_history_of_a_memory(api, remembered):
    memory = remembered()
    remembered()
    remembered("Imperial.")
    results = api.get(f"/memories/{memory['id']}/history").json()["results"]
    assert [(row["action"], row["text"]) for row in results] == [
        ("superseded", "Imperial."), ("reconfirmed", memory["text"]), ("new", memory["text"]),
    ]  # fmt: skip
    page = api.get(f"/memories/{memory['id']}/history", limit=2).json()
    rest = api.get(f"/memories/{memory['id']}/history", limit=2, cursor=page["next_cursor"]).json()
    assert page["results"] + rest["results"] == results


def test_it_knows_nothing_of_an_unknown_person_and_makes_nobody(api, django_user_model):
    assert api.get("/memories", user="nobody").json() == {"count": 0, "results": [], "next_cursor": None}
    assert api.get("/subjects", user="nobody").json() == {"results": [], "next_cursor": None}
    assert api.get("/scopes", user="nobody").json()["results"] == []
    found = api.post("/context", {"user": "nobody", "query": "units"}).json()
    assert (found["trace_id"], found["context"], found["memories"]) == (None, "", [])
    assert not django_user_model.objects.exists()


def test_it_lists_slots_and_scopes(api, remembered):
    remembered("Atlas runs on PostgreSQL.", kind="fact", subject="atlas.db")
    remembered()
    assert api.get("/subjects", user="ada").json()["results"] == [
        {"scope": "atlas", "kind": "fact", "subject": "db", "status": "current"},
        {"scope": "personal", "kind": "preference", "subject": "units", "status": "current"},
    ]
    scopes = api.get("/scopes", user="ada").json()
    assert [(row["scope"], row["current"]) for row in scopes["results"]] == [("atlas", 1), ("personal", 1)]


def test_it_sends_context_and_traces_it(api, remembered):
    fact = remembered("Atlas runs on PostgreSQL.", kind="fact", subject="atlas.db")
    units = remembered()
    remembered("Zephyr runs on SQLite.", kind="fact", subject="zephyr.db")
    asked = {"user": "ada", "scope": "atlas", "query": "Which db does atlas run on?", "explain": True}
    found = api.post("/context", asked).json()
    assert {row["id"]: row["why"] for row in found["memories"]} == {fact["id"]: "relevant", units["id"]: "always_on"}
    assert "PostgreSQL" in found["context"]
    assert "SQLite" not in str(found)
    trace = api.get(f"/traces/{found['trace_id']}").json()
    assert (trace["context"], trace["user"], trace["agent"]) == (found["context"], "ada", "bot")
    assert trace["considered"] == found["considered"]
    assert "considered" not in api.post("/context", asked | {"explain": False}).json()


def test_it_joins_one_answer_to_a_trace(api, key_of, remembered):
    remembered()
    trace_id = api.post("/context", {"user": "ada"}).json()["trace_id"]
    joined = api.post(f"/traces/{trace_id}/answer", {"answer_id": "a-1", "model": "m", "text": "Metric."})
    assert joined.json() == {"trace_id": trace_id, "answer_id": "a-1", "model": "m"}
    again = api.post(f"/traces/{trace_id}/answer", {"answer_id": "a-1", "model": "m", "text": "Metric."})
    assert (again.status_code, again.json()) == (200, joined.json())
    other = api.post(f"/traces/{trace_id}/answer", {"answer_id": "a-2"})
    assert (other.status_code, other.json()["code"]) == (409, "answer_taken")
    assert api.get("/answers/a-1").json()["traces"][0]["answer"] == {"answer_id": "a-1", "model": "m"}
    assert key_of("other").get("/answers/a-1").status_code == 404
    assert key_of("stranger", namespace="other").get(f"/traces/{trace_id}").status_code == 404


def test_it_stores_turns_once(api):
    turn = {"turn": 1, "role": "user", "content": "Metric, please."}
    body = {"user": "ada", "session": "s", "turns": [turn]}
    assert api.post("/episodes", body).json() == {"stored": 1, "known": 0, "decisions": None, "job": None}
    assert api.post("/episodes", body).json() == {"stored": 0, "known": 1, "decisions": None, "job": None}
    response = api.post("/episodes", body | {"turns": [turn | {"content": "Imperial."}]})
    assert (response.status_code, response.json()["code"]) == (409, "other_content")
    assert "Imperial" not in response.content.decode()


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/exports?user=ada"), ("GET", "/receipts/1")],
)
def test_it_does_not_know_calls_that_are_not_there(api, method, path):
    response = api.client.generic(method, f"/api/v1{path}", headers={"Authorization": f"Bearer {api.secret}"})
    assert response.status_code == 404
