import logging

import psycopg
import pytest
from django.db import InterfaceError, OperationalError
from psycopg_pool import PoolTimeout

from memoryapp.services import overview, reading

PROBLEM = {"type", "title", "status", "detail", "request_id", "errors"}
A_MEMORY = "/memories/019f3a52-7c1e-7d30-8a11-5f2b9c0d4e61"


def assert_problem(response, status):
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/problem+json"
    body = response.json()
    assert set(body) >= PROBLEM
    assert body["status"] == status
    assert body["request_id"] == response["X-Request-Id"]
    assert response["Cache-Control"] == "no-store"
    return body


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "DELETE", "OPTIONS"])
@pytest.mark.parametrize("path", ["/nothing", "", "/", "/memories//", "/exports", "/me.json", "/answers/"])
def test_it_answers_unknown_addresses_with_a_problem(nobody, settings, method, path, debug):
    settings.DEBUG = debug
    assert_problem(nobody.request(method, path), 404)


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v2/me"])
def test_it_answers_addresses_above_the_api_with_a_problem(nobody, path):
    response = nobody.client.get(path)
    assert response.status_code == 404
    assert response["Content-Type"] == "application/problem+json"


def test_it_answers_addresses_elsewhere_with_a_page(nobody):
    response = nobody.client.get("/elsewhere")
    assert response.status_code == 404
    assert response["Content-Type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/me", {"GET", "HEAD"}),
        ("OPTIONS", "/me", {"GET", "HEAD"}),
        ("DELETE", "/memories", {"GET", "HEAD", "POST"}),
        ("GET", "/memories/batch", {"POST"}),
        ("POST", A_MEMORY, {"GET", "HEAD", "PATCH", "DELETE"}),
        ("GET", A_MEMORY + "/pause", {"POST"}),
        ("GET", "/context", {"POST"}),
        ("TRACE", "/context", {"POST"}),
    ],
)
def test_it_names_the_methods_that_are_allowed(api, method, path, allowed):
    response = api.request(method, path)
    assert_problem(response, 405)
    assert set(response["Allow"].split(", ")) == allowed


def test_it_answers_head_like_get(api):
    assert api.request("HEAD", "/me").status_code == 200


@pytest.mark.parametrize(
    ("accept", "status"),
    [
        ("text/html", 406),
        ("application/xml, text/*;q=0.9", 406),
        ("application/json;q=0", 406),
        ("*/*, application/json;q=0, application/problem+json;q=0", 406),
        ("nonsense", 406),
        ("application/json;q=x", 406),
        ("*/*", 200),
        ("", 200),
        ("application/*;q=0.1", 200),
        ("application/problem+json", 200),
        ("APPLICATION/JSON; charset=utf-8", 200),
        ("text/html, application/xhtml+xml, */*;q=0.8", 200),
    ],
)
def test_it_answers_only_callers_that_take_json(api, accept, status):
    response = api.get("/me", headers={"Accept": accept})
    assert response.status_code == status
    if status == 406:
        assert_problem(response, 406)


@pytest.mark.parametrize("host", ["evil.example", "", "a b", "[::1"])
def test_it_refuses_hosts_that_are_not_ours(nobody, host):
    assert_problem(nobody.client.get("/api/v1/me", headers={"Host": host}), 400)


@pytest.mark.parametrize(
    "path",
    ["/memories/%00", "/answers/a%00b", "/answers/%ff", "/answers/%ed%a0%80", "/nothing%00"],
    ids=["nul", "nul inside", "not UTF-8", "half a surrogate pair", "unknown address"],
)
def test_it_refuses_paths_that_are_not_text(api, path):
    assert_problem(api.get(path), 400)


@pytest.mark.parametrize("query", ["user=%00", "user=a%ff", "user=%ed%a0%80", "%00=1", "user=ada&q=%C3"])
def test_it_refuses_queries_that_are_not_text(api, query):
    assert_problem(api.client.get(f"/api/v1/memories?{query}", headers={"Authorization": f"Bearer {api.secret}"}), 400)


def test_it_refuses_a_query_of_very_many_parameters(api):
    query = "&".join(f"a{number}=1" for number in range(2_000))
    response = api.client.get(f"/api/v1/me?{query}", headers={"Authorization": f"Bearer {api.secret}"})
    assert_problem(response, 400)


@pytest.mark.parametrize("bad", ["nonsense", "1", "{019f3a52-7c1e-7d30-8a11-5f2b9c0d4e61}", "é", "0" * 300])
def test_it_takes_a_bad_id_for_an_unknown_one(api, bad):
    for method, suffix, body in (
        ("GET", "", None),
        ("PATCH", "", {"text": "x"}),
        ("DELETE", "", None),
        ("GET", "/history", None),
        ("POST", "/pause", None),
        ("POST", "/restore", None),
    ):
        assert_problem(api.request(method, f"/memories/{bad}{suffix}", body), 404)
    assert_problem(api.get(f"/traces/{bad}"), 404)
    assert_problem(api.post(f"/traces/{bad}/answer", {"answer_id": "a"}), 404)
    assert_problem(api.get(f"/answers/{bad}"), 404)


def test_it_tells_nothing_of_a_failure_but_its_request_id(api, monkeypatch, caplog):
    def fail(**_):
        raise RuntimeError("Ada likes tea")

    monkeypatch.setattr(overview, "scopes", fail)
    with caplog.at_level(logging.ERROR):
        body = assert_problem(api.get("/scopes", user="ada"), 500)
    assert "tea" not in str(body)
    assert "Traceback" not in str(body)
    assert [record.levelname for record in caplog.records if record.name == "memoryapp.api"] == ["ERROR"]


@pytest.mark.parametrize("error", [OperationalError, InterfaceError], ids=["operational", "interface"])
def test_it_says_when_the_database_is_away(api, monkeypatch, error):
    def fail(*_, **__):
        raise error("connection to server at … failed") from psycopg.OperationalError()

    monkeypatch.setattr(reading, "list_memories", fail)
    response = api.get("/memories", user="ada")
    body = assert_problem(response, 503)
    assert int(response["Retry-After"]) >= 1
    assert "server at" not in body["detail"]


def test_it_says_so_when_the_pool_has_no_connection_left(api, monkeypatch):
    def fail(_):
        raise OperationalError from PoolTimeout("couldn't get a connection after 2.00 sec")

    monkeypatch.setattr("memoryapp.services.agents.authenticate", fail)
    assert_problem(api.get("/me"), 503)
