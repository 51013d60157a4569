from datetime import UTC, datetime, timedelta

import pytest

from accounts.actors import Actor
from accounts.models import User
from memoryapp.services.keys import revoke_key

CANDIDATE = {"kind": "preference", "subject": "units", "text": "Metric.", "source": "Metric, please."}


def unauthenticated(response):
    assert response.status_code == 401
    assert response["WWW-Authenticate"] == "Bearer"
    body = response.json()
    assert body.pop("request_id")
    return body


def test_it_refuses_all_bad_keys_in_the_same_words(nobody, api, key_of):
    expired = key_of("expired", expires_at=datetime.now(UTC) - timedelta(seconds=1))
    revoked = key_of("revoked")
    assert revoked.get("/me").status_code == 200
    revoke_key(revoked.key, actor=Actor("system"))
    other = api.secret[:-1] + ("a" if api.secret[-1] != "a" else "b")
    headers = [
        {},
        {"Authorization": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer "},
        {"Authorization": f"Basic {api.secret}"},
        {"Authorization": "Bearer nonsense"},
        {"Authorization": "Bearer mem_aaaaaaaaaaaa_" + "a" * 43},
        {"Authorization": f"Bearer {other}"},
        {"Authorization": f"Bearer {api.secret} {api.secret}"},
        {"Authorization": f"Bearer {expired.secret}"},
        {"Authorization": f"Bearer {revoked.secret}"},
        {"Authorization": "Bearer \xff\xfe"},
        {"Cookie": f"sessionid={api.secret}"},
    ]
    bodies = [unauthenticated(nobody.get("/me", headers=header)) for header in headers]
    assert all(body == bodies[0] for body in bodies)
    assert api.get("/me").status_code == 200


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_it_takes_the_scheme_in_any_case(nobody, api, scheme):
    assert nobody.get("/me", headers={"Authorization": f"{scheme} {api.secret}"}).status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/me"),
        ("GET", "/memories"),
        ("POST", "/memories"),
        ("POST", "/memories/batch"),
        ("GET", "/memories/nonsense"),
        ("PATCH", "/memories/nonsense"),
        ("DELETE", "/memories/nonsense"),
        ("POST", "/memories/nonsense/restore"),
        ("GET", "/subjects"),
        ("GET", "/scopes"),
        ("POST", "/context"),
        ("GET", "/traces/nonsense"),
        ("POST", "/traces/nonsense/answer"),
        ("GET", "/answers/nonsense"),
        ("POST", "/episodes"),
    ],
)
def test_it_asks_for_a_key_before_anything_else(nobody, db, method, path):
    unauthenticated(nobody.request(method, path, b"{"))


def test_it_shows_a_service_key_to_its_holder(key_of):
    until = datetime(2099, 1, 1, tzinfo=UTC)
    api = key_of("bot", namespace="acme", can_write=False, scopes=["atlas"], expires_at=until)
    assert api.get("/me").json() == {
        "name": "bot",
        "kind": "service",
        "namespace": "acme",
        "user": None,
        "can_write": False,
        "scopes": ["atlas"],
        "expires_at": "2099-01-01T00:00:00Z",
    }


def test_it_shows_a_personal_key_to_its_holder(personal):
    me = personal.get("/me").json()
    assert (me["kind"], me["user"], me["scopes"], me["expires_at"]) == ("personal", "ada", None, None)


@pytest.mark.parametrize(
    ("method", "suffix", "body"),
    [
        ("POST", "/memories", {"user": "ada", **CANDIDATE}),
        ("POST", "/memories", {"nonsense": True}),
        ("POST", "/memories/batch", {"user": "ada", "candidates": [CANDIDATE]}),
        ("POST", "/episodes", {"user": "ada", "session": "s", "turns": [{"turn": 1, "role": "user", "content": "x"}]}),
        ("PATCH", "/memories/{id}", {"text": "Imperial."}),
        ("DELETE", "/memories/{id}", None),
        *(
            ("POST", f"/memories/{{id}}/{verb}", None)
            for verb in ("pause", "resume", "confirm", "pin", "restore", "undispute")
        ),
        ("DELETE", "/memories/nonsense", None),
    ],
)
def test_it_lets_a_read_only_key_write_nothing(key_of, remembered, api, method, suffix, body):
    memory = remembered()
    reader = key_of("reader", can_write=False)
    response = reader.request(method, suffix.format(id=memory["id"]), body, {"If-Match": '"1"'})
    assert response.status_code == 403
    assert response.json()["detail"] == "This key may not write."
    assert api.get(f"/memories/{memory['id']}").json() == memory


def test_it_lets_a_read_only_key_read_and_ask(key_of, remembered):
    memory = remembered()
    reader = key_of("reader", can_write=False)
    assert reader.get(f"/memories/{memory['id']}").json() == memory
    found = reader.post("/context", {"user": "ada"})
    assert found.status_code == 200
    joined = reader.post(f"/traces/{found.json()['trace_id']}/answer", {"answer_id": "a-1"})
    assert joined.status_code == 200


def test_it_lets_a_personal_key_leave_the_person_out(personal, api):
    assert personal.get("/memories").json() == api.get("/memories", user="ada").json()
    assert personal.get("/memories", user="ada").json()["count"] == 1
    assert personal.post("/memories", {**CANDIDATE, "subject": "tea"}).status_code == 201
    assert api.get("/memories", user="ada").json()["count"] == 2


@pytest.mark.parametrize("user", ["ben", "Ada", "ada ", "nobody-knows"])
def test_it_lets_a_personal_key_name_nobody_else(personal, remembered, user):
    theirs = remembered(user="ben")
    assert personal.get("/memories", user=user).status_code == 404
    assert personal.post("/memories", {"user": user, **CANDIDATE}).status_code == 404
    assert personal.post("/context", {"user": user}).status_code == 404
    assert personal.get(f"/memories/{theirs['id']}").status_code == 404
    assert not User.objects.filter(external_id="nobody-knows").exists()


def test_it_keeps_namespaces_apart(key_of, remembered):
    memory = remembered()
    stranger = key_of("stranger", namespace="other")
    assert stranger.get("/memories", user="ada").json()["count"] == 0
    for method, suffix, body in (
        ("GET", "", None),
        ("PATCH", "", {"text": "Imperial."}),
        ("DELETE", "", None),
        ("GET", "/history", None),
        *(
            ("POST", f"/{verb}", None)
            for verb in ("restore", "pause", "resume", "confirm", "pin", "unpin", "undispute")
        ),
    ):
        response = stranger.request(method, f"/memories/{memory['id']}{suffix}", body, {"If-Match": '"1"'})
        assert response.status_code == 404, (method, suffix)
    assert stranger.post("/memories", {"user": "ada", **CANDIDATE}).status_code == 201
    assert User.objects.filter(external_id="ada").count() == 2
