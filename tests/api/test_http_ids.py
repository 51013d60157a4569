import logging
import re
from urllib.parse import quote

import pytest

CANDIDATE = {"kind": "preference", "subject": "units", "text": "Metric.", "source": "Metric, please."}


@pytest.mark.parametrize("given", ["a", "Req-1_2.3", "x" * 128])
def test_it_keeps_the_callers_request_id(api, given):
    for path in ("/me", "/nothing", "/memories/%00", "/memories"):
        assert api.get(path, headers={"X-Request-Id": given})["X-Request-Id"] == given


@pytest.mark.parametrize("given", [None, "", "x" * 129, "a b", "é", "a/b", "a\tb", "{}"])
def test_it_makes_a_request_id_of_its_own(api, given):
    headers = {} if given is None else {"X-Request-Id": given}
    first, second = (api.get("/me", headers=headers)["X-Request-Id"] for _ in range(2))
    assert re.fullmatch(r"[0-9a-f]{32}", first)
    assert first != second


USERS = [
    "a/b",
    "a b",
    " ada ",
    "Ада",
    "愛達",
    "عائشة",
    "😀",
    "%2F",
    "a%00",
    "a+b",
    "a&b=c",
    "../x",
    "'; --",
    "*",
    "a\nb",
    "?",
    ".",
]


@pytest.mark.parametrize("user", USERS, ids=[quote(user, safe="") for user in USERS])
def test_it_finds_what_it_wrote_under_any_name(api, user):
    memory = api.post("/memories", {"user": user, **CANDIDATE}).json()["memory"]
    assert memory["user"] == user
    assert [row["id"] for row in api.get("/memories", user=user).json()["results"]] == [memory["id"]]
    assert len(api.get("/subjects", user=user).json()["results"]) == 1
    assert api.get("/scopes", user=user).json()["results"][0]["current"] == 1
    assert len(api.post("/context", {"user": user}).json()["memories"]) == 1
    for other in (user + "x", user.strip() + "  ", user.upper() + "X"):
        assert api.get("/memories", user=other).json() == {"count": 0, "results": [], "next_cursor": None}


@pytest.mark.parametrize("answer_id", ["a-1", "a/b", "a b", "愛", "%2F", "x/answer", "😀", "a?b"])
def test_it_finds_an_answer_under_any_name(api, remembered, answer_id):
    remembered()
    trace_id = api.post("/context", {"user": "ada"}).json()["trace_id"]
    assert api.post(f"/traces/{trace_id}/answer", {"answer_id": answer_id}).status_code == 200
    found = api.get(f"/answers/{quote(answer_id, safe='')}").json()
    assert (found["answer_id"], [trace["id"] for trace in found["traces"]]) == (answer_id, [trace_id])


def test_it_tolerates_one_trailing_slash(api, remembered):
    memory = remembered()
    assert api.get("/me/").json() == api.get("/me").json()
    assert api.post("/memories/", {"user": "ada", **CANDIDATE}).status_code == 201
    assert api.get(f"/memories/{memory['id']}/").status_code == 200
    assert api.delete(f"/memories/{memory['id']}/").status_code == 200
    assert api.get("/me//").status_code == 404
    assert api.client.get("/healthz/").status_code == 200


def test_it_takes_a_memory_id_in_capitals(api, remembered):
    memory = remembered()
    assert api.get(f"/memories/{memory['id'].upper()}").json() == memory


def test_it_logs_the_route_and_nothing_of_the_person(api, remembered, caplog):
    memory = remembered()
    caplog.clear()
    with caplog.at_level(logging.DEBUG):
        api.get("/memories", user="ada-lovelace", q="secret-word", headers={"X-Request-Id": "r-1"})
        api.get(f"/memories/{memory['id']}")
        api.get("/nothing/ada-lovelace")
        api.post("/memories", {"user": "ada-lovelace", "nonsense": "secret-word"})
    lines = [record.getMessage() for record in caplog.records if record.name == "memoryapp.access"]
    pattern = r"GET /api/v1/memories 200 \d+\.\dms request_id=r-1 key=" + api.key.prefix
    assert re.fullmatch(pattern, lines[0])
    assert lines[1].startswith("GET /api/v1/memories/<str:memory_id> 200 ")
    assert " 404 " in lines[2]
    assert " 422 " in lines[3]
    everything = "\n".join(record.getMessage() for record in caplog.records if record.name != "django.db.backends")
    for word in ("ada-lovelace", "secret-word", memory["id"], api.secret, api.secret[-20:]):
        assert word not in everything


@pytest.mark.parametrize(
    ("path", "line", "level"),
    [
        ("/static/css/base.css", "GET /static 200 ", logging.DEBUG),
        ("/static/css/no.css", "GET /unknown 404 ", logging.INFO),
    ],
    ids=["one of ours", "none"],
)
def test_it_names_files_in_the_log_and_keeps_them_out_of_what_is_read(client, caplog, path, line, level):
    with caplog.at_level(logging.DEBUG, "memoryapp.access"):
        client.get(path)
    (record,) = [record for record in caplog.records if record.name == "memoryapp.access"]
    assert record.getMessage().startswith(line) and record.levelno == level
