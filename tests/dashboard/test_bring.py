"""Bringing a file along on the privacy page: looked at first, brought as counted, or let go."""

import gzip
import io
import json
import re
import zipfile
from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Episode, Memory, Upload
from memoryapp.services.do_not_learn import bar_subject
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.erase import erase_now
from memoryapp.services.forget import forget
from memoryapp.services.maintain import maintain
from tests.rich import file_of

pytestmark = pytest.mark.django_db

MEM0 = [{"memory": "Likes hiking."}, {"memory": "The password is hunter2-zanzibar."}]


def send(browser, content, name="memories.json"):
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    return browser.post("/privacy/import/", {"file": SimpleUploadedFile(name, data)})


def held(actor, model=Memory):
    with acting_for(actor.person_id):
        return list(model.objects.filter(person_id=actor.person_id))


def once(page):
    return {"once": re.search(r'name="once" value="([^"]+)"', page)[1]}


def test_it_shows_what_would_come_then_brings_it(hers, his, ben, herself, remember):
    remember("Likes tea.")
    sent = send(his, file_of(herself))
    assert sent.status_code == 303
    page = his.get(sent["Location"]).text
    assert "unchanged since" in page and "Import 1 memory" in page and "of another account" in page
    assert "of another account" not in hers.get(send(hers, file_of(herself))["Location"]).text
    assert held(ben) == [] and "Likes tea." not in his.get("/memories/").text
    done = his.post(sent["Location"], once(page))
    assert (done.status_code, done["Location"]) == (303, "/memories/")
    after = his.get("/memories/").text
    assert "Likes tea." in after and "1 memory was brought." in after and "imported" in after
    assert held(ben, Upload) == []
    assert "Memories of a file brought along" in his.get("/activity/").text


def test_messages_and_the_do_not_learn_list_are_shown_and_brought(his, ada, ben, herself, remember):
    remember("Likes tea.")
    store_turns(session="s", scope=None, turns=[Turn(1, "user", "Hello."), Turn(2, "user", "Tea.")], actor=ada)
    bar_subject("personal", "weight", actor=herself)
    remember("Likes tea.", actor=ben)
    content = file_of(herself)
    sent = send(his, content)
    page = his.get(sent["Location"]).text
    rows = [re.sub(r"<[^>]+>|\s+", " ", row).split() for row in page.split("<tr>")]
    assert ["Messages", "of", "conversations"] in rows and ["New", "2"] in rows and ["New", "1"] in rows
    assert rows.index(["Memories"]) < rows.index(["Messages", "of", "conversations"]), "each group has its name"
    assert "Import the rest" in page
    assert his.post(sent["Location"], once(page))["Location"] == "/memories/"
    after = his.get("/memories/").text
    assert "2 messages were brought. 1 entry was added to your do-not-learn list." in after
    assert len(held(ben, Episode)) == 2 and "weight" in his.get("/settings/").text
    assert "There is nothing new in it." in his.get(send(his, content)["Location"]).text


def test_a_file_with_too_many_is_turned_away_in_words(hers, ada, monkeypatch):
    monkeypatch.setattr("memoryapp.services.uploads.MOST", 1)
    page = send(hers, MEM0)
    assert page.status_code == 422 and "more than 1 memories. Whoever runs this service" in page.text
    assert held(ada, Upload) == []


def test_foreign_ones_wait_for_review(hers, ada):
    sent = send(hers, MEM0)
    page = hers.get(sent["Location"]).text
    assert "another service" in page and "Import 1 memory" in page and "a password, a key or a card" in page
    done = hers.press(sent["Location"], once(page))
    assert done["HX-Redirect"] == "/review/"
    review = hers.get("/review/").text
    assert (
        "Likes hiking." in review
        and "Imported from elsewhere" in review
        and "1 waits for your review." in review
        and "hunter2" not in review
    )
    assert [one.state for one in held(ada)] == ["pending"]
    assert "Imported, waiting for you" in hers.get("/memories/").text


def test_a_zip_can_be_brought(hers, ada):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("memories.jsonl.gz", gzip.compress(b'{"id": "1", "content": "Likes lakes."}\n'))
    sent = send(hers, packed.getvalue(), "openmemory.zip")
    assert "Import 1 memory" in hers.get(sent["Location"]).text


def test_twice_brings_once(hers, ada):
    sent = send(hers, MEM0)
    fields = once(hers.get(sent["Location"]).text)
    for _ in range(2):
        assert hers.post(sent["Location"], fields).status_code == 303
    assert hers.post(sent["Location"], {"once": "other"})["Location"] == "/privacy/"
    assert len(held(ada)) == 1 and [one.verb for one in held(ada, AuditEvent)].count("import") == 1
    again = hers.get(send(hers, MEM0)["Location"]).text
    assert "There is nothing new in it." in again and "Import" not in again


def test_what_has_become_other_is_shown_again_and_not_done(hers, ada, remember):
    sent = send(hers, [{"memory": "Likes hiking."}, {"memory": "Likes lakes."}])
    fields = once(hers.get(sent["Location"]).text)
    remember("Likes lakes.", kind="fact", scope="personal", subject="water")
    answer = hers.press(sent["Location"], fields)
    assert (answer.status_code, answer["X-Focus"]) == (409, "other-count")
    assert "Since you looked" in answer.text and "Import 1 memory" in answer.text
    assert [one.text for one in held(ada)] == ["Likes lakes."]
    assert hers.press(sent["Location"], once(answer.text)).status_code == 200
    assert len(held(ada)) == 2


def test_it_can_be_left(hers, ada):
    sent = send(hers, MEM0)
    assert hers.post(sent["Location"] + "let-go/")["Location"] == "/privacy/"
    assert held(ada, Upload) == held(ada) == []
    assert hers.get(sent["Location"])["Location"] == "/privacy/"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b'[\n{"memory": "a"},\n{"memory"}]', "Line 3 of the file cannot be read.", id="malformed"),
        pytest.param(b"PK and no zip", "no file that can be read here", id="no zip"),
        pytest.param(b"[" + b" " * 8 * 1024 * 1024 + b"]", "larger than 8 MiB", id="large"),
        pytest.param(None, "Choose a file first.", id="none"),
    ],
)
def test_it_says_why_it_cannot_be_read(content, says, hers, ada):
    answer = hers.post("/privacy/import/", {}) if content is None else send(hers, content)
    assert answer.status_code == 422 and says in answer.text
    assert 'aria-invalid="true"' in answer.text and "What is held on you" in answer.text
    assert held(ada, Upload) == held(ada) == []


def test_a_changed_export_is_refused(hers, his, ben, herself, remember):
    remember("Likes tea.")
    answer = send(his, file_of(herself).replace(b"Likes tea.", b"Likes rum."))
    assert answer.status_code == 422 and "has been changed since" in answer.text
    assert held(ben, Upload) == []


def test_it_is_nobody_elses(hers, his, ada, ben):
    sent = send(hers, MEM0)
    for answer in (his.get(sent["Location"]), his.post(sent["Location"], {"once": "a"})):
        assert answer["Location"] == "/privacy/"
    his.post(sent["Location"] + "let-go/")
    assert held(ben) == [] and len(held(ada, Upload)) == 1


def test_it_asks_for_a_fresh_proof(hers, ada, grow_old):
    sent = send(hers, MEM0)
    fields = once(hers.get(sent["Location"]).text)
    grow_old(hers)
    assert 'type="file"' not in hers.get("/privacy/").text
    assert send(hers, MEM0)["Location"] == hers.post(sent["Location"], fields)["Location"] == "/privacy/"
    assert held(ada) == []


def test_the_file_is_kept_for_a_day_and_goes_with_what_is_erased(hers, ada, herself, remember, settings, tmp_path):
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    send(hers, MEM0)
    maintain(datetime.now(UTC) + timedelta(hours=23))
    assert len(held(ada, Upload)) == 1
    maintain(datetime.now(UTC) + timedelta(hours=25))
    assert held(ada, Upload) == []
    send(hers, MEM0)
    memory = remember("Likes rum.")
    forget(memory["id"], relearn="allow", source="keep", actor=herself)
    assert len(held(ada, Upload)) == 1
    erase_now(memory["id"], actor=herself)
    assert held(ada, Upload) == []


@pytest.mark.parametrize(("language", "says"), [("de", "Was die Datei bringen würde"), ("ar", "ما سيجلبه الملف")])
def test_it_speaks_her_language(language, says, hers, ada):
    User.objects.filter(pk=ada.person_id).update(language=language)
    assert says in hers.get(send(hers, MEM0)["Location"]).text


def test_hostile_text_is_not_shown(hers):
    page = hers.get(send(hers, [{"memory": "<img src=x onerror=alert(1)>"}])["Location"]).text
    assert "<img src=x" not in page
