"""Vectors: made after the write, kept in step with the memory, and missed without harm."""

import json
import logging
import threading
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID

import pytest
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.ids import uuid7
from accounts.models import User
from memoryapp.database.isolation import acting_for, wide_access
from memoryapp.embedding import MiniLM, Unavailable
from memoryapp.models import Memory, TextVector
from memoryapp.policy.relevance import analyse_request
from memoryapp.services import embed_later, meaning
from memoryapp.services.correct import Changes, correct
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import NotFound
from memoryapp.services.forget import forget
from memoryapp.services.kept_indexes import indexes_of
from memoryapp.services.meaning import Meaning
from memoryapp.services.recall import ContextRequest, recall, understanding_of
from memoryapp.services.rehearse import rehearse
from memoryapp.services.search import NEAREST, probe_for, scan
from memoryapp.services.shelf import Shelf
from memoryapp.services.states import pause, resume
from memoryapp.services.traces import read_trace
from memoryapp.services.trash import restore

pytestmark = pytest.mark.django_db

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors.json").read_text())
BUILT_IN = MiniLM()
TOPICS = {"town": ("bergen", "oslo", "town", "live"), "drink": ("tea", "coffee", "beverage", "drink")}


class Topics:
    """An embedder for tests: one direction per topic, one for the rest; it reads what is written in ASCII."""

    def __init__(self, model="topics", dimension=3):
        self.model, self.dimension, self.is_down, self.texts = model, dimension, False, []

    def embed(self, texts):
        if self.is_down:
            raise Unavailable("The embedding service did not answer.")
        self.texts += texts
        return [self._vector(text) if text.isascii() else None for text in texts]

    def _vector(self, text):
        met = [float(any(word in text.lower() for word in words)) for words in TOPICS.values()]
        values = [*met, 0.0 if any(met) else 1.0, *[0.0] * (self.dimension - 3)]
        length = sum(value * value for value in values) ** 0.5
        return tuple(value / length for value in values)


@pytest.fixture
def use(monkeypatch, settings):
    """`use(embedder)`: from now on this one makes the vectors."""
    settings.MEMORY_SCORER = "blended"

    def act(embedder):
        monkeypatch.setattr(meaning, "_shelf", Shelf(meaning._shelf._most))
        for module in (meaning, embed_later):
            monkeypatch.setattr(module, "embedder", lambda: embedder)
        return embedder

    monkeypatch.setattr(embed_later, "_wake_up", lambda: None)
    return act


@pytest.fixture
def topics(use):
    return use(Topics())


@pytest.fixture
def ask(ada):
    def act(query="Which place is her home town?", *, actor=ada, **fields):
        asked = ContextRequest(query=query, **fields)
        return recall(asked, actor=actor, understood=understanding_of(asked))

    return act


def fact(remember, text="Moved to Bergen in spring.", subject="whereabouts", **fields):
    return remember(text, kind="fact", scope="personal", subject=subject, **fields)


def embed_all():
    while embed_later.embed_waiting():
        pass


def sent(response):
    return [one["text"] for one in response["memories"]]


def vectors(ada):
    with acting_for(ada.person_id):
        return list(TextVector.objects.order_by("statement_id").values_list("is_live", "model", "dimension"))


def test_a_memory_is_found_by_its_meaning_once_its_vector_is_made(topics, remember, ask, ada):
    fact(remember)
    before = ask()
    assert sent(before) == [] and before["notice"] == "lexical_only"
    assert vectors(ada) == [(True, "", 0)] and topics.texts == ["Which place is her home town?"]
    embed_all()
    after = ask()
    assert sent(after) == ["Moved to Bergen in spring."] and after["notice"] is None
    assert vectors(ada) == [(True, "topics", 3)]
    assert sent(ask("Which beverage is right at noon?")) == []


def test_the_write_makes_no_vector(use, remember, ada):
    use(Topics()).is_down = True
    assert fact(remember)["text"] == "Moved to Bergen in spring."
    assert vectors(ada) == [(True, "", 0)]


def test_who_writes_wakes_the_background_after_the_commit(
    topics, remember, monkeypatch, django_capture_on_commit_callbacks
):
    woken = []
    monkeypatch.setattr(embed_later, "_wake_up", lambda: woken.append(True))
    with django_capture_on_commit_callbacks(execute=True), transaction.atomic():
        fact(remember)
        assert woken == []
    assert woken


def test_the_embedder_down_words_decide_and_it_is_said(topics, remember, ask, caplog):
    fact(remember, "Her home town is Bergen.")
    embed_all()
    topics.is_down = True
    response = ask("Is Bergen her home town?")
    assert sent(response) == ["Her home town is Bergen."] and response["notice"] == "lexical_only"
    fact(remember, "Drinks tea.", "drink")
    with pytest.raises(Unavailable):
        embed_later.embed_waiting()
    topics.is_down = False
    embed_all()
    assert sent(ask("Which beverage is right?")) == ["Drinks tea."]


def test_another_model_takes_over_row_by_row(use, remember, ask, ada):
    use(Topics())
    fact(remember)
    embed_all()
    use(Topics("newer", 5))
    during = ask()
    assert sent(during) == [] and during["notice"] == "lexical_only"
    assert sent(ask("Who moved to Bergen in spring?")) == ["Moved to Bergen in spring."]
    embed_all()
    assert sent(ask()) == ["Moved to Bergen in spring."] and vectors(ada) == [(True, "newer", 5)]


def test_long_vectors_are_found_as_well(use, remember, ask, ada):
    use(Topics("large", 3_072))
    fact(remember)
    embed_all()
    assert sent(ask()) == ["Moved to Bergen in spring."] and vectors(ada) == [(True, "large", 3_072)]


def test_a_language_that_the_model_does_not_read_is_left_to_its_words(topics, remember, ask, ada):
    fact(remember, "Живёт в Бергене.")
    embed_all()
    assert vectors(ada) == [(True, "topics", 0)]
    response = ask("Кто живёт в Бергене?")
    assert sent(response) == ["Живёт в Бергене."] and response["notice"] is None
    assert sent(ask()) == []


def test_a_correction_is_found_by_its_own_meaning(topics, remember, ask, ada):
    memory = fact(remember)
    embed_all()
    correct(UUID(memory["id"]), Changes(text="Drinks coffee."), expected_version=1, actor=ada)
    embed_all()
    assert sent(ask()) == [] and sent(ask("Which beverage is right?")) == ["Drinks coffee."]
    assert sorted(vectors(ada)) == [(False, "topics", 3), (True, "topics", 3)]


def test_the_past_is_seen_with_the_vectors_of_its_time(topics, remember, ask, ada):
    memory = fact(remember)
    embed_all()
    response = ask()
    at = read_trace(UUID(response["trace_id"]), actor=ada)["created_at"]
    correct(UUID(memory["id"]), Changes(text="Drinks coffee."), expected_version=1, actor=ada)
    embed_all()
    then = ask(as_of=datetime.fromisoformat(at))
    assert then["context"] == response["context"] != ""


def test_a_replay_needs_no_embedder(topics, remember, ask, ada):
    fact(remember)
    embed_all()
    response = ask()
    topics.is_down = True
    trace = read_trace(UUID(response["trace_id"]), actor=ada)
    assert trace["context"] == response["context"] and trace["scorer"] == "blended-3"
    assert trace["considered"][0]["parts"]["cosine"] == 1.0


def test_what_is_forgotten_leaves_no_vector(topics, remember, ask, ada, herself):
    memory = fact(remember)
    embed_all()
    forget(UUID(memory["id"]), relearn="allow", source="keep", actor=herself)
    assert vectors(ada) == []
    restore(UUID(memory["id"]), actor=herself)
    assert vectors(ada) == [(True, "", 0)]
    embed_all()
    assert sent(ask()) == ["Moved to Bergen in spring."]
    forget(UUID(memory["id"]), relearn="allow", source="keep", actor=herself)
    erase_now(UUID(memory["id"]), actor=herself)
    assert vectors(ada) == []


def test_paused_it_is_counted_and_not_sent(topics, remember, ask, ada):
    memory = fact(remember)
    embed_all()
    pause(UUID(memory["id"]), actor=ada)
    response = ask()
    assert sent(response) == [] and response["withheld"]["paused"] == 1
    resume(UUID(memory["id"]), actor=ada)
    assert sent(ask()) == ["Moved to Bergen in spring."]


def test_nobody_else_is_found_by_it(topics, remember, ask, ada, ben):
    fact(remember)
    embed_all()
    assert sent(ask(actor=ben)) == [] and sent(ask()) != []
    with acting_for(ben.person_id):
        assert not TextVector.objects.exists()


def test_the_nearest_are_scored_whatever_their_words(topics, remember, ask):
    for number in range(90):
        fact(remember, f"Drinks coffee number {number}.", f"coffee{number}")
    fact(remember, "Moved to Bergen in spring.")
    embed_all()
    assert sent(ask()) == ["Moved to Bergen in spring."]


def test_vectors_cost_no_query_more(topics, remember, ask):
    def count():
        with CaptureQueriesContext(connection) as queries:
            ask("Is Bergen her home town?")
        return len(queries)

    fact(remember, "Her home town is Bergen.")
    embed_all()
    few = count()
    for number in range(30):
        fact(remember, f"Drinks tea at {number}.", f"tea{number}")
    embed_all()
    # The scope is read anew in a transaction that has written, as a test's; before a model far away is told anything,
    # a transaction looks whether the person lets memories be used.
    assert count() == few == 4 + 1 + 1


def test_a_model_far_away_is_asked_by_the_request_itself(topics, remember, ask, monkeypatch):
    """So many requests may wait for one at a time; beside the database few threads read, each for milliseconds."""
    fact(remember)
    embed_all()
    readers = []
    embed = topics.embed
    monkeypatch.setattr(topics, "embed", lambda texts: readers.append(threading.current_thread().name) or embed(texts))
    ask("Is Bergen her home town?")
    monkeypatch.setattr(embed_later, "can_catch_up", lambda: True)
    ask("Which town is her home?")
    assert readers[0] == threading.current_thread().name and readers[1].startswith("understand")


def test_a_model_far_away_is_told_nothing_of_who_is_not_here_or_lets_nothing_be_used(topics, remember, ask, ada):
    fact(remember)
    embed_all()
    topics.texts.clear()
    ask("Is Bergen her home town?", actor=None)
    with pytest.raises(NotFound):
        ask("Is Bergen her home town?", actor=replace(ada, scopes=frozenset()))
    User.objects.filter(pk=ada.person_id).update(use=False)
    assert ask("Is Bergen her home town?")["notice"] == "use_off"
    assert topics.texts == []
    User.objects.filter(pk=ada.person_id).update(use=True)
    ask("Is Bergen her home town?")
    assert topics.texts == ["Is Bergen her home town?"]


def test_the_preview_says_what_the_meaning_came_to(topics, remember, ada):
    hers = Client()
    hers.force_login(User.objects.get(pk=ada.person_id), backend="django.contrib.auth.backends.ModelBackend")
    fact(remember)
    page = hers.get("/preview/?q=Which+place+is+her+home+town").text
    assert "words alone decided" in page
    embed_all()
    page = hers.get("/preview/?q=Which+place+is+her+home+town").text
    assert "words alone decided" not in page
    assert "meaning: 100 % near" in page and "sure that anything here fits" in page


def test_a_failing_background_says_no_text(topics, remember, caplog, monkeypatch):
    fact(remember)
    topics.is_down = True
    caplog.set_level(logging.WARNING)

    class Enough(Exception):
        pass

    waits = []

    def stop(seconds):
        waits.append(seconds)
        if len(waits) > 1:
            raise Enough

    monkeypatch.setattr(embed_later._wake, "wait", stop)
    monkeypatch.setattr(embed_later.connection, "close", lambda: None)
    with pytest.raises(Enough):
        embed_later._run()
    assert "did not answer" in caplog.text and "Bergen" not in caplog.text


def test_rehearsing_leaves_the_request_alone(topics, remember, herself):
    fact(remember)
    embed_all()
    outcome = rehearse(ContextRequest(query="Which place is her home town?"), actor=herself)
    assert [one.verdict for one in outcome.verdicts] == ["included"]
    with acting_for(herself.person_id):
        assert Memory.objects.get().use_count == 0


@pytest.mark.parametrize("case", VECTORS["retrieval"]["requests"], ids=lambda case: case["query"])
def test_the_built_in_model_gives_the_reference_verdicts(case, use, propose_one, ask):
    use(BUILT_IN)
    for turn, kind, subject, text, source in VECTORS["write"]["candidates"]:
        propose_one(text, kind=kind, subject=subject, source=source, turn=turn)
    embed_all()
    response = ask(case["query"], scopes=(case["scope"],), explain=True, floor=VECTORS["retrieval"]["floor"])
    shown = {one["key"]: one["verdict"] for one in response["considered"]}
    for scored in case["scored"]:
        assert shown[scored["key"]] == ("included" if scored["included"] else "below_floor")
    assert len(response["memories"]) == case["sent"] and response["notice"] is None


def test_among_a_hundred_people_the_nearest_are_those_of_exact_search(use, ada):
    """One person with 1,000 memories and 99 with 100 each, in one table: the search sees that one's, and all."""
    use(Topics("random", 8))
    everybody = [ada.person_id, *(uuid7() for _ in range(99))]
    with wide_access("embedding"), connection.cursor() as cursor:
        cursor.execute("set constraints all deferred")
        cursor.execute("select setseed(0.5)")
        for person_id in everybody:
            count = 1_000 if person_id == ada.person_id else 100
            with acting_for(person_id):
                cursor.execute(CROWD, {"person": person_id, "scope": person_id, "count": count})
    vector = "[" + ",".join(["0.35"] * 8) + "]"
    with acting_for(ada.person_id), connection.cursor() as cursor:
        indexes = indexes_of(ada.person_id, [ada.person_id], "random").of_scopes
        meant, probe = Meaning.of("random", [(0.35,) * 8]), probe_for(analyse_request("anything"), indexes)
        near = scan(probe, lambda: meant, indexes, kinds=None, now=datetime.now(UTC)).current
        cursor.execute("set enable_indexscan = off; set enable_indexonlyscan = off; set enable_bitmapscan = off")
        cursor.execute(EXACT, [ada.person_id, vector, NEAREST])
        exact = [memory_id for (memory_id,) in cursor.fetchall()]
    found = {UUID(int=high << 64 | low) for high, low in near.rows[["high", "low"]].tolist()}
    assert found == set(exact) and len(exact) == NEAREST
    assert min(near.cosines) > 0
    for person_id in everybody:
        with acting_for(person_id), connection.cursor() as cursor:
            cursor.execute("delete from memoryapp_textvector")
            cursor.execute("delete from memoryapp_searchentry")


CROWD = """
with made as (
    select gen_random_uuid() as id, array(select random() - 0.5 + n * 0 from generate_series(1, 8)) as v
    from generate_series(1, %(count)s) n
), entry as (
    insert into memoryapp_searchentry (
        person_id, memory_id, part, scope_id, version, kind, state, pinned, confirmed_at, valid_from, terms, words
    ) select %(person)s, id, 0, %(scope)s, 1, 'fact', 'current', false, now(), now() - interval '1 day',
        '{1:1}/1000000000', '{}' from made
)
insert into memoryapp_textvector (statement_id, person_id, memory_id, scope_id, is_live, model, dimension, vector)
select id, %(person)s, id, %(scope)s, true, 'random', 8, v::real[]::vector::halfvec from made
"""
EXACT = """
select memory_id from memoryapp_textvector where vector is not null
and person_id = %s order by vector <#> %s::halfvec limit %s
"""


def test_a_service_that_changes_its_dimension_leaves_the_words(use, remember, ask, ada):
    use(Topics(dimension=3))
    fact(remember)
    embed_all()
    use(Topics(dimension=5))
    assert sent(ask("Which place is her home town?")) == []
    assert sent(ask("When in spring did she move to Bergen?")) == ["Moved to Bergen in spring."]
    fact(remember, "Has coffee at noon.", "drink")
    fact(remember, "Saw a play.", "stage")
    embed_all()
    assert sent(ask("Which beverage is right for her?")) == ["Has coffee at noon."]
    assert {(model, dimension) for _, model, dimension in vectors(ada)} == {("topics", 3), ("topics", 5)}


def test_with_the_built_in_model_what_was_just_said_is_found_at_once(use, remember, ask, ada, herself):
    use(BUILT_IN)
    fact(remember, "Her sister moved to Bergen and teaches music at a school there.")
    response = ask("In which city does her sister teach music?")
    assert len(sent(response)) == 1 and response["notice"] is None
    assert vectors(ada) == [(True, BUILT_IN.model, 384)]
    fact(remember, "Has an old grey cat called Minna.", "companion")
    outcome = rehearse(ContextRequest(query="What is the name of her cat?"), actor=herself)
    assert outcome.notice is None and {len(one) for one in vectors(ada)} == {3}
    assert all(model == BUILT_IN.model for _, model, _ in vectors(ada))
