"""Whatever happened since: a trace gives back what was sent, and asking as of an instant gives what was known then."""

import json
import time
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from accounts.ids import instant_of
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.models.memory import State
from memoryapp.services.agents import ensure_person
from memoryapp.services.correct import Changes, correct
from memoryapp.services.errors import ServiceError
from memoryapp.services.forget import forget, restore
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import confirm, pause, pin, resume, unpin
from memoryapp.services.traces import read_trace

pytestmark = pytest.mark.django_db

TEXTS = (
    "Atlas stores orders in PostgreSQL.", "Atlas stores orders in SQLite.", "Releases go out on Friday.",
    "Releases go out on Monday, never on Friday.", "The staging database is called otter.", "Prefers short answers.",
    "喜欢寿司和绿茶。",
)  # fmt: skip
QUERIES = (
    "where are the orders of atlas stored?",
    "when do releases go out, friday?",
    "databse otter",
    "寿司",
    "zebra",
)

SLOT = st.sampled_from(
    [("fact", "atlas.db"), ("fact", "atlas.release"), ("decision", "beacon.db"), ("preference", "style"),
     ("preference", "atlas.style"), ("fact", "personal.food")]
)  # fmt: skip
PROPOSE = st.builds(
    lambda slot, text, ago, fields: ("propose", slot, text, ago, fields),
    SLOT,
    st.sampled_from([*TEXTS, *TEXTS, None]),
    st.sampled_from([0, 0, 0, 1, 12, 400]),
    st.fixed_dictionaries(
        {},
        optional={
            "pinned": st.booleans(),
            "aliases": st.sampled_from([("otter",), ("friday", "k8s")]),
            "importance": st.integers(1, 10),
            "source": st.none(),
        },
    ),
)
CORRECT = st.tuples(st.just("correct"), st.integers(0, 9), st.sampled_from(TEXTS))
GENTLE = st.tuples(st.sampled_from(["confirm", "pin", "unpin", "resume", "restore"]), st.integers(0, 9))
HARSH = st.tuples(st.sampled_from(["pause", "forget", "dispute"]), st.integers(0, 9))
RECALL = st.builds(
    lambda query, scopes, fields: ("recall", ContextRequest(query=query, scopes=scopes, **fields)),
    st.sampled_from([*QUERIES, *QUERIES, None]),
    st.sampled_from([(), ("atlas",), ("atlas", "beacon")]),
    st.fixed_dictionaries(
        {},
        optional={
            "floor": st.sampled_from([0.0, 0.2, 0.6]),
            "budget_tokens": st.sampled_from([0, 60, 90]),
            "limit": st.sampled_from([0, 1, 3]),
            "kinds": st.sampled_from([("fact",), ("preference", "decision")]),
        },
    ),
)
START = st.lists(PROPOSE, min_size=2, max_size=4)
KIND = st.one_of(PROPOSE, RECALL, RECALL, CORRECT, GENTLE)
CALM = st.tuples(START, st.lists(KIND, min_size=2, max_size=9)).map(lambda parts: parts[0] + parts[1])
WILD = st.tuples(START, st.lists(st.one_of(KIND, HARSH), min_size=2, max_size=9)).map(lambda parts: parts[0] + parts[1])

VERBS = {"confirm": confirm, "pin": pin, "unpin": unpin, "pause": pause, "resume": resume, "restore": restore}

quickly = settings(
    max_examples=15,
    deadline=None,
    # A history that fails is short already; looking for a shorter one in the database takes minutes.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


class History:
    """One person's history, step by step, and the retrievals on its way."""

    def __init__(self, bot):
        self.actor = ensure_person(bot, str(uuid4()))
        self.sent = []

    def take(self, step):
        match step:
            case ("propose", (kind, subject), text, ago, fields):
                scope = "personal" if subject.startswith("personal.") else None
                said = datetime.now(UTC) - timedelta(days=ago)
                given = {"source": text or "I take it back", "occurred_at": said} | fields
                proposal = Proposal(kind=kind, subject=subject, text=text, scope=scope, retract=text is None, **given)
                propose([proposal], actor=self.actor)
            case ("recall", request):
                # A trace's instant is known to the millisecond; what was written before lies clearly before.
                time.sleep(0.002)
                response = recall(request, actor=self.actor)
                self.sent.append((request, response))
                time.sleep(0.002)
            case (verb, number, *rest):
                ids = self.ids(forgotten=verb == "restore")
                if ids:
                    with suppress(ServiceError):
                        self.do(verb, ids[number % len(ids)], *rest)

    def do(self, verb, memory_id, text=None):
        if verb == "correct":
            with acting_for(self.actor.person_id):
                version = Memory.objects.get(pk=memory_id).version
            correct(memory_id, Changes(text=text), expected_version=version, actor=self.actor)
        elif verb == "forget":
            forget(memory_id, relearn="allow", source="keep", actor=self.actor)
        elif verb == "dispute":
            with acting_for(self.actor.person_id):
                Memory.objects.filter(pk=memory_id).update(disputed=True)
        else:
            VERBS[verb](memory_id, actor=self.actor)

    def ids(self, *, forgotten):
        with acting_for(self.actor.person_id):
            rows = (
                Memory.objects.filter(state=State.FORGOTTEN) if forgotten else Memory.objects.exclude(state="forgotten")
            )
            return sorted(rows.values_list("pk", flat=True))

    def barred(self):
        """Why each memory that may not be sent may not."""
        with acting_for(self.actor.person_id):
            rows = Memory.objects.filter(state__in=("forgotten", "paused"))
            barred = dict(rows.values_list("pk", "state"))
            disputed = Memory.objects.filter(disputed=True).exclude(state="forgotten")
            return barred | dict.fromkeys(disputed.values_list("pk", flat=True), "disputed")

    def check_replays(self):
        barred = {str(pk): why for pk, why in self.barred().items()}
        for _, response in self.sent:
            expected = response["context"]
            for one in response["memories"]:
                if why := barred.get(one["id"]):
                    expected = expected.replace(f"- {one['text']} (", f"- [not shown: {why}] (")
            assert read_trace(UUID(response["trace_id"]), actor=self.actor)["context"] == expected

    def check_as_of(self):
        barred = {str(pk) for pk in self.barred()}
        for request, response in self.sent:
            then = replace(request, as_of=instant_of(UUID(response["trace_id"])))
            once, again = (recall(then, actor=self.actor) for _ in range(2))
            assert bare(once) == bare(again)
            assert not barred & {one["id"] for one in once["memories"]}
            if request.query and not barred:
                assert bare(once) == bare(response)


def bare(response):
    return {name: value for name, value in response.items() if name != "trace_id"}


@quickly
@given(steps=CALM)
def test_what_was_sent_can_be_asked_for_again(steps, bot):
    history = History(bot)
    for step in steps:
        history.take(step)
    history.check_replays()
    history.check_as_of()


@quickly
@given(steps=WILD)
def test_nothing_comes_back_that_may_not_be_sent_any_more(steps, bot):
    history = History(bot)
    for step in steps:
        history.take(step)
    history.check_replays()
    history.check_as_of()


def test_it_compares_blocks_that_hold_something(bot):
    """The control: each sort of step, a block before and after each, and all of them given back."""
    history = History(bot)
    ask = ContextRequest(query="where are the orders of atlas stored?", scopes=("atlas",))
    db, style = ("fact", "atlas.db"), ("preference", "style")
    for step in (
        ("propose", db, TEXTS[0], 12, {}), ("propose", style, TEXTS[5], 0, {}),
        ("propose", ("fact", "atlas.release"), TEXTS[2], 0, {}), ("recall", ask),
        ("propose", db, TEXTS[1], 0, {}), ("recall", ask), ("correct", 0, TEXTS[0]), ("recall", ask),
        ("pin", 0), ("recall", ask), ("propose", db, None, 0, {}), ("recall", ask),
    ):  # fmt: skip
        history.take(step)
    blocks = [response["context"] for _, response in history.sent]
    assert ["SQLite" in block for block in blocks] == [False, True, False, False, False]
    assert ["PostgreSQL" in block for block in blocks] == [True, False, True, True, False]
    assert all("short answers" in block for block in blocks)
    history.check_replays()
    history.check_as_of()
    history.do("forget", history.ids(forgotten=False)[0])
    history.check_replays()
    history.check_as_of()


def test_a_paused_one_is_counted_then_as_it_was(bot):
    history = History(bot)
    history.take(("propose", ("preference", "style"), TEXTS[5], 0, {}))
    history.take(("pause", 0))
    history.take(("recall", ContextRequest(query="answers")))
    history.take(("resume", 0))
    history.take(("recall", ContextRequest(query="answers")))
    history.check_as_of()
    request, response = history.sent[0]
    assert response["withheld"]["paused"] == 1 and response["context"] == ""
    again = recall(replace(request, as_of=instant_of(UUID(response["trace_id"]))), actor=history.actor)
    assert again["withheld"] == response["withheld"]
    assert "short answers" in history.sent[1][1]["context"]


def test_a_session_start_as_of_an_instant_is_deterministic(bot):
    history = History(bot)
    for number in range(8):
        history.take(("propose", ("fact", f"atlas.s{number}"), f"Fact number {number}.", number, {}))
    then = datetime.now(UTC)
    history.take(("propose", ("fact", "atlas.s0"), "Fact number 99.", 0, {}))
    ask = ContextRequest(scopes=("atlas",), as_of=then)
    once, again = (recall(ask, actor=history.actor) for _ in range(2))
    assert bare(once) == bare(again)
    assert len(once["memories"]) == 8 and "number 99" not in json.dumps(once)


def test_what_was_confirmed_since_is_as_old_as_it_was_then(bot):
    history = History(bot)
    history.take(("propose", ("preference", "style"), TEXTS[5], 12, {}))
    history.take(("recall", ContextRequest(query="answers")))
    history.take(("confirm", 0))
    history.take(("recall", ContextRequest(query="answers")))
    assert ["(12 days ago)" in response["context"] for _, response in history.sent] == [True, False]
    history.check_replays()
    history.check_as_of()


def test_a_guess_that_was_said_later_is_as_old_as_the_statement(bot):
    history = History(bot)
    history.take(("propose", ("preference", "style"), TEXTS[5], 0, {"source": None}))
    history.take(("propose", ("preference", "style"), TEXTS[5], 12, {}))
    history.take(("recall", ContextRequest(query="answers")))
    assert "(12 days ago)" in history.sent[0][1]["context"]
    history.check_replays()
    history.check_as_of()


def test_as_of_before_anything_there_is_nothing(bot):
    history = History(bot)
    before = datetime.now(UTC)
    history.take(("propose", ("preference", "style"), TEXTS[5], 400, {}))
    ask = ContextRequest(query="answers", as_of=before)
    assert recall(ask, actor=history.actor)["context"] == ""
    assert "short answers" in recall(replace(ask, as_of=None), actor=history.actor)["context"]
