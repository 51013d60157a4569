"""Privacy: how much is held, and all of it to take along."""

import json
import tracemalloc

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import RequestFactory

from accounts.actors import Actor
from accounts.models import User
from memoryapp.services.disputes import dispute
from memoryapp.services.forget import forget
from memoryapp.services.links import make_link
from memoryapp.services.recall import ContextRequest, recall
from tests.many import grow

pytestmark = pytest.mark.django_db


@pytest.fixture
def life(remember, propose_one, ada, herself):
    remember("Likes tea.")
    propose_one("Is in a hurry.", kind="mood", subject="now")
    forget(remember("Likes jazz.", subject="music")["id"], relearn="block", source="keep", actor=herself)
    recall(ContextRequest(query="what do I drink?"), actor=ada)


def test_it_says_how_much_is_held(hers, his, life):
    page = hers.get("/privacy/").text
    assert "What is held on you" in page and "/privacy/export.json" in page
    assert his.get("/privacy/").status_code == 200


def test_it_the_file_has_everything_and_only_hers(hers, his, life):
    answer = hers.get("/privacy/export.json")
    assert answer["Content-Type"] == "application/json" and answer["Cache-Control"] == "no-store"
    assert answer["Content-Disposition"].startswith('attachment; filename="memory-')
    written = answer.getvalue().decode()
    whole = json.loads(written)
    assert [one["text"] for one in whole["memories"]] == ["Likes tea."]
    assert [one["text"] for one in whole["trash"]] == ["Likes jazz."]
    assert "Is in a hurry." in written and "what do I drink?" in written
    theirs = his.get("/privacy/export.json").getvalue()
    assert json.loads(theirs)["memories"] == [] and b"Likes tea." not in theirs


def test_it_can_be_read_on_a_page(hers, his, life):
    page = hers.get("/privacy/export/").getvalue().decode()
    for words in ("Likes tea.", "Likes jazz.", "Is in a hurry.", "what do I drink?", "Never learned"):
        assert words in page
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
    assert page.count("<section") == page.count("</section>") == 5
    theirs = his.get("/privacy/export/").getvalue().decode()
    assert "Likes tea." not in theirs and "Nothing is held so far." in theirs


def test_it_the_page_says_what_is_disputed_in_the_persons_words(hers, herself, remember):
    memory = remember("Likes tea.")
    assert "In use" in (page := hers.get("/privacy/export/").getvalue().decode()) and "Disputed" not in page
    dispute(memory["id"], text="I never did.", actor=herself)
    page = hers.get("/privacy/export/").getvalue().decode()
    assert "Disputed" in page and "I never did." in page and "In use" not in page


def test_it_the_page_quotes_nothing_under_a_text_that_was_corrected(hers, remember):
    memory = remember("Likes green tea.", source="green tea for me")
    assert "<q>green tea for me</q>" in hers.get("/privacy/export/").getvalue().decode()
    fields = {"text": "Likes white tea.", "kind": "preference", "subject": "drink", "scope": "personal", "version": "1"}
    hers.post(f"/memories/{memory['id']}/edit/", fields)
    page = hers.get("/privacy/export/").getvalue().decode()
    assert "Likes white tea." in page and "green tea for me" not in page


def test_it_is_noted_in_the_activity(hers, life):
    assert "Everything exported" not in hers.get("/activity/?what=exports").text
    hers.get("/privacy/export.json")
    assert "Everything exported" in hers.get("/activity/?what=exports").text


def test_it_hostile_text_is_inert(hers, remember):
    remember("Likes <img src=x onerror=alert(1)> </script>.")
    page = hers.get("/privacy/export/").getvalue().decode()
    assert "<img src=x" not in page and "&lt;img src=x" in page
    assert json.loads(hers.get("/privacy/export.json").getvalue())["memories"]


def test_it_all_of_it_is_there_however_much_it_is(hers, ada, remember, monkeypatch):
    monkeypatch.setattr("memoryapp.services.export_parts.CHUNK", 7)
    remember("Likes tea.")
    grow(ada, 250)
    whole = json.loads(hers.get("/privacy/export.json").getvalue())
    assert len({one["id"] for one in whole["memories"]}) == 251
    assert all(one["versions"][0]["text"] == one["text"] for one in whole["memories"])
    page = hers.get("/privacy/export/").getvalue().decode()
    assert page.count('class="statement"') == 251 and page.count("<h2") == 1


@pytest.mark.django_db(transaction=True)
def test_it_a_large_one_takes_no_more_memory(hers, his, ada, ben, remember, monkeypatch):
    """What is in memory at once does not grow with what is held."""
    monkeypatch.setattr("memoryapp.services.export_parts.CHUNK", 10)
    monkeypatch.setattr("memoryapp.dashboard.privacy._AT_ONCE", 10)
    # Not by the client, which keeps what every template was given.
    serve = WSGIHandler()

    def size_of(address, browser):
        cookie = f"sessionid={browser.cookies['sessionid'].value}"
        return sum(map(len, serve(RequestFactory().get(address, headers={"Cookie": cookie}).environ, lambda *_: None)))

    peaks = []
    for browser, actor, held in ((his, ben, 40), (hers, ada, 240)):
        remember("Likes tea.", actor=actor)
        grow(actor, held - 1)
        for address in ("/privacy/export.json", "/privacy/export/"):
            if held == 40:
                size_of(address, browser)  # so that what is made once for all requests is there
            tracemalloc.start()
            size = size_of(address, browser)
            peaks.append((size, tracemalloc.get_traced_memory()[1]))
            tracemalloc.stop()
    for (small, few), (large, many) in zip(peaks[:2], peaks[2:], strict=True):
        assert large > 4 * small
        assert many < 1.2 * few


@pytest.mark.parametrize("address", ["/privacy/export.json", "/privacy/export/"])
def test_it_asks_for_a_fresh_proof_first(hers, life, herself, grow_old, address):
    assert hers.get(address).status_code == 200
    grow_old(hers)
    # Who has neither an address nor a passkey comes again by a new link.
    assert hers.get(address)["Location"] == "/confirm/link?next=%2Fprivacy%2F"
    page = hers.get("/privacy/").text
    assert "prove first that it is you" in page and "/confirm/link?next=%2Fprivacy%2F" in page
    assert "/privacy/export.json" not in page
    hers.get("/confirm/link?next=/privacy/")
    back = hers.post(make_link(User.objects.get(pk=herself.person_id), actor=Actor("system")).path)
    assert back["Location"] == "/privacy/"
    assert hers.get(address).status_code == 200
