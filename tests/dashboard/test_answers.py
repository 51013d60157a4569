"""The list of answers and one answer: what was used, what was not and why, in words; mended on the spot."""

import re
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from memoryapp.services.disputes import dispute, undispute
from memoryapp.services.erase import erase_now
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pause
from memoryapp.services.switches import set_use
from memoryapp.services.traces import join_answer

pytestmark = pytest.mark.django_db


@pytest.fixture
def rows(remember):
    return {
        "db": remember("Atlas uses a PostgreSQL 15 database.", kind="fact", subject="db", scope="atlas"),
        "long": remember(
            "Atlas does use a PostgreSQL database with a long story: " + "moved again and again, " * 30,
            kind="fact", subject="story", scope="atlas",
        ),
        "pet": remember("Atlas got its name from a database of whales.", kind="fact", subject="name", scope="atlas"),
        "tea": remember("Likes tea.", subject="drink"),
    }  # fmt: skip


@pytest.fixture
def asked(rows, ada):
    request = ContextRequest(scopes=("atlas",), query="Which PostgreSQL database does Atlas use?", budget_tokens=100)
    return recall(request, actor=ada)


@pytest.fixture
def page(asked):
    return f"/answers/{asked['trace_id']}/"


def text_of(response):
    assert response.status_code == 200, response.content
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", response.content.decode().split("<main")[1]))


def test_used_and_left_out_each_say_why(hers, page, asked, rows):
    shown = text_of(hers.get(page))
    assert "Which PostgreSQL database does Atlas use?" in shown and "asked by bot" in shown
    used, left_out = shown.split("Used in this answer")[1].split("Considered and left out")
    left_out = left_out.split("Exactly what was sent")[0]
    assert "Atlas uses a PostgreSQL 15 database." in used and "Sent, because it fits the request." in used
    assert "Likes tea." in used and "Sent always, because it is a preference." in used
    assert "There was no room left for it in the budget." in left_out and "long story" in left_out
    assert re.search(r"Not relevant enough: 0\.\d\d, and the floor is 0\.30\.", left_out)
    for line in asked["context"].splitlines():
        assert line.replace("<", "&lt;").replace(">", "&gt;") in hers.get(page).content.decode()


def test_what_was_held_back_is_named_too(hers, ada, herself, rows):
    pause(rows["db"]["id"], actor=herself)
    sent = recall(ContextRequest(scopes=("atlas",), query="Which PostgreSQL database?"), actor=ada)
    shown = text_of(hers.get(f"/answers/{sent['trace_id']}/"))
    left_out = shown.split("Considered and left out")[1]
    assert "Atlas uses a PostgreSQL 15 database." in left_out and "You had paused it on " in left_out
    assert "PostgreSQL 15" not in shown.split("Considered and left out")[0]


def test_it_names_the_assistant_that_had_paused_it(hers, ada, herself, rows):
    pause(rows["db"]["id"], actor=ada)
    pause(rows["tea"]["id"], actor=herself)
    sent = recall(ContextRequest(scopes=("atlas",), query="Which PostgreSQL database?"), actor=ada)
    shown = text_of(hers.get(f"/answers/{sent['trace_id']}/")).split("Considered and left out")[1]
    assert "\u2068bot\u2069 had paused it on " in shown and "You had paused it on " in shown


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        pytest.param({"query": "zebra crossing"}, "Nothing that is remembered fitted the request", id="nothing-fits"),
        pytest.param({"query": "database", "kinds": ("decision",)}, "stood nothing that could", id="nothing-there"),
        pytest.param({"query": "PostgreSQL", "budget_tokens": 0}, "its budget was zero", id="no-budget"),
        pytest.param({"query": "PostgreSQL", "is_off": True}, "Use was switched off", id="use-off"),
    ],
)
def test_no_memory_used_is_a_full_answer(options, sentence, hers, ada, herself, remember):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="db", scope="atlas")
    options = dict(options)
    if options.pop("is_off", False):
        set_use(False, actor=herself)
    sent = recall(ContextRequest(scopes=("atlas",), **options), actor=ada)
    assert sent["memories"] == []
    shown = text_of(hers.get(f"/answers/{sent['trace_id']}/"))
    assert "No memory was used" in shown and sentence in shown
    assert "without knowing anything about you" in shown and "Is something wrong?" in shown
    assert "Used in this answer" not in shown
    assert "No memory was used" in text_of(hers.get("/answers/"))


@pytest.mark.parametrize("scorer", ["blended", "lexical"])
def test_it_says_where_words_alone_decided_for_want_of_vectors(scorer, hers, ada, rows, settings):
    settings.MEMORY_SCORER = scorer
    sent = recall(ContextRequest(scopes=("atlas",), query="Which PostgreSQL database?"), actor=ada)
    shown = text_of(hers.get(f"/answers/{sent['trace_id']}/"))
    assert "Atlas uses a PostgreSQL 15 database." in shown
    assert ("there, words alone decided." in shown) == (sent["notice"] == "lexical_only") == (scorer == "blended")


def test_correct_and_forget_come_back_to_the_answer(hers, page, rows):
    shown = hers.get(f"{page}?outcome=used").content.decode()
    edit_url = re.search(rf'href="(/memories/{rows["db"]["id"]}/edit/[^"]*)"', shown)[1].replace("&amp;", "&")
    form = hers.get(edit_url).content.decode()
    assert f'<a href="{page}?outcome=used">' in form and "The answer" in form
    at = re.search(r'name="at" value="([^"]*)"', form)[1].replace("&amp;", "&")
    fields = {
        "text": "Atlas uses a PostgreSQL 16 database.", "kind": "fact", "subject": "db", "scope": "atlas",
        "version": rows["db"]["version"], "at": at,
    }  # fmt: skip
    saved = hers.post(f"/memories/{rows['db']['id']}/edit/", fields)
    assert (saved.status_code, saved["Location"]) == (303, f"{page}?outcome=used#w-{rows['db']['id']}")
    shown = hers.get(page).content.decode()
    row = shown.split(f'id="w-{rows["db"]["id"]}"')[1].split("</li>")[0]
    assert "PostgreSQL 15" in row and "Since then corrected by you" in row
    assert re.search(r"<del>.*15</del>", row) and re.search(r"<ins>.*16</ins>", row)
    assert "PostgreSQL 15" in shown.split("<pre")[1] and "PostgreSQL 16" not in shown.split("<pre")[1]
    at = re.search(r'name="at" value="([^"]*)"', shown)[1].replace("&amp;", "&")
    forgot = hers.post(f"/memories/{rows['tea']['id']}/forget/", {"at": at})
    assert forgot["Location"] == f"{page}#w-{rows['tea']['id']}"
    assert "Forgotten since." in text_of(hers.get(page))


def test_forget_and_restore_change_the_page_in_place(hers, page, rows):
    headers = {"HX-Request": "true", "HX-Request-Type": "partial", "HX-Target": "div#answer"}
    at = f"?answer={page.split('/')[2]}"
    gone = hers.post(f"/memories/{rows['db']['id']}/forget/", {"at": at}, headers=headers)
    shown = gone.content.decode()
    assert "<html" not in shown and gone["X-Focus"] == f"w-{rows['db']['id']}"
    assert "Forgotten since." in shown and "PostgreSQL 15" not in shown and "One line is a gap" in shown
    assert "[not shown: forgotten]" in shown and "Likes tea." in shown
    assert "Forgotten. The trash keeps it for a while." in shown.split('hx-target="#status"')[1]
    back = hers.post(f"/memories/{rows['db']['id']}/restore/", {"at": at}, headers=headers).content.decode()
    assert "PostgreSQL 15" in back and "gap" not in back


def test_erased_it_is_a_gap_for_good(hers, page, rows, herself):
    hers.post(f"/memories/{rows['db']['id']}/forget/", {})
    erase_now(uuid.UUID(rows["db"]["id"]), actor=herself)
    shown = hers.get(page).content.decode()
    assert "Erased since. Nothing is left of it." in shown and "PostgreSQL 15" not in shown
    assert "Likes tea." in shown and f"/memories/{rows['db']['id']}/restore/" not in shown


def test_a_report_gives_a_reference_once(hers, page):
    made = hers.post(f"{page}report/", {"wrong": "untrue"})
    assert (made.status_code, made["Location"]) == (303, f"{page}#report")
    shown = text_of(hers.get(page))
    reference = re.search(r"R-[0-9A-Z]{4}-[0-9A-Z]{4}", shown)[0]
    assert "Something that was used is not true" in shown and "Not looked at yet" in shown
    assert 'name="wrong"' not in hers.get(page).content.decode()
    again = hers.press(f"{page}report/", {"wrong": "missing"})
    assert reference in again.content.decode() and again["X-Focus"] == "report"
    assert reference in text_of(hers.get("/answers/?outcome=reported"))


def test_the_answer_itself_is_shown_where_the_agent_told_it(hers, page, asked, ada):
    assert "What the assistant answered" not in text_of(hers.get(page))
    told = {"answer_id": "ans 81/f2", "model": "m-1", "text": "It is PostgreSQL."}
    join_answer(uuid.UUID(asked["trace_id"]), **told, actor=ada)
    shown = text_of(hers.get(page))
    assert all(word in shown for word in told.values())
    assert "ans 81/f2" in text_of(hers.get("/answers/?q=ans+81%2Ff2"))


def test_a_strangers_answer_is_not_there(his, hers, page):
    assert hers.get(page).status_code == 200
    for address in (page, f"{page}again/", f"{page}report/"):
        act = his.post if address.endswith("report/") else his.get
        assert act(address).status_code == 404
    assert "No assistant has asked yet" in text_of(his.get("/answers/"))
    assert hers.get(f"/answers/{uuid.UUID(int=7)}/").status_code == 404


def test_filters_stay_in_the_address(hers, asked, page):
    shown = hers.get("/answers/?q=postgresql&outcome=used").content.decode()
    assert f'href="{page}?q=postgresql&amp;outcome=used"' in shown
    assert (
        'href="/answers/?q=postgresql&amp;outcome=used"'
        in hers.get(f"{page}?q=postgresql&outcome=used").content.decode()
    )
    nothing = hers.get("/answers/?q=zebra").content.decode()
    assert "Nothing matches" in nothing and 'value="zebra"' in nothing and 'href="/answers/"' in nothing
    assert hers.get("/answers/?older=nonsense&q=a").headers["Location"] == "/answers/?q=a"
    assert hers.get("/answers/?agent=1&since=never&outcome=x").status_code == 200
    part = hers.fragment("/answers/", q="postgresql").content.decode()
    assert "<html" not in part and "1 answer matches." in part


def test_asked_again_it_shows_the_difference(hers, page, rows, remember):
    same = text_of(hers.get(f"{page}again/"))
    assert "Exactly the same would be sent" in same and "This is not noted as a retrieval." in same
    hers.post(f"/memories/{rows['tea']['id']}/pause/", {})
    remember("Uses PostgreSQL database tools for Atlas.", kind="fact", subject="tools", scope="atlas")
    now = text_of(hers.get(f"{page}again/"))
    assert "1 would be gone" in now and "It is paused." in now and "1 would be added" in now
    then = text_of(hers.get(f"{page}again/?as_of=then"))
    assert "Asked again, as things stood then" in then and "would be added" not in then
    for wrong in ("2999-01-01T00:00", "yesterday", "0000-00-00T00:00", "9999-12-31T23:59"):
        refused = hers.get(f"{page}again/", {"as_of": wrong})
        assert refused.status_code == 200 and "Give a time that has passed." in refused.content.decode()


def test_two_hundred_candidates_take_as_many_reads(hers, ada, remember, page):
    with CaptureQueriesContext(connection) as few:
        hers.get(page)
    for number in range(60):
        remember(f"Atlas has table {number} in its database.", kind="fact", subject=f"t{number}", scope="atlas")
    sent = recall(ContextRequest(scopes=("atlas",), query="Which database tables?", limit=40), actor=ada)
    with CaptureQueriesContext(connection) as many:
        assert hers.get(f"/answers/{sent['trace_id']}/").status_code == 200
    assert len(many) == len(few)


def test_what_was_disputed_then_is_named(hers, rows, ada, herself):
    def ask():
        return f"/answers/{recall(ContextRequest(scopes=('atlas',), query='Which database?'), actor=ada)['trace_id']}/"

    before = ask()
    dispute(rows["db"]["id"], actor=herself)
    during = ask()
    undispute(rows["db"]["id"], actor=herself)
    shown = text_of(hers.get(during))
    assert "One was disputed then, and so was not looked at." in shown
    assert "Atlas uses a PostgreSQL 15 database." in shown
    for other in (before, ask()):
        assert "disputed then" not in text_of(hers.get(other))
