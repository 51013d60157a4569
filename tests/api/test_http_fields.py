import re
import sys
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest
from django.http import QueryDict

from accounts.models import User
from memoryapp.api.faults import Faulty
from memoryapp.api.fields import Text, is_blank
from memoryapp.api.queries import ListQuery
from memoryapp.api.requests import BatchRequest, EpisodesRequest, ProposeRequest, RecallRequest

CANDIDATE = {"user": "ada", "kind": "preference", "subject": "units", "text": "Metric.", "source": "Metric, please."}
TURN = {"turn": 1, "role": "user", "content": "Hello."}


def ahead(**time):
    return (datetime.now(UTC) + timedelta(**time)).isoformat()


def settled(body):
    """With the times that are to lie ahead of the call itself."""
    if isinstance(body, dict):
        return {name: settled(value) for name, value in body.items()}
    if isinstance(body, list):
        return [settled(value) for value in body]
    return ahead(minutes=body.minutes) if isinstance(body, Ahead) else body


@dataclass(frozen=True)
class Ahead:
    minutes: int


def faulty_fields(shape, body):
    """The fields that the shape refuses, without any store."""
    with pytest.raises(Faulty) as refusal:
        shape().read(settled(body))
    return {fault["field"] for fault in refusal.value.faults}


def refused_fields(response):
    assert response.status_code == 422, response.content
    return {fault["field"] for fault in response.json()["errors"]}


WRONG = [
    *(("user", value) for value in ("", " ", "\t\n", "\u200b", "a" * 257, 7, True, [], {}, ["ada"])),
    *(("scope", value) for value in ("", " ", "a.b", "-a", "_a", "a b", "é", "a" * 129, 7, [], "a/b")),
    *(("kind", value) for value in ("", "k" * 65, 7, True)),
    *(("subject", value) for value in ("", "   ", "s" * 201, 7, False)),
    *(("text", value) for value in ("", " ", "\u200b\u2060", "t" * 2_001, 7, ["x"])),
    *(("turn", value) for value in (-1, 2_147_483_648, 10**30, 1.5, "7", True, [])),
    *(("session", value) for value in ("", "s" * 257, 7)),
    *(("source", value) for value in ("", "s" * 20_001, 7)),
    *(("source_role", value) for value in ("system", "User", "", 7, [])),
    *(("origin", value) for value in ("corrected", "imported", "", 7, {})),
    *(("occurred_at", value) for value in ("2026-03-01", "2026-03-01T09:30:00", "2026-03-01 09:30:00Z", "now", "", 7)),
    *(
        ("occurred_at", value)
        for value in ("2026-02-30T00:00:00Z", "2026-03-01T24:00:00Z", "2026-03-01T09:30:00+25:00")
    ),
    *(("occurred_at", value) for value in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00")),
    *(("retract", value) for value in ("true", 1, 0, "")),
    *(("importance", value) for value in (0, 11, 5.5, "5", True, [])),
    *(("reason", value) for value in ("r" * 2_001, 7)),
    *(("aliases", value) for value in ("k8s", ["a"] * 21, {}, 7)),
    *(("aliases[0]", [value]) for value in ("", "a" * 81, 7, None)),
    *(("pinned", value) for value in ("true", 1)),
    *(("expires_at", value) for value in ("soon", "2026-03-01T09:30:00", 7)),
    *(("metadata", value) for value in ([], "x", 7, {"a": "x" * 8_192}, {"a": "é" * 4_096})),
]


@pytest.mark.parametrize(("field", "value"), WRONG, ids=lambda value: str(value)[:30].encode().hex())
def test_it_refuses_a_wrong_value(field, value):
    assert faulty_fields(ProposeRequest, CANDIDATE | {field.partition("[")[0]: value}) == {field}


def test_it_creates_nothing_for_a_wrong_value(api):
    for field, value in (("text", ""), ("scope", "a.b"), ("metadata", [])):
        assert refused_fields(api.post("/memories", CANDIDATE | {"scope": "new"} | {field: value})) == {field}
    assert not User.objects.exists()


RIGHT = [
    *(
        ("user", value)
        for value in ("a", "a" * 256, "a/b c", "Ада Лавлейс", "愛達", " ada ", "%2F", "a\nb", "😀", "\"'<>")
    ),
    *(("scope", value) for value in ("a", "Atlas", "0-_", "a" * 128)),
    *(("kind", value) for value in ("k", "k" * 64, "mood")),
    *(("subject", value) for value in ("s", "s" * 200, "🚀")),
    *(("text", value) for value in ("t", "t" * 2_000, "茶" * 2_000)),
    *(("turn", value) for value in (0, 2_147_483_647, 3.0)),
    *(("session", value) for value in ("s", "s" * 256)),
    *(("source", value) for value in ("s", "s" * 20_000)),
    *(("source_role", value) for value in ("user", "assistant", "tool")),
    *(("origin", value) for value in ("stated", "inferred")),
    *(("occurred_at", value) for value in ("2026-03-01T09:30:00Z", "2026-03-01t09:30:00.123456789+05:30")),
    *(
        ("occurred_at", value)
        for value in ("2016-12-31T23:59:60Z", "0001-01-01T00:00:00Z", "2026-03-01T09:30:00-00:00")
    ),
    *(("importance", value) for value in (1, 10)),
    *(("reason", value) for value in ("", "r" * 2_000)),
    *(("aliases", value) for value in ([], ["a"] * 20, ["a" * 80])),
    *(("pinned", value) for value in (True, False)),
    *(("expires_at", value) for value in ("9999-12-31T23:59:59Z", "2020-01-01T00:00:00Z")),
    *(("metadata", value) for value in ({}, {"a": "x" * (8_192 - 8)}, {"a": "é" * 4_092})),
]


@pytest.mark.parametrize(("field", "value"), RIGHT, ids=lambda value: str(value)[:30].encode().hex())
def test_it_takes_what_the_contract_allows(field, value):
    assert field in ProposeRequest().read(CANDIDATE | {field: value})


def test_it_stores_what_the_contract_allows(api):
    for field, value in RIGHT:
        response = api.post("/memories", CANDIDATE | {field: value})
        assert response.status_code in (200, 201), (field, response.content)


def test_it_lets_clocks_differ_by_five_minutes(api):
    assert api.post("/memories", CANDIDATE | {"occurred_at": ahead(minutes=4)}).status_code == 201
    assert refused_fields(api.post("/memories", CANDIDATE | {"occurred_at": ahead(minutes=6)})) == {"occurred_at"}


@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": Ahead(minutes=1)},
        {"valid_from": "2024-01-01T00:00:00Z", "valid_to": "2023-01-01T00:00:00Z"},
        {"valid_from": "2024-01-01T00:00:00Z", "valid_to": "2024-01-01T01:00:00+01:00"},
    ],
    ids=["in the future", "reversed", "empty"],
)
def test_it_refuses_validity_out_of_order(times):
    assert faulty_fields(ProposeRequest, CANDIDATE | times) == {"valid_from"}


@pytest.mark.parametrize(
    "times",
    [
        {"valid_from": "2023-01-01T00:00:00Z", "valid_to": "2024-01-01T00:00:00Z"},
        {"valid_to": "2024-01-01T00:00:00Z"},
        {"valid_to": "2999-01-01T00:00:00Z"},
        {"valid_from": "2023-01-01T00:00:00Z"},
    ],
)
def test_it_takes_validity_in_order(api, times):
    assert api.post("/memories", CANDIDATE | times).status_code == 201


def test_it_shows_times_in_utc(remembered):
    memory = remembered(occurred_at="2026-03-01T09:30:00+05:30")
    assert memory["occurred_at"] == "2026-03-01T04:00:00Z"


def test_it_asks_for_a_text_save_with_a_retraction(api):
    without = {name: value for name, value in CANDIDATE.items() if name != "text"}
    assert refused_fields(api.post("/memories", without)) == {"text"}
    assert refused_fields(api.post("/memories", without | {"retract": False})) == {"text"}
    assert api.post("/memories", without | {"retract": True}).status_code == 200


def test_it_names_the_place_of_a_malformed_candidate_and_stores_none(api):
    good = {name: value for name, value in CANDIDATE.items() if name != "user"}
    response = api.post(
        "/memories/batch", {"user": "ada", "candidates": [good, good | {"turn": "7"}, {"aliases": [1]}]}
    )
    assert response.status_code == 422
    faults = {(fault["field"], fault.get("index")) for fault in response.json()["errors"]}
    assert faults == {
        ("candidates[1].turn", 1),
        ("candidates[2].aliases[0]", 2),
        ("candidates[2].kind", 2),
        ("candidates[2].subject", 2),
    }
    assert not User.objects.filter(external_id="ada").exists()


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("candidates", {"candidates": []}),
        ("candidates", {"candidates": [{"kind": "fact", "subject": "s", "text": "t"}] * 101}),
        ("candidates", {"candidates": {}}),
        ("candidates", {}),
        ("candidates[0]", {"candidates": ["x"]}),
        ("candidates[0].user", {"candidates": [{"user": "ben", "kind": "fact", "subject": "s", "text": "t"}]}),
        ("scope", {"scope": "a.b", "candidates": [{"kind": "fact", "subject": "s", "text": "t"}]}),
    ],
)
def test_it_refuses_a_malformed_batch(field, body):
    assert faulty_fields(BatchRequest, {"user": "ada", **body}) == {field}


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("user", {"user": ""}),
        ("scopes", {"scope": "a", "scopes": ["b"]}),
        ("scopes", {"scopes": ["a"] * 21}),
        ("scopes", {"scopes": "a"}),
        ("scopes[1]", {"scopes": ["a", "b.c"]}),
        ("query", {"query": "q" * 8_001}),
        ("query", {"query": 7}),
        ("budget_tokens", {"budget_tokens": -1}),
        ("budget_tokens", {"budget_tokens": 128_001}),
        ("budget_tokens", {"budget_tokens": "800"}),
        ("budget_chars", {"budget_tokens": 800, "budget_chars": 800}),
        ("budget_chars", {"budget_chars": -1}),
        ("floor", {"floor": 1.01}),
        ("floor", {"floor": -0.1}),
        ("floor", {"floor": True}),
        ("floor", {"floor": "0.3"}),
        ("limit", {"limit": 101}),
        ("limit", {"limit": -1}),
        ("kinds", {"kinds": "fact"}),
        ("kinds[0]", {"kinds": [""]}),
        ("as_of", {"as_of": Ahead(minutes=1)}),
        ("as_of", {"as_of": "yesterday"}),
        ("session", {"session": "s" * 257}),
        ("agent_request_id", {"agent_request_id": "s" * 257}),
        ("explain", {"explain": "yes"}),
        ("top_k", {"top_k": 5}),
    ],
)
def test_it_refuses_a_malformed_question(field, body):
    assert faulty_fields(RecallRequest, {"user": "ada", "query": "units", **body}) == {field}


QUESTIONS = [
    {},
    {"scopes": []},
    {"scopes": ["a"] * 20},
    {"scope": "A", "scopes": None},
    {"query": ""},
    {"query": "q" * 8_000},
    {"budget_tokens": 0},
    {"budget_tokens": 128_000},
    {"budget_chars": 0},
    {"budget_chars": 4_000},
    {"floor": 0},
    {"floor": 1},
    {"limit": 0},
    {"limit": 100},
    {"kinds": ["fact"]},
    {"as_of": "2026-03-01T09:30:00Z"},
    {"session": "", "agent_request_id": "r" * 256},
    {"explain": True},
]


def test_it_takes_any_question_that_the_contract_allows(api, remembered):
    remembered()
    for body in QUESTIONS:
        assert api.post("/context", {"user": "ada", **body}).status_code == 200, body
        assert api.post("/context", {"user": "nobody", **body}).json()["trace_id"] is None


@pytest.mark.parametrize(
    ("field", "body"),
    [
        ("session", {"session": None}),
        ("turns", {"turns": []}),
        ("turns[0].role", {"turns": [TURN | {"role": "robot"}]}),
        ("turns[0].turn", {"turns": [TURN | {"turn": None}]}),
        ("turns[0].content", {"turns": [TURN | {"content": "c" * 100_001}]}),
        ("turns[0].occurred_at", {"turns": [TURN | {"occurred_at": Ahead(minutes=6)}]}),
        ("turns[0].text", {"turns": [TURN | {"text": "x"}]}),
        ("extract", {"extract": True}),
        ("extract", {"extract": "false"}),
    ],
)
def test_it_refuses_malformed_turns(field, body):
    assert faulty_fields(EpisodesRequest, {"user": "ada", "session": "s", "turns": [TURN], **body}) == {field}


@pytest.mark.parametrize(
    ("field", "query"),
    [
        ("user", {"user": ""}),
        ("user", {"user": " "}),
        ("user", {"user": "a" * 257}),
        ("scope", {"user": "ada", "scope": "a.b"}),
        ("kind", {"user": "ada", "kind": ""}),
        ("origin", {"user": "ada", "origin": "guessed"}),
        ("status", {"user": "ada", "status": "all"}),
        ("changed_since", {"user": "ada", "changed_since": "2026-03-01"}),
        ("cursor", {"user": "ada", "cursor": "a=b"}),
        ("cursor", {"user": "ada", "cursor": ""}),
        ("limit", {"user": "ada", "limit": "0"}),
        ("limit", {"user": "ada", "limit": "201"}),
        ("limit", {"user": "ada", "limit": "1.0"}),
        ("limit", {"user": "ada", "limit": "+1"}),
        ("limit", {"user": "ada", "limit": "٣"}),
        ("limit", {"user": "ada", "limit": "9" * 5_000}),
    ],
)
def test_it_refuses_a_malformed_query(field, query):
    with pytest.raises(Faulty) as refusal:
        ListQuery().read_query(QueryDict(urlencode(query)))
    assert {fault["field"] for fault in refusal.value.faults} == {field}


def test_it_asks_a_service_key_for_the_person_everywhere(api):
    for path in ("/memories", "/subjects", "/scopes"):
        assert refused_fields(api.get(path)) == {"user"}
    for path, body in (
        ("/memories", {"kind": "fact", "subject": "s", "text": "t"}),
        ("/context", {}),
        ("/episodes", {"session": "s", "turns": [TURN]}),
        ("/memories/batch", {"candidates": [{"kind": "fact", "subject": "s", "text": "t"}]}),
    ):
        assert refused_fields(api.post(path, body)) == {"user"}


def test_it_describes_what_is_blank_as_unicode_does():
    described = re.compile(Text(9, visible=True).json_schema()["pattern"])
    for letter in map(chr, range(1, sys.maxunicode + 1)):
        blank = letter.isspace() or unicodedata.category(letter) in ("Cc", "Cf")
        assert is_blank(letter) == blank and (described.fullmatch(letter) is None) == blank, hex(ord(letter))
