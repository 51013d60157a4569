import pytest

BODY = {"user": "ada", "kind": "preference", "subject": "units", "text": "Metric.", "source": "Metric, please."}


def retry(api, path, body, key="k-1", **headers):
    return api.post(path, body, {"Idempotency-Key": key} | headers)


def test_it_answers_a_retry_with_the_first_answer(api):
    first, second = (retry(api, "/memories", BODY) for _ in range(2))
    assert (first.status_code, second.status_code) == (201, 201)
    assert first.content == second.content
    assert "Idempotent-Replay" not in first
    assert second["Idempotent-Replay"] == "true"
    assert first["X-Request-Id"] != second["X-Request-Id"]
    without = api.post("/memories", BODY)
    assert (without.status_code, without.json()["action"]) == (200, "reconfirmed")
    assert without.json()["memory"]["seen"] == 2


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/memories/batch", {"user": "ada", "candidates": [{k: v for k, v in BODY.items() if k != "user"}]}),
        ("/context", {"user": "ada"}),
        ("/context", {"user": "nobody"}),
        ("/episodes", {"user": "ada", "session": "s", "turns": [{"turn": 1, "role": "user", "content": "Hello."}]}),
        ("/memories/{id}/confirm", None),
        ("/memories/{id}/pause", {}),
        ("/traces/{trace}/answer", {"answer_id": "a-1"}),
    ],
    ids=["batch", "context", "context of nobody", "episodes", "verb", "verb with a body", "answer"],
)
def test_it_takes_a_key_with_every_post(api, remembered, path, body):
    memory = remembered("Imperial.")
    path = path.format(id=memory["id"], trace=api.post("/context", {"user": "ada"}).json()["trace_id"])
    first, second = (retry(api, path, body) for _ in range(2))
    assert first.status_code == 200, first.content
    assert (first.status_code, first.content) == (second.status_code, second.content)
    assert second["Idempotent-Replay"] == "true"


@pytest.mark.parametrize(
    ("path", "body"),
    [("/memories", BODY | {"text": "Imperial."}), ("/context", {"user": "ada"}), ("/memories", BODY | {"user": "ben"})],
    ids=["another body", "another path", "another person"],
)
def test_it_refuses_the_key_for_another_call(api, path, body):
    retry(api, "/memories", BODY)
    response = retry(api, path, body)
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == ["Idempotency-Key"]
    assert api.get("/memories", user="ben").json()["count"] == 0


def test_it_keeps_the_keys_of_two_programs_apart(api, key_of):
    assert retry(api, "/memories", BODY).status_code == 201
    other = retry(key_of("other"), "/memories", BODY)
    assert (other.status_code, other.json()["action"]) == (200, "reconfirmed")
    assert "Idempotent-Replay" not in other


def test_it_keeps_only_successes(api):
    for status in (422, 422):
        assert retry(api, "/memories", BODY | {"turn": -1}).status_code == status
    assert retry(api, "/memories", BODY).status_code == 201
    unknown = "/memories/019f3a52-7c1e-7d30-8a11-5f2b9c0d4e61/pause"
    for _ in range(2):
        response = retry(api, unknown, None, "k-2")
        assert response.status_code == 404
        assert "Idempotent-Replay" not in response


@pytest.mark.parametrize("key", ["", "k" * 129, "é", "a\tb", "\x7f"])
def test_it_refuses_a_key_of_another_form(api, key):
    response = retry(api, "/memories", BODY, key)
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == ["Idempotency-Key"]
    assert api.get("/memories", user="ada").json()["count"] == 0


@pytest.mark.parametrize("key", ["k", "k" * 128, "a b", "{}~!"])
def test_it_takes_any_printable_key(api, key):
    assert retry(api, "/memories", BODY, key).status_code == 201


def test_it_gives_no_forgotten_text_again(api):
    memory = retry(api, "/memories", BODY).json()["memory"]
    api.delete(f"/memories/{memory['id']}")
    replay = retry(api, "/memories", BODY)
    assert replay.status_code == 201
    shown = replay.json()["memory"]
    assert (shown["id"], shown["text"], shown["source"], shown["forgotten"]) == (memory["id"], None, None, True)


def test_it_undoes_what_a_refused_call_began(key_of, api):
    limited = key_of("limited", scopes=["atlas"])
    for headers in ({}, {"Idempotency-Key": "k"}):
        assert limited.post("/memories", BODY | {"scope": "other"}, headers).status_code == 404
    assert api.get("/scopes", user="ada").json()["results"] == []
    assert limited.post("/memories", BODY | {"scope": "atlas"}, {"Idempotency-Key": "k"}).status_code == 201
    names = [row["scope"] for row in api.get("/scopes", user="ada").json()["results"]]
    assert names == ["atlas", "personal"]
