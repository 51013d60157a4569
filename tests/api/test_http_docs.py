import json
import re
from pathlib import Path

import jsonschema
import pytest
from django.contrib.staticfiles import finders
from django.test import Client


@pytest.fixture(scope="module")
def description():
    response = Client().get("/api/v1/schema")
    assert response.status_code == 200
    assert response["Content-Type"] == "application/json"
    return response.json()


def operations(description):
    return [
        (f"{method.upper()} {path}", operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]


def test_it_describes_every_call_of_the_contract(description):
    assert description["openapi"].startswith("3.1")
    memory = "/api/v1/memories/{memory_id}"
    assert {name for name, _ in operations(description)} == {
        "GET /api/v1/me",
        "POST /api/v1/memories",
        "POST /api/v1/memories/batch",
        "GET /api/v1/memories",
        f"GET {memory}",
        f"GET {memory}/history",
        f"PATCH {memory}",
        f"DELETE {memory}",
        *(
            f"POST {memory}/{verb}"
            for verb in ("restore", "pause", "resume", "confirm", "pin", "unpin", "dispute", "undispute")
        ),
        "GET /api/v1/subjects",
        "POST /api/v1/context",
        "GET /api/v1/traces/{trace_id}",
        "POST /api/v1/traces/{trace_id}/answer",
        "GET /api/v1/answers/{answer_id}",
        "POST /api/v1/episodes",
        "POST /api/v1/links",
        "GET /api/v1/scopes",
        "DELETE /api/v1/people",
        "GET /api/v1/export",
        "POST /api/v1/import",
        "GET /api/v1/receipts/{receipt_id}",
    }


def test_it_shows_an_example_of_every_request_and_answer_that_fits_its_schema(description):
    checked = 0
    for name, operation in operations(description):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        answers = [answer for status, answer in operation["responses"].items() if status.startswith("2")]
        assert answers, name
        assert name.split()[0] not in ("PATCH",) or bodies, name
        for part in bodies + answers:
            content = part["content"]["application/json"]
            schema = {"$defs": {}, "components": description["components"], **content["schema"]}
            assert content["examples"], name
            for example in content["examples"].values():
                jsonschema.validate(example["value"], schema, jsonschema.Draft202012Validator)
                checked += 1
    assert checked >= 25


def test_it_declares_every_refusal(description):
    for name, operation in operations(description):
        statuses = set(operation["responses"])
        assert {"400", "401", "404", "406", "422", "429", "503"} <= statuses, name
        assert ("requestBody" in operation) == ({"413", "415"} <= statuses), name
        for status in statuses - {"200", "201", "202"}:
            assert list(operation["responses"][status]["content"]) == ["application/problem+json"], (name, status)
        assert operation["security"] == [{"agentKey": []}], name


def test_it_says_the_limits(description):
    fields = description["components"]["schemas"]["ProposeRequest"]["properties"]
    assert (fields["user"]["minLength"], fields["user"]["maxLength"]) == (1, 256)
    assert (fields["turn"]["minimum"], fields["turn"]["maximum"]) == (0, 2_147_483_647)
    assert fields["scope"]["pattern"] == "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$"
    assert fields["aliases"]["maxItems"] == 20
    assert description["components"]["schemas"]["ProposeRequest"]["additionalProperties"] is False


def test_it_shows_the_description_to_people():
    response = Client().get("/api/v1/docs", headers={"Accept": "text/html"})
    assert response.status_code == 200
    page = response.content.decode()
    linked = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert linked
    for address in linked:
        assert address.startswith(("/static/", "/api/v1/schema", "data:,")), address
    for address in linked:
        if address.startswith("/static/"):
            assert finders.find(address.removeprefix("/static/")), address
    assert not re.search(r"<script(?![^>]*src=)", page), "no inline script"
    policy = response["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy
    assert "http" not in policy


def test_it_fetches_nothing_from_others():
    script = Path(finders.find("js/api-docs.js")).read_text()
    assert "validatorUrl: null" in script
    assert "http" not in json.dumps(script)


@pytest.mark.parametrize(("accept", "status"), [("text/html", 406), ("application/json", 200), ("*/*", 200)])
def test_it_gives_the_description_as_json_only(accept, status):
    assert Client().get("/api/v1/schema", headers={"Accept": accept}).status_code == status
