"""What happens in the midst of a look at what a process keeps, and what it may not keep."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import psycopg
import pytest
from django.conf import settings
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Scope
from memoryapp.database.cluster import SUPERUSER
from memoryapp.database.isolation import acting_for, under_grant
from memoryapp.services import kept_indexes
from memoryapp.services.correct import Changes, correct
from memoryapp.services.edit import move
from memoryapp.services.forget import forget
from memoryapp.services.kept_indexes import indexes_of
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.scope_index import ScopeIndex
from memoryapp.services.shelf import Shelf
from tests.staffing import grant_on, hire, run_out

pytestmark = pytest.mark.django_db(transaction=True)

MODEL = "eights"
BERGEN, OSLO, TROMSO = "Lives in Bergen.", "Works in Oslo.", "Was born in Tromsø."


@pytest.fixture(autouse=True)
def shelf(monkeypatch):
    """What is kept, as a look finds it; `shelf(empty=True)`: from now on nothing of what was."""

    def act(*, empty=False):
        if empty:
            monkeypatch.setattr(kept_indexes, "_shelf", Shelf(kept_indexes._shelf._most))
        return {key: slot.value for key, slot in kept_indexes._shelf._slots.items()}

    act(empty=True)
    return act


@pytest.fixture
def ids(remember):
    said = {BERGEN: "home", OSLO: "work", TROMSO: "birth"}
    return {text: remember(text, kind="fact", scope="atlas", subject=subject)["id"] for text, subject in said.items()}


@pytest.fixture
def look(ada):
    def act(*names, model=""):
        with acting_for(ada.person_id):
            pks = dict(Scope.objects.filter(person_id=ada.person_id).values_list("name", "pk"))
            return indexes_of(ada.person_id, [pks[name] for name in names or ("atlas",)], model).of_scopes

    return act


@pytest.fixture
def before_a_read(monkeypatch):
    """Another connection does this once, and commits, before rows of such a scope are read next."""

    def act(deed, *, at=1):
        read, seen = ScopeIndex.read, []

        def disturbed(*wanted):
            seen.append(wanted)
            if len(seen) == at:
                with ThreadPoolExecutor(1) as elsewhere:
                    elsewhere.submit(_then_close, deed).result()
            return read(*wanted)

        monkeypatch.setattr(ScopeIndex, "read", disturbed)
        return seen

    return act


def _then_close(deed):
    try:
        deed()
    finally:
        connection.close()


def ids_in(index):
    pairs = zip(index.rows["high"].tolist(), index.rows["low"].tolist(), strict=True)
    return {f"{high:016x}{low:016x}" for high, low in pairs}


def hexes(ids, *texts):
    return {str(ids[text]).replace("-", "") for text in texts}


def test_what_goes_in_the_midst_does_not_hide_that_another_went_before(ids, look, herself, before_a_read):
    """One was forgotten, one changed, and the changed one is forgotten too before it is read: the counts agree."""
    assert ids_in(look()[0]) == hexes(ids, BERGEN, OSLO, TROMSO)
    forget(ids[BERGEN], relearn="allow", source="keep", actor=herself)
    correct(ids[OSLO], Changes(text="Works in Moss."), expected_version=1, actor=herself)
    seen = before_a_read(lambda: forget(ids[OSLO], relearn="allow", source="keep", actor=herself))
    assert ids_in(look()[0]) == hexes(ids, TROMSO) and seen


@pytest.mark.parametrize("way", [("atlas", "boat"), ("boat", "atlas")], ids=["from the first", "from the second"])
def test_what_moves_in_the_midst_is_sent_once(way, remember, ada, herself, before_a_read):
    source, target = way
    home = remember(BERGEN, kind="fact", scope=source, subject="home")
    remember(OSLO, kind="fact", scope=target, subject="work")
    seen = before_a_read(lambda: move(home["id"], target, actor=herself), at=2)
    sent = recall(ContextRequest(query="Who lives in Bergen?", scopes=("atlas", "boat")), actor=ada)
    assert [one["text"] for one in sent["memories"]] == [BERGEN] and sent["context"].count(BERGEN) == 1
    assert [one["key"] for one in sent["memories"]] == [f"fact|{target}.home"] and len(seen) > 2


def test_however_much_is_written_meanwhile_a_look_ends(ids, look, herself, monkeypatch):
    """As during an import: each read finds more than was counted before it."""
    counted, read = [], ScopeIndex.read

    def growing(*wanted):
        counted.append(wanted)
        index = read(*wanted)
        return replace(index, rows=index.rows[[0, *range(len(index.rows))]])

    monkeypatch.setattr(ScopeIndex, "read", growing)
    assert len(look()[0].rows) == 4 and len(counted) == 3


def test_what_staff_read_under_a_grant_is_not_kept_and_what_is_kept_is_not_read(ids, look, ada, shelf):
    sol = hire("sol")
    trace = recall(ContextRequest(query="Who lives in Bergen?", scopes=("atlas",)), actor=ada)
    grant = grant_on(trace["trace_id"], sol, scopes=("atlas", "personal"), reach="person")
    kept = shelf()
    assert len(kept) == 2

    def as_staff():
        with acting_for(ada.person_id), under_grant(grant.id):
            return len(look()[0].rows)

    with CaptureQueriesContext(connection) as queries:
        assert as_staff() == 3
    assert any("sparsevec_send" in one["sql"] for one in queries) and shelf() == kept
    shelf(empty=True)
    assert as_staff() == 3 and not shelf()
    run_out(grant, sol)
    assert as_staff() == 0 and not shelf()
    assert len(look()[0].rows) == 3 and len(shelf()) == 1


@pytest.mark.skipif(not settings.MEMORY_USES_EMBEDDED, reason="needs a superuser that trusts us")
def test_of_a_server_that_went_on_after_a_crash_nothing_is_known(ids, look, shelf):
    """It begins its figures anew, as this function lets it, and was started when it was."""
    look()
    [former] = shelf().values()
    look()
    assert [*shelf().values()] == [former]
    parameters = connection.get_connection_params()
    address = {name: parameters[name] for name in ("host", "port", "dbname")}
    with psycopg.connect(**address, user=SUPERUSER) as superuser:
        superuser.execute("select pg_stat_reset_shared('bgwriter')")
    assert ids_in(look()[0]) == hexes(ids, BERGEN, OSLO, TROMSO)
    [latter] = shelf().values()
    assert latter.index is not former.index
    look()
    assert [*shelf().values()] == [latter]


def test_nothing_at_all_is_kept_of_a_scope_without_memories_where_nothing_may_be(remember, look, shelf, settings):
    remember(BERGEN, kind="fact", scope="atlas", subject="home")
    assert [len(one.rows) for one in look("personal")] == [0]
    assert len(shelf()) == 1 and kept_indexes._shelf.size > 0
    settings.MEMORY_SEARCH_MEGABYTES = 0
    shelf(empty=True)
    assert [len(one.rows) for one in look("personal")] == [0] and not shelf()


def test_a_scope_that_is_too_large_to_keep_takes_no_other_ones_place(ids, remember, look, shelf, settings, monkeypatch):
    settings.MEMORY_SEARCH_MEGABYTES = 1
    remember(BERGEN, kind="fact", scope="boat", subject="home")
    look("boat")
    boat = set(shelf())
    small = ScopeIndex.size
    monkeypatch.setattr(
        ScopeIndex, "size", property(lambda index: 2_000_000 if len(index.rows) == 3 else small.fget(index))
    )
    assert len(look("atlas")[0].rows) == 3
    assert set(shelf()) == boat != set()


def vectors(look):
    [index] = look(model=MODEL)
    return {at: tuple(vector) for at, vector in zip(index.rows["low"].tolist(), index.vectors.tolist(), strict=True)}


def embed(ids, texts, *, dimension=8):
    with connection.cursor() as cursor:
        vector = "[" + ",".join(["1"] * dimension) + "]"
        cursor.execute(
            "update memoryapp_textvector set model = %s, dimension = %s, vector = %s::halfvec"
            " where memory_id = any(%s::uuid[])",
            [MODEL, dimension, vector, [ids[text] for text in texts]],
        )


@pytest.mark.parametrize(
    ("before", "lost", "whole"),
    [([BERGEN, OSLO], OSLO, False), ([BERGEN], OSLO, False), ([OSLO], OSLO, True)],
    ids=["one of two", "one without", "the last"],
)
def test_what_waits_for_its_vector_does_not_cost_the_others_another_read(
    before, lost, whole, ids, look, ada, herself, shelf
):
    with acting_for(ada.person_id):
        embed(ids, before)
    vectors(look)
    correct(ids[lost], Changes(text="Works in Moss."), expected_version=1, actor=herself)
    with CaptureQueriesContext(connection) as queries:
        kept = vectors(look)
    reads = [one["sql"] for one in queries if "sparsevec_send" in one["sql"]]
    assert ["select unnest" in one for one in reads] == [True] + [False] * whole
    shelf(empty=True)
    assert vectors(look) == kept and len(kept) == 3


def test_vectors_of_a_lesser_dimension_serve_once_the_last_of_a_greater_is_gone(ids, look, ada, herself):
    with acting_for(ada.person_id):
        embed(ids, [BERGEN, TROMSO], dimension=4)
        embed(ids, [OSLO], dimension=8)
    assert {len(one) for one in vectors(look).values()} == {8}
    correct(ids[OSLO], Changes(text="Works in Moss."), expected_version=1, actor=herself)
    assert sorted(vectors(look).values()) == [(0.0,) * 4, (1.0,) * 4, (1.0,) * 4]
