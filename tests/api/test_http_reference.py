"""The reference figures of the two policies, over HTTP: tests/data/vectors.json as it is."""

import json
import random
from itertools import batched
from pathlib import Path

import pytest

from tests.alike import alike

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())


@pytest.fixture
def told(api):
    """The answers to the reference candidates, proposed one by one for Ada."""
    names = VECTORS["write"]["columns"]
    return [
        api.post("/memories", {"user": "ada", **dict(zip(names, candidate, strict=True))}).json()
        for candidate in VECTORS["write"]["candidates"]
    ]


def test_it_decides_as_the_reference(told, api):
    for decision, expected in zip(told, VECTORS["write"]["expected"], strict=True):
        memory, previous = decision["memory"] or {}, decision["previous"] or {}
        found = {
            "turn": expected["turn"], "action": decision["action"], "rule": decision["rule"], "key": memory.get("key"),
            "seen": memory.get("seen"), "from": previous.get("text"), "to": memory.get("text"),
        }  # fmt: skip
        assert {name: found[name] for name in expected} == expected
    assert api.get("/memories", user="ada").json()["count"] == VECTORS["write"]["stored"]


def test_it_stores_no_fact_without_a_scope(api):
    case = VECTORS["unnamed_subject"]
    decision = api.post("/memories", {"user": "ada", **case["candidate"]}).json()
    assert {"action": decision["action"], "rule": decision["rule"]} == case["expected"]


@pytest.mark.parametrize("scorer", ["terms_overlap", "lexical"])
@alike("request_", VECTORS["retrieval"]["requests"])
def test_it_recalls_as_the_reference(scorer, request_, told, api, settings):
    settings.MEMORY_SCORER = scorer
    asked = {"user": "ada", "scope": request_["scope"], "query": request_["query"], "explain": True}
    response = api.post("/context", asked | {"floor": VECTORS["retrieval"]["floor"]}).json()
    considered = {one["key"]: one for one in response["considered"]}
    for scored in request_["scored"]:
        found = considered[scored["key"]]
        assert (found["verdict"] == "included") == scored["included"]
        if scorer == "terms_overlap":
            assert found["relevance"] == scored["relevance"]
    sent = response["memories"]
    assert [one["key"] for one in sent if one["why"] == "always_on"] == request_["always_on"]
    assert (len(sent), sum(len(one["text"]) for one in sent)) == (request_["sent"], request_["chars_of_texts"])


def test_it_grows_as_the_reference(api):
    """2,000 turns over 40 subjects with five values each end in one slot per subject."""
    growth = VECTORS["growth"]
    draw = random.Random(growth["seed"])
    subjects = [f"subject{number:02}" for number in range(growth["subjects"])]
    candidates = []
    for turn in range(growth["turns"]):
        subject = draw.choice(subjects)
        text = f"{subject} is set to value{draw.randrange(growth['values'])}."
        candidates.append({"kind": "fact", "subject": subject, "text": text, "source": text, "turn": turn})
    for some in batched(candidates, 100):
        assert api.post("/memories/batch", {"user": "ada", "scope": "grown", "candidates": some}).status_code == 200

    rows = api.get("/memories", user="ada", scope="grown", limit=200).json()["results"]
    assert {"rows": len(rows), "chars": sum(len(row["text"]) for row in rows)} == growth["one_slot_each"]
    first = next(row for row in rows if row["subject"] == "subject00")
    said = api.get(f"/memories/{first['id']}/history", limit=200).json()["results"]
    assert {
        "versions": len(said), "distinct": len({one["text"] for one in said}), "current": first["text"]
    } == growth["subject00"]  # fmt: skip
