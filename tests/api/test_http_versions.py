import pytest

CHANGE = {"text": "Ada prefers metric units, and Celsius."}


def patch(api, memory, version=None, body=CHANGE):
    headers = {} if version is None else {"If-Match": version}
    return api.patch(f"/memories/{memory['id']}", body, headers)


def test_it_shows_the_version_as_etag(api, remembered):
    memory = remembered()
    assert api.get(f"/memories/{memory['id']}")["ETag"] == '"1"'
    assert patch(api, memory, '"1"').status_code == 200
    assert api.get(f"/memories/{memory['id']}")["ETag"] == '"2"'


def test_it_corrects_the_version_that_is_named(api, remembered):
    memory = remembered(metadata={"a": 1}, importance=3)
    decision = patch(api, memory, '"1"').json()
    assert decision["memory"]["text"] == CHANGE["text"]
    assert decision["previous"]["text"] == memory["text"]
    kept = ("id", "origin", "metadata", "importance", "subject", "scope", "kind", "created_at")
    assert {name: decision["memory"][name] for name in kept} == {name: memory[name] for name in kept}


def test_it_asks_for_the_version(api, remembered):
    response = patch(api, remembered())
    assert response.status_code == 428
    assert response["Content-Type"] == "application/problem+json"


@pytest.mark.parametrize(
    "tag", ['"2"', '"0"', '"01"', 'W/"1"', '"abc"', '""', '"99999999999999999999"', '"2", "3"', 'W/"1", "2"']
)
def test_it_refuses_a_stale_version_and_shows_the_memory(api, remembered, tag):
    memory = remembered()
    response = patch(api, memory, tag)
    assert response.status_code == 412
    assert response.json()["current"] == memory


@pytest.mark.parametrize("tag", ["*", ' "1" ', '"1", "2"', '"2","1"', 'W/"2", "1"'])
def test_it_takes_any_form_that_matches(api, remembered, tag):
    assert patch(api, remembered(), tag).status_code == 200


@pytest.mark.parametrize("tag", ["1", "", '"1', "w/1", '"1" "2"', "*, *", '"1",', "\xff"])
def test_it_refuses_what_is_no_version(api, remembered, tag):
    response = patch(api, remembered(), tag)
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == ["If-Match"]


def test_it_looks_at_the_values_first_then_at_the_memory_then_at_the_version(api, remembered):
    memory = remembered()
    unknown = {"id": "019f3a52-7c1e-7d30-8a11-5f2b9c0d4e61"}
    assert patch(api, unknown, None, {"kind": "fact"}).status_code == 422
    assert patch(api, unknown).status_code == 404
    assert patch(api, unknown, '"1"').status_code == 404
    assert patch(api, memory).status_code == 428


@pytest.mark.parametrize("field", ["kind", "subject", "scope", "user", "origin", "pinned", "version", "id"])
def test_it_corrects_nothing_else(api, remembered, field):
    response = patch(api, remembered(), '"1"', CHANGE | {field: "x"})
    assert response.status_code == 422
    assert [fault["field"] for fault in response.json()["errors"]] == [field]


@pytest.mark.parametrize("body", [{}, {"text": None}])
def test_it_refuses_a_correction_of_nothing(api, remembered, body):
    assert patch(api, remembered(), '"1"', body).status_code == 422


def test_it_names_the_rule_that_refuses_a_correction(api, remembered):
    memory = remembered()
    response = patch(api, memory, '"1"', {"text": "The password is hunter2-hunter2."})
    assert response.status_code == 422
    assert response.json()["rule"] == "secret"
    assert "hunter2" not in response.content.decode()
    assert api.get(f"/memories/{memory['id']}").json() == memory
