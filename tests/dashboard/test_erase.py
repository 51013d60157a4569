"""Erasing everything from the page, and the receipt."""

import re

import pytest
from django.test import Client

from accounts.models import User
from memoryapp.models import Receipt
from memoryapp.services import erase_jobs
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.forget import forget

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def quiet(monkeypatch, settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    monkeypatch.setattr(erase_jobs, "start", lambda: None)


@pytest.fixture
def life(remember, herself):
    remember("Likes tea.")
    forget(remember("Likes jazz.", subject="music")["id"], relearn="allow", source="keep", actor=herself)


def form(page):
    return {"expected_count": re.search(r'name="expected_count" value="(\d+)"', page)[1], "typed": "Erase "}


def test_it_asks_tells_the_count_and_gives_a_receipt(hers, his, life, ada):
    asked = hers.get("/privacy/erase/").text
    assert form(asked)["expected_count"] == "2"
    answer = hers.post("/privacy/erase/", form(asked))
    receipt = Receipt.objects.get()
    assert (answer.status_code, answer["Location"]) == (303, f"/receipts/{receipt.pk}/")
    # She is signed out, and nothing of hers opens any more.
    assert hers.get("/memories/")["Location"].startswith("/sign-in")
    running = Client().get(answer["Location"]).text
    assert "goes on by itself" in running and "load delay" in running
    work_now()
    done = Client().get(answer["Location"]).text
    assert "nothing was left" in done and "load delay" not in done
    assert "Likes" not in done and str(ada.person_id) not in done
    assert not User.objects.filter(pk=ada.person_id).exists()
    assert his.get("/memories/").status_code == 200


def test_under_htmx_too(hers, life):
    answer = hers.press("/privacy/erase/", form(hers.get("/privacy/erase/").text))
    assert answer["HX-Redirect"] == f"/receipts/{Receipt.objects.get().pk}/"


@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        pytest.param({"typed": "yes"}, 422, "That was not the word.", id="other word"),
        pytest.param({"typed": ""}, 422, "That was not the word.", id="no word"),
        pytest.param({"expected_count": "3"}, 409, "Since you looked", id="other count"),
        pytest.param({"expected_count": ""}, 409, "Since you looked", id="no count"),
    ],
)
def test_it_erases_nothing(hers, life, change, status, says):
    answer = hers.post("/privacy/erase/", form(hers.get("/privacy/erase/").text) | change)
    assert answer.status_code == status and says in answer.text
    assert not Receipt.objects.exists() and "Likes tea." in hers.get("/memories/").text


def test_it_asks_for_a_fresh_proof(hers, life, grow_old):
    sent = form(hers.get("/privacy/erase/").text)
    grow_old(hers)
    page = hers.get("/privacy/erase/").text
    assert "prove first that it is you" in page and 'name="typed"' not in page
    assert hers.post("/privacy/erase/", sent).status_code == 403
    assert not Receipt.objects.exists()


@pytest.mark.parametrize(("language", "word", "says"), [("de", "LÖSCHEN", "Quittung"), ("ar", "محو", "إيصال")])
def test_the_word_and_the_receipt_are_in_her_language(hers, life, ada, language, word, says):
    User.objects.filter(pk=ada.person_id).update(language=language)
    asked = hers.get("/privacy/erase/").text
    assert hers.post("/privacy/erase/", form(asked) | {"typed": "erase"}).status_code == 422
    answer = hers.post("/privacy/erase/", form(asked) | {"typed": word})
    assert answer.status_code == 303
    assert says in hers.get(answer["Location"]).text


def test_staff_are_told_why_not(hers, life, ada):
    User.objects.filter(pk=ada.person_id).update(is_staff=True)
    answer = hers.post("/privacy/erase/", form(hers.get("/privacy/erase/").text))
    assert answer.status_code == 409 and "account of staff" in answer.text


def test_an_unknown_receipt_is_not_found(hers):
    assert hers.get("/receipts/01a22bd3-92ee-74bd-9325-28c1bf2995fe/").status_code == 404


def test_the_receipt_names_every_store(hers, life, ada):
    from django.utils.html import escape

    from memoryapp.dashboard.receipt_stores import LABELS
    from memoryapp.services.erase_person import AS_STAFF
    from memoryapp.services.erase_stores import PERSON, STORES

    assert {store.name for store in (*STORES, PERSON)} | {AS_STAFF} == LABELS.keys()
    answer = hers.post("/privacy/erase/", form(hers.get("/privacy/erase/").text))
    shown = hers.get(answer["Location"]).text
    assert [name for name in LABELS if name != AS_STAFF and escape(str(LABELS[name])) not in shown] == []
