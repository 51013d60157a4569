"""Finding a memory: by typing in any script, by facets that count, in an order without gaps, fast in a large store."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services.errors import Invalid
from memoryapp.services.finding import PageFilters, find
from memoryapp.services.forget import forget
from memoryapp.services.states import confirm, pause
from tests.alike import alike

pytestmark = pytest.mark.django_db

NOW = datetime.now(UTC)


def texts(page):
    return [row.text for row in page.rows]


def facet(page, name):
    return {value.value: value.count for value in page.facets[name]}


def put(actor, memory_id, **fields):
    with acting_for(actor.opened):
        Memory.objects.filter(pk=memory_id).update(**fields)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        pytest.param("POSTGRES", "Atlas uses PostgreSQL.", id="other letters, a part of a word"),
        pytest.param("sql atlas", "Atlas uses PostgreSQL.", id="every word, in any order"),
        pytest.param("cafe", "Mag das Café.", id="without its accent"),
        pytest.param("CAFÉ", "Trifft sich im cafe.", id="with an accent that is not there"),
        pytest.param("STRASSE", "Wohnt in der Lindenstraße.", id="sharp s"),
        pytest.param("οδος", "Μένει στην ΟΔΌΣ Ερμού.", id="Greek final sigma"),
        pytest.param("кошк", "Любит КОШЕК и кошку.", id="Cyrillic"),
        pytest.param("数据库", "项目使用数据库。", id="Chinese"),
        pytest.param("ﾃﾞｰﾀ", "データが好き。", id="half-width Japanese"),
        pytest.param("ชอบ", "ฉันชอบชาเย็น", id="Thai"),
        pytest.param("قهوه", "يحب القَهْوه كثيرا", id="Arabic with its vowels"),
        pytest.param("שלום", "אומר שָׁלוֹם תמיד", id="Hebrew with its points"),
        pytest.param("한국", "한국어를 배운다", id="Korean"),
        pytest.param("🍵", "Loves 🍵 in the morning", id="emoji"),
        pytest.param("100%", "Is 100% sure.", id="a percent sign is itself"),
        pytest.param("a_b", "Names files a_b.", id="an underscore is itself"),
        pytest.param("pass\u200bport", "Has a passport.", id="invisible letters"),
    ],
)
def test_it_finds_every_script(typed, text, remember, herself):
    remember(text, subject="one")
    remember("Something else altogether.", subject="two")
    assert texts(find(PageFilters(q=typed), actor=herself)) == [text]


@pytest.mark.parametrize("typed", ["100 %", "a.b", "tea rum", "%", "\\"])
def test_it_does_not_find_what_is_not_there(typed, remember, herself):
    remember("Likes tea, never a100b.")
    assert texts(find(PageFilters(q="tea"), actor=herself)) == ["Likes tea, never a100b."]
    page = find(PageFilters(q=typed), actor=herself)
    assert (page.rows, page.count, page.total, page.first) == ((), 0, 1, 0)


@pytest.mark.parametrize("typed", ["likes", "drink", "cuppa", "yesterday"])
def test_it_looks_through_text_subject_aliases_and_source(typed, remember, herself):
    remember("Likes tea.", aliases=("Cuppa", "brew"), source="I said tea, yesterday")
    assert find(PageFilters(q=typed), actor=herself).count == 1


@pytest.mark.parametrize("typed", ["", "  \n ", "\0", "\u200b"])
def test_nothing_typed_narrows_nothing(typed, remember, herself):
    remember("Likes tea.")
    assert find(PageFilters(q=typed), actor=herself).count == 1


@pytest.fixture
def some(remember, propose_one, herself, ada):
    """Seven memories that differ in every facet, and one that is forgotten."""
    remember("Likes tea.", subject="drink")
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Atlas ships on Fridays.", kind="decision", subject="atlas.release")
    put(ada, remember("Beacon uses SQLite.", kind="fact", subject="beacon.db")["id"], use_count=3, last_used_at=NOW)
    propose_one("Likes jazz.", subject="music", source=None)
    pause(remember("Likes rum.", subject="spirit")["id"], actor=herself)
    remember("Was in Rome.", subject="place", expires_at=NOW - timedelta(days=1))
    propose_one(None, subject="atlas.release", kind="decision", retract=True, source="no longer on Fridays")
    forget(remember("Likes secrets.", subject="secret")["id"], relearn="allow", source="keep", actor=herself)


@alike(
    ("filters", "count"),
    [
        pytest.param({}, 6, id="none"),
        pytest.param({"scope": "atlas"}, 1, id="scope"),
        pytest.param({"kind": "fact"}, 2, id="kind"),
        pytest.param({"kind": "fact", "scope": "beacon"}, 1, id="two"),
        pytest.param({"origin": "inferred"}, 1, id="origin"),
        pytest.param({"status": "current"}, 3, id="current"),
        pytest.param({"status": "paused"}, 1, id="paused"),
        pytest.param({"status": "pending"}, 1, id="pending"),
        pytest.param({"status": "expired"}, 1, id="expired"),
        pytest.param({"status": "closed"}, 1, id="closed"),
        pytest.param({"status": "forgotten"}, 0, id="forgotten is in the trash"),
        pytest.param({"use": "used"}, 1, id="used"),
        pytest.param({"use": "never"}, 5, id="never used"),
        pytest.param({"since": NOW - timedelta(days=1)}, 6, id="written since"),
        pytest.param({"since": NOW + timedelta(days=1)}, 0, id="nothing since"),
        pytest.param({"q": "uses", "kind": "fact", "use": "never"}, 1, id="all together"),
        pytest.param({"scope": "nowhere"}, 0, id="an unknown scope"),
    ],
)
def test_filters_narrow_and_the_count_is_that_of_the_list(filters, count, some, herself):
    page = find(PageFilters(**filters), actor=herself)
    assert (page.count, len(page.rows), page.total) == (count, count, 6)
    assert PageFilters(**filters).is_narrowed == bool(filters)


def test_a_facet_counts_under_the_other_filters(some, herself):
    page = find(PageFilters(kind="fact"), actor=herself)
    assert facet(page, "kind") == {"preference": 4, "fact": 2}
    assert facet(page, "scope") == {"atlas": 1, "beacon": 1}
    assert facet(page, "status") == {"current": 2}
    assert facet(page, "use") == {"used": 1, "never": 1}
    page = find(PageFilters(q="likes"), actor=herself)
    assert facet(page, "status") == {"current": 1, "paused": 1, "pending": 1}
    assert facet(page, "origin") == {"stated": 2, "inferred": 1}


def test_every_facet_count_is_what_choosing_it_lists(some, herself):
    for base in ({}, {"scope": "personal"}, {"use": "never", "q": "e"}):
        page = find(PageFilters(**base), actor=herself)
        for name, values in page.facets.items():
            for value in values:
                assert find(PageFilters(**(base | {name: value.value})), actor=herself).count == value.count


def test_a_chosen_value_stays_when_its_last_memory_is_gone(remember, herself):
    memory = remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Likes tea.")
    forget(memory["id"], relearn="allow", source="keep", actor=herself)
    page = find(PageFilters(scope="atlas"), actor=herself)
    assert (page.count, page.total) == (0, 1)
    assert facet(page, "scope") == {"personal": 1, "atlas": 0}


def test_it_sorts(remember, herself, ada):
    first = remember("A.", subject="a")
    second = remember("B.", subject="b")
    third = remember("C.", subject="c")
    put(ada, second["id"], last_used_at=NOW)
    confirm(first["id"], actor=herself)
    confirm(third["id"], actor=herself)
    confirm(first["id"], actor=herself)
    order = {
        sort: "".join(texts(find(PageFilters(sort=sort), actor=herself)))
        for sort in ("said", "written", "used", "most")
    }
    assert order == {"said": "A.C.B.", "written": "C.B.A.", "used": "B.C.A.", "most": "A.C.B."}


@pytest.fixture
def ties(remember, ada):
    """Twenty-five memories in five groups that no sort tells apart."""
    for number in range(25):
        memory = remember(f"Number {number}.", subject=f"n{number}")
        at = NOW - timedelta(days=number // 5)
        put(
            ada, memory["id"], confirmed_at=at, created_at=at, seen=1 + number // 5,
            last_used_at=at if number > 4 else None,
        )  # fmt: skip


@alike("sort", ["said", "written", "used", "most"])
def test_pages_follow_each_other_without_gap_both_ways(sort, ties, herself):
    filters = PageFilters(sort=sort)
    whole = texts(find(filters, actor=herself))
    assert len(whole) == 25
    page = find(filters, actor=herself, limit=10)
    assert (page.first, page.newer, page.count) == (1, None, 25)
    pages = [page]
    while page.older:
        page = find(filters, actor=herself, cursor=page.older, limit=10)
        pages.append(page)
    assert [one.first for one in pages] == [1, 11, 21]
    assert [text for one in pages for text in texts(one)] == whole
    back = find(filters, actor=herself, cursor=pages[2].newer, direction="newer", limit=10)
    assert (texts(back), back.first) == (texts(pages[1]), 11)
    again = find(filters, actor=herself, cursor=back.older, limit=10)
    assert texts(again) == texts(pages[2])
    start = find(filters, actor=herself, cursor=back.newer, direction="newer", limit=10)
    assert (texts(start), start.newer) == (whole[:10], None)


def test_a_page_whose_rows_are_gone_gives_the_one_before(ties, herself):
    filters = PageFilters(sort="written")
    page = find(filters, actor=herself, limit=20)
    last = find(filters, actor=herself, cursor=page.older, limit=20)
    for row in last.rows:
        forget(row.id, relearn="allow", source="keep", actor=herself)
    shown = find(filters, actor=herself, cursor=page.older, limit=20)
    assert (texts(shown), shown.count, shown.older) == (texts(page), 20, None)


def test_going_back_to_the_start_fills_the_first_page(ties, herself):
    filters = PageFilters(sort="written")
    page = find(filters, actor=herself, limit=10)
    second = find(filters, actor=herself, cursor=page.older, limit=10)
    forget(page.rows[0].id, relearn="allow", source="keep", actor=herself)
    shown = find(filters, actor=herself, cursor=second.newer, direction="newer", limit=10)
    assert (len(shown.rows), shown.first, shown.newer) == (10, 1, None)


@alike("cursor", ["", "x", "WyJhIl0", "%00", "WyJzYWlkIiwgIjIwMjUiLCAiYSJd"])
def test_what_is_no_cursor_is_said_to_be_none(cursor, ties, herself):
    with pytest.raises(Invalid):
        find(PageFilters(), actor=herself, cursor=cursor)


def test_a_cursor_is_for_its_sort(ties, herself):
    cursor = find(PageFilters(sort="said"), actor=herself, limit=10).older
    assert find(PageFilters(sort="said"), actor=herself, cursor=cursor).count == 25
    for sort in ("written", "most"):
        with pytest.raises(Invalid):
            find(PageFilters(sort=sort), actor=herself, cursor=cursor)


def test_it_tells_what_is_new_since_the_last_visit(remember, herself, ada):
    old = remember("Old.", subject="old")
    remember("New.", subject="new")
    assert find(PageFilters(), actor=herself).new == 0
    put(ada, old["id"], created_at=NOW - timedelta(days=9))
    User.objects.filter(pk=ada.person_id).update(last_visit_at=NOW - timedelta(days=1))
    page = find(PageFilters(new=True), actor=herself)
    assert (texts(page), page.new, page.count, page.total) == (["New."], 1, 1, 2)
    assert [row.is_new for row in find(PageFilters(sort="written"), actor=herself).rows] == [True, False]


def test_it_is_the_persons_own(some, remember, herself, ben):
    from dataclasses import replace

    remember("Ben likes gin.", actor=ben)
    benself = replace(ben, kind="person", key_id=None)
    assert texts(find(PageFilters(), actor=benself)) == ["Ben likes gin."]
    page = find(PageFilters(q="tea"), actor=benself)
    assert (page.count, page.total, facet(page, "scope")) == (0, 1, {})
    assert find(PageFilters(q="gin"), actor=herself).count == 0


def test_the_number_of_queries_does_not_grow(some, remember, herself):
    def queries(cursor=None):
        with CaptureQueriesContext(connection) as seen:
            page = find(PageFilters(), actor=herself, cursor=cursor, limit=2)
        return page.older, len([query for query in seen if "memoryapp_" in query["sql"] or "accounts_" in query["sql"]])

    cursor, first = queries()
    _, later = queries(cursor)
    assert first <= 5 and later <= 5
    for number in range(10):
        remember(f"Number {number}.", subject=f"other.n{number}")
    assert queries()[1] <= first and queries(cursor)[1] <= later
