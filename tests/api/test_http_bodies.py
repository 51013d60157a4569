import io
import json

import pytest
from django.test import RequestFactory

from memoryapp.api.body import MIB, parse_json, read_body
from memoryapp.api.problems import Problem
from memoryapp.services.errors import Invalid

CANDIDATE = {"user": "ada", "kind": "preference", "subject": "units", "text": "Metric.", "source": "Metric, please."}


def nested(depth, opening="[", closing="]"):
    return b'{"metadata":{"a":' + (opening * depth + closing * depth).encode() + b"}}"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b"{'a': 1}",
        b'{"a": 1,}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": "\x00"}',
        b'{"a": "\n"}',
        b'{"a": "\xff"}',
        b'{"a": "\xed\xa0\x80"}',
        "{}".encode("utf-16"),
        b"\xef\xbb\xbf{}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        nested(63),
        nested(32, '[{"a":', "}]"),
        b'"' + b'\\"' * 500_000 + b"[" * 100,
    ],
    ids=[
        "empty", "blank", "cut off", "quotes", "comma", "NaN", "Infinity", "bare NUL", "bare line break", "not UTF-8",
        "bare surrogate", "UTF-16", "byte order mark", "open lists", "open objects", "deep lists", "65 deep",
        "65 deep, mixed", "many quotes",
    ],
)  # fmt: skip
def test_it_refuses_what_is_not_json(api, body):
    assert api.post("/memories", body).status_code == 400


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'{"metadata": {"a": "\\u0000"}}', "metadata.a"),
        (b'{"metadata": {"\\u0000": 1}}', "metadata"),
        (b'{"text": "\\ud800"}', "text"),
        (b'{"aliases": ["x", "\\udc00\\ud800"]}', "aliases[1]"),
        (b'{"a": 1e400}', "body"),
        (b'{"a": 1' + b"0" * 5_000 + b"}", "body"),
        (b"[]", "body"),
        (b'"text"', "body"),
        (b"null", "body"),
        (b"1", "body"),
    ],
)
def test_it_says_where_json_holds_what_cannot_be_stored(api, body, place):
    response = api.post("/memories", body)
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == place


def test_it_takes_json_up_to_64_deep_and_any_order_of_escapes(api):
    body = nested(62)
    assert api.post("/memories", body).status_code == 422, "read, and then missing its fields"
    assert parse_json(b'{"a": "\\ud83d\\ude00", "a": 2, "b": "[[[[{{"}') == {"a": 2, "b": "[[[[{{"}
    many = b"[" + b",".join([b'{"a": ["]"]}'] * 1_000) + b"]"
    assert len(parse_json(many)) == 1_000


@pytest.mark.parametrize(
    "content_type",
    ["text/plain", "", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx",
     "application/json; charset=latin-1", "application/problem+json"],
)  # fmt: skip
def test_it_takes_no_other_type(api, content_type):
    assert api.post("/memories", CANDIDATE, content_type=content_type).status_code == 415


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "APPLICATION/JSON"])
def test_it_takes_json(api, content_type):
    assert api.post("/memories", CANDIDATE, content_type=content_type).status_code == 201


def test_it_takes_no_compressed_body(api):
    assert api.post("/memories", CANDIDATE, {"Content-Encoding": "gzip"}).status_code == 415


@pytest.mark.parametrize(
    ("path", "limit"), [("/memories", MIB), ("/context", MIB), ("/memories/batch", 8 * MIB), ("/episodes", 8 * MIB)]
)
def test_it_limits_bodies(api, path, limit):
    fits = b'{"nonsense":"' + b"a" * (limit - 15) + b'"}'
    assert len(fits) == limit
    assert api.post(path, fits).status_code == 422
    assert api.post(path, fits + b" ").status_code == 413


class Chunks(io.RawIOBase):
    """As a server hands out a chunked body: a little at a time, and then nothing."""

    def __init__(self, *parts):
        self.parts = list(parts)
        self.handed_out = 0

    def read(self, size=-1):
        part = self.parts.pop(0) if self.parts else b""
        self.handed_out += len(part)
        return part


def chunked(stream):
    request = RequestFactory().post("/api/v1/memories")
    request.META |= {"wsgi.input": stream, "HTTP_TRANSFER_ENCODING": "chunked", "CONTENT_LENGTH": ""}
    return request


def test_it_reads_a_chunked_body_whole():
    assert read_body(chunked(Chunks(b"{", b'"a"', b":1}")), MIB) == b'{"a":1}'


def test_it_stops_reading_a_chunked_body_at_the_limit():
    stream = Chunks(*[b"a" * 1_000] * 100)
    with pytest.raises(Problem) as refusal:
        read_body(chunked(stream), 10_000)
    assert refusal.value.status == 413
    assert stream.handed_out <= 11_000


def test_it_refuses_a_body_that_ends_early():
    request = RequestFactory().post("/api/v1/memories")
    request.META |= {"wsgi.input": io.BytesIO(b"{}"), "CONTENT_LENGTH": "10"}
    with pytest.raises(Problem) as refusal:
        read_body(request, MIB)
    assert refusal.value.status == 400


@pytest.mark.parametrize("verb", ["pause", "confirm", "pin"])
@pytest.mark.parametrize(("body", "status"), [(None, 200), ({}, 200), ({"a": 1}, 422), (b"{", 400), ([], 422)])
def test_it_takes_verbs_without_a_body(api, remembered, verb, body, status):
    assert api.post(f"/memories/{remembered()['id']}/{verb}", body).status_code == status


def test_it_names_every_unknown_field(api):
    response = api.post("/memories", CANDIDATE | {"user_id": "ben", "filter": "*"})
    assert response.status_code == 422
    assert {fault["field"] for fault in response.json()["errors"]} == {"user_id", "filter"}


def test_it_names_every_unknown_parameter(api):
    response = api.get("/memories", user="ada", user_id="ben", limit="0")
    assert response.status_code == 422
    assert {fault["field"] for fault in response.json()["errors"]} == {"user_id", "limit"}
    assert api.post("/memories?user=ben", CANDIDATE).status_code == 422


def test_it_refuses_a_parameter_that_is_given_twice(api):
    response = api.request("GET", "/memories", user=["ada", "ben"])
    assert [fault["field"] for fault in response.json()["errors"]] == ["user"]


def test_it_takes_null_for_absent_where_it_may_be(api):
    optional = ("scope", "turn", "session", "source_role", "origin", "occurred_at", "valid_from", "valid_to", "retract",
                "importance", "reason", "aliases", "pinned", "expires_at", "metadata")  # fmt: skip
    response = api.post("/memories", CANDIDATE | dict.fromkeys(optional))
    assert response.status_code == 201
    for required in ("user", "kind", "subject", "text"):
        refused = api.post("/memories", CANDIDATE | {required: None})
        assert refused.status_code == 422
        assert [fault["field"] for fault in refused.json()["errors"]] == [required]


def test_it_leaves_what_stands_in_metadata_alone(api):
    metadata = {"user_id": "ben", "scope": None, "a": [1, 2.5, True, None, {"é": "😀"}], "": ""}
    memory = api.post("/memories", CANDIDATE | {"metadata": metadata}).json()["memory"]
    assert (memory["metadata"], memory["user"], memory["scope"]) == (metadata, "ada", "personal")
    assert json.loads(json.dumps(metadata)) == api.get(f"/memories/{memory['id']}").json()["metadata"]


def test_it_answers_what_a_service_cannot_use_like_any_other_fault(api, monkeypatch):
    def refuse(*_, **__):
        raise Invalid("cursor", "This is no cursor of this list.")

    monkeypatch.setattr("memoryapp.services.reading.list_memories", refuse)
    response = api.get("/memories", user="ada", cursor="abc")
    assert response.status_code == 422
    assert response.json()["errors"] == [{"field": "cursor", "message": "This is no cursor of this list."}]
