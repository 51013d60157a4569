"""Fetching context: what fits comes back, in scope and within the budget, and nothing when nothing fits."""

import json
import queue
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, RetrievalTrace, SearchEntry
from memoryapp.services import uses
from memoryapp.services.correct import Changes, correct
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import confirm, pause, pin, resume
from memoryapp.services.traces import read_trace

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())

pytestmark = pytest.mark.django_db


@pytest.fixture
def ask(ada):
    def act(query=None, *scopes, actor=ada, **fields):
        return recall(ContextRequest(query=query, scopes=scopes, **fields), actor=actor)

    return act


@pytest.fixture
def reference(propose_one):
    for turn, kind, subject, text, source in VECTORS["write"]["candidates"]:
        propose_one(text, kind=kind, subject=subject, source=source, turn=turn)


def sent(response):
    return [one["text"] for one in response["memories"]]


@pytest.mark.parametrize("case", VECTORS["retrieval"]["requests"], ids=lambda case: case["query"])
@pytest.mark.parametrize("scorer", ["lexical", "terms_overlap"])
def test_it_gives_the_reference_verdicts(scorer, case, reference, ask, settings):
    settings.MEMORY_SCORER = scorer
    response = ask(case["query"], case["scope"], explain=True, floor=VECTORS["retrieval"]["floor"])

    shown = {one["key"]: one for one in response["considered"]}
    for scored in case["scored"]:
        verdict = "included" if scored["included"] else "below_floor"
        assert shown[scored["key"]]["verdict"] == verdict
        if scorer == "terms_overlap":
            assert shown[scored["key"]]["relevance"] == scored["relevance"]
    assert [one["key"] for one in response["memories"] if one["why"] == "always_on"] == case["always_on"]
    assert len(response["memories"]) == case["sent"]
    assert sum(map(len, sent(response))) == case["chars_of_texts"]


def test_a_request_that_matches_nothing_gets_nothing(ask, remember):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    nothing = ask("how tall is the Eiffel tower?", "atlas")
    assert (nothing["context"], nothing["memories"]) == ("", [])
    assert nothing["withheld"]["below_floor"] == 1
    assert sent(ask("does atlas use PostgreSQL?", "atlas")) == ["Atlas uses PostgreSQL."]


def test_scopes_do_not_mix_and_personal_serves_all(ask, remember):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Beacon uses PostgreSQL.", kind="fact", subject="beacon.db")
    remember("Learned PostgreSQL in 2009.", kind="fact", subject="learned", scope="personal")
    assert set(sent(ask("PostgreSQL", "atlas", floor=0.0))) == {"Atlas uses PostgreSQL.", "Learned PostgreSQL in 2009."}
    assert set(sent(ask("PostgreSQL", floor=0.0))) == {"Learned PostgreSQL in 2009."}
    assert ask("PostgreSQL", "unknown", floor=0.0)["withheld"]["below_floor"] == 0


def test_another_person_gets_nothing_of_it(ask, remember, ben):
    remember("Likes tea.")
    assert sent(ask("tea")) == ["Likes tea."]
    assert sent(ask("tea", actor=ben)) == []
    assert ask("tea", actor=None) | {"budget": None} == {
        "trace_id": None, "context": "", "memories": [], "used": {"tokens": 0, "chars": 0}, "budget": None,
        "floor": 0.3, "notice": None, "withheld": dict.fromkeys(
            ("below_floor", "over_limit", "over_budget", "replaced", "duplicate", "paused", "stale"), 0
        ),
    }  # fmt: skip


def test_what_is_paused_is_counted_and_not_sent(ask, remember, ada):
    memory = remember("Likes tea.")
    pause(memory["id"], actor=ada)
    assert (sent(ask("tea")), ask("tea")["withheld"]["paused"]) == ([], 1)
    resume(memory["id"], actor=ada)
    assert (sent(ask("tea")), ask("tea")["withheld"]["paused"]) == (["Likes tea."], 0)


def test_an_expired_memory_is_not_sent(ask, remember):
    now = datetime.now(UTC)
    fields = {"kind": "fact", "scope": "personal"}
    remember("Parks in lot 7.", subject="parking today", expires_at=now + timedelta(hours=1), **fields)
    remember("Parks in lot 9.", subject="parking before", expires_at=now + timedelta(milliseconds=1), **fields)
    print(ask("where is the parking lot?", explain=True))
    assert sent(ask("where is the parking lot?")) == ["Parks in lot 7."]


def test_pinned_is_always_sent_and_why_says_so(ask, remember, ada):
    memory = remember("Has a nut allergy.", kind="fact", scope="personal", subject="allergy")
    assert sent(ask("which database?")) == []
    pin(memory["id"], actor=ada)
    assert [(one["text"], one["why"]) for one in ask("which database?")["memories"]] == [
        ("Has a nut allergy.", "pinned")
    ]


def test_a_correction_is_in_force_and_the_earlier_trace_keeps_what_was_sent(ask, remember, ada):
    memory = remember("Atlas uses PostgreSQL 15.", kind="fact", subject="atlas.db")
    before = ask("which database does atlas use?", "atlas")
    correct(memory["id"], Changes(text="Atlas uses PostgreSQL 16."), expected_version=1, actor=ada)

    assert sent(ask("which database does atlas use?", "atlas")) == ["Atlas uses PostgreSQL 16."]
    assert read_trace(UUID(before["trace_id"]), actor=ada)["context"] == before["context"]
    assert "PostgreSQL 15" in before["context"]


def test_a_forgotten_memory_is_a_marked_gap_in_the_replay(ask, remember, ada):
    gone = remember("Likes tea.", subject="drink")
    remember("Likes rice.", subject="food")
    before = ask("tea and rice")
    forget(gone["id"], relearn="allow", source="keep", actor=ada)

    after = read_trace(UUID(before["trace_id"]), actor=ada)
    assert "Likes tea." in before["context"] and "Likes tea." not in json.dumps(after)
    assert "Likes rice." in after["context"] and "forgotten" in after["context"]
    shown = {one["id"]: one for one in after["considered"]}
    assert shown[gone["id"]]["text"] is None and shown[gone["id"]]["forgotten"] is True
    assert sent(ask("tea and rice")) == ["Likes rice."]


def test_use_off_is_empty_with_a_reason(ask, remember, ada):
    remember("Likes tea.")
    User.objects.filter(pk=ada.person_id).update(use=False)
    response = ask("tea")
    assert (response["notice"], response["memories"], response["context"]) == ("use_off", [], "")
    User.objects.filter(pk=ada.person_id).update(use=True)
    assert ask("tea")["notice"] != "use_off"


@pytest.mark.parametrize(("scorer", "notice"), [("blended", "lexical_only"), ("lexical", None)])
def test_without_an_embedder_it_says_that_words_alone_decide(scorer, notice, ask, remember, settings):
    """Not where vectors are not wanted, and not where nothing is asked."""
    settings.MEMORY_SCORER = scorer
    remember("Likes tea.")
    assert (sent(ask("tea")), ask("tea")["notice"], ask(None)["notice"]) == (["Likes tea."], notice, None)


def test_limit_and_budget_nought_send_nothing_and_count_all(ask, remember):
    remember("Likes tea.")
    assert ask("tea", limit=0)["withheld"]["over_limit"] == 1
    response = ask("tea", budget_tokens=0)
    assert (response["context"], response["withheld"]["over_budget"]) == ("", 1)
    assert sent(ask("tea", limit=1)) == ["Likes tea."]


def test_a_best_hit_that_does_not_fit_makes_room_for_smaller_ones(ask, remember):
    remember("PostgreSQL " + "is set up with care " * 80, kind="fact", subject="atlas.db")
    remember("PostgreSQL it is.", kind="fact", subject="atlas.engine")
    response = ask("PostgreSQL", "atlas", budget_tokens=80, floor=0.0)
    assert sent(response) == ["PostgreSQL it is."]
    assert response["withheld"]["over_budget"] == 1
    assert response["used"]["tokens"] <= 80


def test_it_lists_the_best_200_and_counts_the_others(ask, ada, propose_one):
    propose(
        [Proposal(kind="fact", scope="work", subject=f"s{i}", text=f"Statement {i}.", source="x") for i in range(230)],
        actor=ada,
    )
    response = ask("zebra", "work", explain=True)
    assert len(response["considered"]) == 200
    assert response["withheld"]["below_floor"] == 230
    assert len(read_trace(UUID(response["trace_id"]), actor=ada)["considered"]) == 200


@pytest.mark.parametrize("text", ["字" * 2000, "".join(chr(0x4E00 + i) for i in range(2000)), "a " * 1000, "🙂" * 2000])
def test_any_text_of_2000_characters_is_stored_and_found(text, ask, remember, ada):
    remember(text, kind="fact", scope="personal", subject="long")
    with acting_for(ada.person_id):
        assert SearchEntry.objects.count() >= 1
    response = ask(text, budget_tokens=10_000)
    assert sent(response) == [text]
    assert response["memories"][0]["relevance"] >= 0.95


def test_the_trace_costs_no_durable_commit(ask, remember):
    remember("Likes tea.")
    setting = {}

    def watch(execute, sql, params, many, context):
        if "retrievaltrace" in sql:
            with connection.connection.cursor() as cursor:
                setting["commit"] = cursor.execute("show synchronous_commit").fetchone()
        return execute(sql, params, many, context)

    with connection.execute_wrapper(watch):
        ask("tea")
    assert setting["commit"] == ("off",)


def test_the_number_of_queries_is_small_and_constant(ask, remember):
    def count(query):
        with CaptureQueriesContext(connection) as queries:
            ask(query, "atlas")
        return len(queries)

    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    few = count("does atlas use PostgreSQL?")
    for i in range(40):
        remember(f"Atlas has a database called number {i}.", kind="fact", subject=f"atlas.db{i}")
    # In a transaction that has written, as a test's, each of both scopes is read anew.
    assert count("does atlas use PostgreSQL?") == few == 4 + 2
    assert count("does atlas use PostgrSQL?") == few  # what a typo may mean is looked for at once


def test_uses_are_counted_after_the_response_and_not_as_of(ask, remember, ada, django_capture_on_commit_callbacks):
    memory = remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    always = remember("Prefers short answers.", subject="length")
    now = datetime.now(UTC)
    with django_capture_on_commit_callbacks() as live:
        ask("PostgreSQL", "atlas")
    with django_capture_on_commit_callbacks() as then:
        ask("PostgreSQL", "atlas", as_of=now)
    assert (len(live), len(then)) == (1, 0)
    uses._count(ada.person_id, [uses._Use(ada.person_id, (memory["id"],), now)])
    with acting_for(ada.person_id):
        used = Memory.objects.get(pk=memory["id"])
        assert (used.use_count, used.last_used_at) == (1, now)
        assert Memory.objects.get(pk=always["id"]).use_count == 0


def test_a_use_that_cannot_be_counted_holds_up_no_other(remember, ada, ben, monkeypatch):
    memories = {actor: remember("Likes tea.", actor=actor)["id"] for actor in (ben, ada)}
    monkeypatch.setattr(uses, "_waiting", queue.Queue())
    for actor, memory in memories.items():
        uses._waiting.put(uses._Use(actor.person_id, (UUID(memory),), datetime.now(UTC)))
    lock = uses.writing_for

    def fail_for_ben(person_id):
        if person_id == ben.person_id:
            raise RuntimeError
        return lock(person_id)

    monkeypatch.setattr(uses, "writing_for", fail_for_ben)
    uses.count_waiting()
    for actor, times in ((ben, 0), (ada, 1)):
        with acting_for(actor.person_id):
            assert Memory.objects.get(pk=memories[actor]).use_count == times


def test_a_key_of_one_scope_reads_nothing_else(ask, remember, ada):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Learned PostgreSQL in 2009.", kind="fact", subject="learned", scope="personal")
    limited = replace(ada, scopes=frozenset({"atlas"}))
    assert sent(ask("PostgreSQL", "atlas", actor=limited, floor=0.0)) == ["Atlas uses PostgreSQL."]
    with pytest.raises(NotFound):
        ask("PostgreSQL", "beacon", actor=limited)


def test_the_trace_holds_no_text(ask, remember, ada):
    remember("Likes tea.")
    response = ask("green tea")
    with acting_for(ada.person_id):
        trace = RetrievalTrace.objects.get()
    assert "Likes" not in trace.items
    shown = read_trace(UUID(response["trace_id"]), actor=ada)
    assert [one["text"] for one in shown["considered"]] == ["Likes tea."]
    assert (shown["query"], shown["context"]) == ("green tea", response["context"])


@pytest.mark.parametrize("again", ["said", "confirmed"])
def test_what_is_scanned_follows_a_confirmation(again, remember, ada):
    """Among equals beyond the 200 best, the one that was confirmed last is listed."""
    memory = remember("Likes tea.", occurred_at=datetime.now(UTC) - timedelta(days=3))
    before = SearchEntry.objects.filter(person_id=ada.person_id).values_list("confirmed_at", flat=True)
    with acting_for(ada.person_id):
        (at_first,) = before.all()
    if again == "said":
        remember("Likes tea.")
    else:
        confirm(UUID(memory["id"]), actor=ada)
    with acting_for(ada.person_id):
        assert list(before.all()) == [Memory.objects.get(pk=memory["id"]).confirmed_at]
        assert before.get() > at_first
