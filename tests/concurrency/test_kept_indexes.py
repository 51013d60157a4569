"""What a process keeps of a scope is what it would read anew, whatever happened since, and only as much as it may."""

import random
import threading
import time
from contextlib import suppress

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Scope
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, SearchEntry
from memoryapp.services import embed_later, kept_indexes, meaning, shelf
from memoryapp.services.correct import Changes, correct
from memoryapp.services.disputes import dispute
from memoryapp.services.edit import move
from memoryapp.services.erase import erase_now
from memoryapp.services.errors import ServiceError
from memoryapp.services.forget import forget, restore
from memoryapp.services.kept_indexes import indexes_of
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reindexing import reindex
from memoryapp.services.scope_index import ScopeIndex
from memoryapp.services.states import confirm, pause, pin, resume, unpin

pytestmark = pytest.mark.django_db(transaction=True)

MODEL = "lengths"


class Lengths:
    """An embedder for tests: texts of one length point one way, those of another have nothing to do with them."""

    model = MODEL

    def embed(self, texts):
        return [tuple(float(len(text) % 8 == way) for way in range(8)) for text in texts]


@pytest.fixture(autouse=True)
def lengths(monkeypatch, settings):
    settings.MEMORY_SCORER = "blended"
    for module in (meaning, embed_later):
        monkeypatch.setattr(module, "embedder", Lengths)
    monkeypatch.setattr(embed_later, "_wake_up", lambda: None)
    for module in (kept_indexes, meaning):
        monkeypatch.setattr(module, "_shelf", shelf.Shelf(module._shelf._most))


@pytest.fixture
def kept(ada):
    """What the process has of Ada's scopes, brought up to date."""

    def act(actor=ada):
        with acting_for(actor.person_id):
            scopes = scopes_of(actor)
            return dict(zip(scopes, map(told, indexes_of(actor.person_id, scopes, MODEL).of_scopes), strict=True))

    return act


@pytest.fixture
def anew(ada):
    def act():
        with acting_for(ada.person_id):
            return {scope: told(ScopeIndex.read(ada.person_id, scope, MODEL)) for scope in scopes_of(ada)}

    return act


def scopes_of(actor):
    return list(Scope.objects.filter(person_id=actor.person_id).order_by("name").values_list("pk", flat=True))


def told(index):
    """An index by memory: what is known of it, its vector and its words; and the vocabulary."""
    terms = {}
    for term, row in zip(index.terms.tolist(), index.row_of_term.tolist(), strict=True):
        terms.setdefault(row, set()).add(term)
    memories = {
        row[:2]: (row[2:], tuple(vector), terms.get(place, set()))
        for place, (row, vector) in enumerate(zip(index.rows.tolist(), index.vectors.tolist(), strict=True))
    }
    assert len(memories) == len(index.rows)
    return memories, {first: sorted(words) for first, words in index.words.items()}


def reads(act):
    """How many scopes were read from the tables while it ran."""
    with CaptureQueriesContext(connection) as queries:
        act()
    return sum("sparsevec_send" in one["sql"] for one in queries)


SUBJECTS = ("drink", "home", "editor", "pet", "train")
TEXTS = (
    "Likes green tea best.",
    "Lives in Bergen.",
    "Uses vim at work.",
    "Has a cat, Minna.",
    "Takes the night train.",
)


def step(rng, ada, herself, remember):
    """One deed of an agent or of the person, as it comes."""
    with acting_for(ada.person_id):
        heads = list(Memory.objects.exclude(state="forgotten").order_by("pk"))
        gone = list(Memory.objects.filter(state="forgotten").order_by("pk"))
    if not heads or rng.random() < 0.4:
        kind, scope = rng.choice(["fact", "preference"]), rng.choice(["personal", "atlas", "boat"])
        remember(rng.choice(TEXTS), kind=kind, scope=scope, subject=rng.choice(SUBJECTS))
        return
    head = rng.choice(heads)
    deeds = [
        lambda: correct(head.pk, Changes(text=rng.choice(TEXTS)), expected_version=head.version, actor=herself),
        lambda: move(head.pk, rng.choice(["atlas", "boat"]), actor=herself),
        lambda: (resume if head.state == "paused" else pause)(head.pk, actor=herself),
        lambda: (unpin if head.pinned else pin)(head.pk, actor=herself),
        lambda: confirm(head.pk, actor=herself),
        lambda: dispute(head.pk, text="No.", actor=herself),
        lambda: forget(head.pk, relearn="allow", source="keep", actor=herself),
        lambda: gone and restore(rng.choice(gone).pk, actor=herself),
        lambda: erase_now(head.pk, actor=herself),
        lambda: embed_later.embed_waiting(),
    ]
    with suppress(ServiceError):  # what cannot be done now is not done
        rng.choice(deeds)()


@pytest.mark.parametrize("seed", range(4))
def test_after_any_deeds_it_is_what_would_be_read_anew(seed, ada, herself, remember, kept, anew):
    rng = random.Random(seed)
    memories = 0
    for _ in range(30):
        step(rng, ada, herself, remember)
        found = kept()
        assert found == anew()
        memories = max(memories, sum(len(rows) for rows, _ in found.values()))
    assert memories >= 4


def test_only_what_has_changed_is_read_again(kept, remember, herself):
    first = remember("Lives in Bergen.", kind="fact", scope="atlas", subject="home")
    assert reads(kept) == 2  # the personal scope is one of them
    assert reads(kept) == 0
    remember("Likes green tea best.", kind="fact", scope="atlas", subject="drink")
    with CaptureQueriesContext(connection) as queries:
        kept()
    [read] = [one["sql"] for one in queries if "sparsevec_send" in one["sql"]]
    assert "select unnest" in read and len(told_rows(kept())) == 2
    forget(first["id"], relearn="allow", source="keep", actor=herself)
    assert len(told_rows(kept())) == 1


def told_rows(found):
    return [row for rows, _ in found.values() for row in rows]


def test_of_very_many_changes_the_scope_is_read_as_a_whole(kept, remember, monkeypatch):
    remember("Lives in Bergen.", kind="fact", scope="atlas", subject="home")
    kept()
    monkeypatch.setattr(kept_indexes, "MOST_CHANGED", 2)
    for number in range(3):
        remember(f"Takes night train {number}.", kind="fact", scope="atlas", subject=f"train {number}")
    with CaptureQueriesContext(connection) as queries:
        assert len(told_rows(kept())) == 4
    [read] = [one["sql"] for one in queries if "sparsevec_send" in one["sql"]]
    assert "select unnest" not in read
    assert reads(kept) == 0


def test_a_writer_whose_transaction_was_long_is_not_missed(kept, remember, ada, at_once):
    """It began to write before the scope was read, and committed after another who came later."""
    remember("Lives in Bergen.", kind="fact", scope="atlas", subject="home")
    with acting_for(ada.person_id):
        memory = Memory.objects.get()
    has_written, may_commit = threading.Event(), threading.Event()

    def slow():
        with acting_for(ada.person_id), connection.cursor() as cursor:
            cursor.execute("update memoryapp_searchentry set version = 7 where memory_id = %s", [memory.pk])
            has_written.set()
            assert may_commit.wait(10)

    def quick():
        assert has_written.wait(10)
        with acting_for(ada.person_id), connection.cursor() as cursor:
            cursor.execute("update memoryapp_textvector set is_live = is_live where memory_id = %s", [memory.pk])
        try:
            return versions(kept())
        finally:
            may_commit.set()

    def versions(found):
        return [row[0][0] for rows, _ in found.values() for row in rows.values()]

    assert at_once(slow, quick) == [None, [1]]
    assert versions(kept()) == [7]


def test_asking_again_costs_four_queries_and_no_look_at_vectors(remember, ada, monkeypatch):
    monkeypatch.setattr(embed_later, "can_catch_up", lambda: True)

    def ask():
        with CaptureQueriesContext(connection) as queries:
            response = recall(ContextRequest(query="Does she live in Bergen?", scopes=("atlas",)), actor=ada)
        assert len(response["memories"]) == 1 and response["notice"] is None
        return len([one for one in queries if one["sql"] not in ("BEGIN", "COMMIT")])

    remember("Lives in Bergen.", kind="fact", scope="atlas", subject="home")
    embed_later.embed_waiting()
    assert ask() == 4 + 2  # both scopes are read
    for number in range(30):
        remember(f"Takes night train {number}.", kind="fact", scope="atlas", subject=f"train {number}")
    embed_later.embed_waiting()
    assert ask() == 4 + 1
    assert ask() == 4


def test_what_is_undone_is_seen_meanwhile_and_not_kept(remember, ada, herself):
    def ask(town):
        response = recall(ContextRequest(query=f"Who lives in {town}?"), actor=ada)
        return [one["text"] for one in response["memories"]]

    home = remember("Lives in Bergen.", kind="fact", subject="home", scope="personal")
    assert ask("Bergen") == ["Lives in Bergen."]
    with transaction.atomic():
        correct(home["id"], Changes(text="Lives in Oslo."), expected_version=1, actor=herself)
        assert (ask("Bergen"), ask("Oslo")) == ([], ["Lives in Oslo."])
        transaction.set_rollback(True)
    assert (ask("Bergen"), ask("Oslo")) == (["Lives in Bergen."], [])


def test_what_is_kept_of_one_person_is_nothing_to_another(kept, remember, ada, ben):
    remember("Lives in Bergen.", kind="fact", scope="atlas", subject="home")
    assert len(told_rows(kept())) == 1
    with acting_for(ada.person_id):
        hers = scopes_of(ada)
    with acting_for(ben.person_id):
        for whose in (ada.person_id, ben.person_id):
            assert [len(one.rows) for one in indexes_of(whose, hers, MODEL).of_scopes] == [0] * len(hers)
    assert len(told_rows(kept())) == 1


def test_it_keeps_as_much_as_it_may(kept, remember, settings):
    for scope in ("atlas", "boat", "cabin"):
        remember("Lives in Bergen.", kind="fact", scope=scope, subject="home")
    assert reads(kept) == 4 and reads(kept) == 0
    settings.MEMORY_SEARCH_MEGABYTES = 0
    remember("Likes green tea best.", kind="fact", scope="atlas", subject="drink")
    assert len(told_rows(kept())) == 4
    assert not kept_indexes._shelf._slots and kept_indexes._shelf.size == 0
    assert reads(kept) == 4


def test_it_lets_go_what_nobody_asks_for(kept, remember, ada, monkeypatch):
    monkeypatch.setattr(shelf, "_IDLE_SECONDS", 0.4)
    monkeypatch.setattr(shelf, "_LOOK_SECONDS", 0.1)
    monkeypatch.setattr(kept_indexes, "_shelf", shelf.Shelf(lambda: 1_000_000))
    for scope in ("atlas", "boat"):
        remember("Lives in Bergen.", kind="fact", scope=scope, subject="home")
    kept()
    assert len(kept_indexes._shelf._slots) == 3
    with acting_for(ada.person_id):
        boat = Scope.objects.get(name="boat").pk
    ends = time.monotonic() + 10
    while len(kept_indexes._shelf._slots) != 1 and time.monotonic() < ends:
        with acting_for(ada.person_id):
            indexes_of(ada.person_id, [boat], MODEL)
    assert [scope for _, scope, _ in kept_indexes._shelf._slots] == [boat]
    while kept_indexes._shelf._slots and time.monotonic() < ends:
        time.sleep(0.05)
    assert not kept_indexes._shelf._slots and kept_indexes._shelf.size == 0


def test_rows_of_a_server_that_was_further_on_are_not_read_each_time(kept, remember):
    """As after a restore: their transactions are yet to come here."""
    remember("Lives in Bergen.", kind="fact", scope="atlas", subject="home")
    with connection.cursor() as cursor:
        for table in ("memoryapp_searchentry", "memoryapp_textvector"):
            cursor.execute(f"alter table {table} disable trigger stamp_transaction, no force row level security")
            cursor.execute(f"update {table} set changed_in = '9000000000'")
            cursor.execute(f"alter table {table} enable trigger stamp_transaction, force row level security")
    assert reads(kept) == 2 and len(told_rows(kept())) == 1
    assert reads(kept) == 0


def test_of_a_server_that_was_started_anew_nothing_is_known(kept, remember):
    remember("Lives in Bergen.", kind="fact", scope="atlas", subject="home")
    kept()
    for one in kept_indexes._shelf._slots.values():
        one.value.server = f"earlier than {one.value.server}"
    assert reads(kept) == 2
    assert reads(kept) == 0


@pytest.mark.parametrize("most", [256, 2], ids=["as_changes", "as_a_whole"])
def test_what_was_made_anew_of_an_earlier_version_is_noticed(most, ada, remember, kept, anew, monkeypatch):
    monkeypatch.setattr(kept_indexes, "MOST_CHANGED", most)
    for subject, text in zip(SUBJECTS, TEXTS, strict=True):
        remember(text, kind="fact", scope="atlas", subject=subject)
    embed_later.embed_waiting()
    new = kept()
    with acting_for(ada.person_id):
        SearchEntry.objects.update(terms={7: 1.0}, words=["formerly"], analysis=1)
    former = kept()
    assert former == anew() != new
    reindex()
    assert kept() == anew() == new
