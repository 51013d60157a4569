"""One retrieval as people read it: then and now, the block byte for byte, and masked without a word of content."""

import uuid
from dataclasses import replace

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.services.by_person import EditFields
from memoryapp.services.edit import edit
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget, restore
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pause, resume
from memoryapp.services.trace_view import trace_view
from memoryapp.services.traces import join_answer

pytestmark = pytest.mark.django_db

CANARY = "quokka"


@pytest.fixture
def stranger(ben):
    return replace(ben, kind="person", key_id=None)


@pytest.fixture
def asked(remember, ada):
    """Three facts on a database; the request meets two of them. Returns the response and the memories by subject."""
    rows = {
        "db": remember("Atlas uses a PostgreSQL 15 database.", kind="fact", subject="db", scope="atlas"),
        "cache": remember("The Atlas database has a cache of Redis.", kind="fact", subject="cache", scope="atlas"),
        "pet": remember(f"The mascot is a {CANARY}.", kind="fact", subject="pet", scope="atlas"),
        "tea": remember("Likes tea.", subject="drink"),
    }
    sent = recall(ContextRequest(scopes=("atlas",), query="Which database does atlas use?"), actor=ada)
    return sent, rows


def view(asked, actor, **options):
    return trace_view(uuid.UUID(asked[0]["trace_id"]), actor=actor, **options)


def by_subject(shown, rows):
    names = {uuid.UUID(row["id"]): name for name, row in rows.items()}
    return {names[one.memory_id]: one for one in shown.items}


def correct(row, text, actor):
    fields = EditFields(text=text, kind=row["kind"], subject=row["subject"], scope=row["scope"], aliases=())
    edit(uuid.UUID(row["id"]), fields, expected_version=row["version"], actor=actor)


def test_it_tells_what_was_sent_and_what_was_not(asked, herself):
    sent, rows = asked
    shown = view(asked, herself)
    assert shown.block == sent["context"] and len(shown.block) == shown.used["chars"]
    assert (shown.agent, shown.scopes, shown.query) == ("bot", ("atlas",), "Which database does atlas use?")
    assert (shown.offered, shown.sent, shown.gaps) == (4, len(sent["memories"]), 0)
    assert [str(one.memory_id) for one in shown.items if one.was_sent] == [one["id"] for one in sent["memories"]]
    items = by_subject(shown, rows)
    assert (items["tea"].why, items["tea"].relevance) == ("always_on", None)
    assert items["db"].verdict == "included" and items["db"].relevance > shown.floor
    assert (items["pet"].verdict, items["pet"].relevance, items["pet"].text) == (
        "below_floor", 0.0, f"The mascot is a {CANARY}.",
    )  # fmt: skip
    assert {one.since for one in shown.items} == {"same"}


def test_after_a_correction_it_shows_then_and_now(asked, herself):
    sent, rows = asked
    correct(rows["db"], "Atlas uses a PostgreSQL 16 database.", herself)
    shown = view(asked, herself)
    one = by_subject(shown, rows)["db"]
    assert (one.since, one.text, one.now.text, one.status) == (
        "changed", "Atlas uses a PostgreSQL 15 database.", "Atlas uses a PostgreSQL 16 database.", "current",
    )  # fmt: skip
    assert by_subject(shown, rows)["cache"].since == "same"
    assert shown.block == sent["context"]


def test_paused_since_is_still_shown_to_the_person_as_it_was_sent(asked, herself):
    sent, rows = asked
    pause(uuid.UUID(rows["db"]["id"]), actor=herself)
    shown = view(asked, herself)
    assert (by_subject(shown, rows)["db"].status, shown.block) == ("paused", sent["context"])


@pytest.mark.parametrize("is_erased", [pytest.param(False, id="forgotten"), pytest.param(True, id="erased")])
def test_what_is_gone_is_a_gap_and_the_rest_is_unchanged(is_erased, asked, herself):
    sent, rows = asked
    gone = uuid.UUID(rows["db"]["id"])
    forget(gone, relearn="allow", source="keep", actor=herself)
    if is_erased:
        erase_now(gone, actor=herself)
    shown = view(asked, herself)
    one = by_subject(shown, rows)["db"]
    assert (one.since, one.text, one.subject, one.now, one.status) == (
        "erased" if is_erased else "forgotten", None, None, None, None,
    )  # fmt: skip
    assert shown.gaps == 1 and "PostgreSQL" not in repr(shown)
    kept = [line for line in sent["context"].splitlines() if "PostgreSQL" not in line]
    assert [
        line for line in shown.block.splitlines() if "not shown" not in line and line != "## No longer kept"
    ] == kept
    assert shown.block.count("[not shown: forgotten]") == 1
    if not is_erased:
        restore(gone, actor=herself)
        assert view(asked, herself).block == sent["context"]


def test_masked_there_is_no_word_of_content_in_it_or_read_for_it(asked, herself, ada):
    sent, _ = asked
    trace_id = uuid.UUID(sent["trace_id"])
    join_answer(trace_id, answer_id="a-1", model="m", text=f"It is the {CANARY}.", actor=ada)
    with CaptureQueriesContext(
        connection,
    ) as queries:
        masked = view(asked, herself, is_masked=True)
    open_one = view(asked, herself)
    for word in (CANARY, "PostgreSQL", "Which database", "atlas", "pet"):
        assert word in repr(open_one)
        assert word not in repr(masked)
    assert not any("version.*" in query["sql"] or '"text"' in query["sql"] for query in queries)
    assert (masked.scopes, masked.query, masked.block, masked.has_query) == (("scope-1",), None, None, True)
    same = ("id", "at", "agent", "floor", "budget", "limit", "offered", "withheld", "used", "policy_version", "scorer")
    assert [getattr(masked, name) for name in same] == [getattr(open_one, name) for name in same]
    assert [(one.rank, one.verdict, one.relevance, one.parts, one.kind, one.since) for one in masked.items] == [
        (one.rank, one.verdict, one.relevance, one.parts, one.kind, one.since) for one in open_one.items
    ]
    assert (masked.answer.answer_id, masked.answer.text) == ("a-1", None)
    assert {one.scope for one in masked.items} == {"scope-1", "personal"}


def test_an_answer_may_rest_on_several_retrievals(asked, herself, ada):
    first = uuid.UUID(asked[0]["trace_id"])
    second = uuid.UUID(recall(ContextRequest(query="tea"), actor=ada)["trace_id"])
    for trace_id in (first, second):
        join_answer(trace_id, answer_id="a-1", model=None, text=None, actor=ada)
    assert trace_view(second, actor=herself).answer.others == (first,)
    assert trace_view(first, actor=herself).answer.others == (second,)


def test_another_persons_is_not_found(asked, herself, stranger):
    assert view(asked, herself).offered == 4
    with pytest.raises(NotFound):
        view(asked, stranger)


def test_it_reads_as_often_for_two_hundred_candidates(asked, remember, herself, ada):
    with CaptureQueriesContext(connection) as few:
        view(asked, herself)
    for number in range(40):
        remember(f"Atlas has table {number} in its database.", kind="fact", subject=f"t{number}", scope="atlas")
    sent = recall(ContextRequest(scopes=("atlas",), query="Which database tables?", limit=100), actor=ada)
    with CaptureQueriesContext(connection) as many:
        assert len(trace_view(uuid.UUID(sent["trace_id"]), actor=herself).items) == 44
    assert len(many) == len(few)


PAUSES = {
    "the person": (["herself"], ("person", None)),
    "an assistant": (["ada"], ("agent", "bot")),
    "the person, whatever is said after": (["herself", "said"], ("person", None)),
    "an assistant, though the person corrected it after": (["ada", "corrected"], ("agent", "bot")),
    "an assistant, though it was in the trash since": (["ada", "trashed"], ("agent", "bot")),
    "whoever did it last": (["ada", "resumed", "herself"], ("person", None)),
}


@pytest.mark.parametrize(("steps", "who"), PAUSES.values(), ids=PAUSES)
def test_it_knows_who_had_paused_what_was_held_back(steps, who, remember, ada, herself):
    row = remember("Likes tea.", subject="drink")
    does = {
        "ada": lambda: pause(row["id"], actor=ada),
        "herself": lambda: pause(row["id"], actor=herself),
        "resumed": lambda: resume(row["id"], actor=herself),
        "said": lambda: remember("Likes black tea.", subject="drink"),
        "corrected": lambda: correct(row | {"version": 2}, "Likes green tea.", herself),
        "trashed": lambda: (
            forget(row["id"], relearn="allow", source="keep", actor=herself), restore(row["id"], actor=herself)
        ),
    }  # fmt: skip
    for step in steps:
        does[step]()
    trace_id = uuid.UUID(recall(ContextRequest(query="tea"), actor=ada)["trace_id"])
    (held,) = trace_view(trace_id, actor=herself).held
    assert (held.verdict, (held.paused_by.kind, held.paused_by.agent)) == ("paused", who)
    # What becomes of it afterwards does not change what was so then.
    resume(row["id"], actor=herself)
    pause(row["id"], actor=ada if who[0] == "person" else herself)
    (held,) = trace_view(trace_id, actor=herself).held
    assert (held.paused_by.kind, held.paused_by.agent) == who
    assert trace_view(trace_id, actor=herself, is_masked=True).held[0].paused_by == held.paused_by
