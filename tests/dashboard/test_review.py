"""The review page: what waits, the three answers, and taking one back."""

import pytest

from memoryapp.services.detail import memory_detail
from memoryapp.services.states import pause
from memoryapp.services.waiting import waiting_count

pytestmark = pytest.mark.django_db

HOSTILE = "<img src=x onerror=alert(1)></script>"


def url(memory, verb):
    return f"/review/{memory['id']}/{verb}/"


def once(memory):
    return {"once": f"{memory['id']}.{memory['version']}"}


def status(memory, actor):
    return memory_detail(memory["id"], actor=actor).memory.status


def test_it_shows_what_waits_beside_what_it_would_change(hers, his, remember, guess, propose_one, grow_stale, herself):
    assert "All reviewed" in hers.get("/review/").text
    remember("Likes tea.")
    guess("Likes rum.")
    grow_stale(remember("Lives in Rome.", kind="fact", scope="personal", subject="home"))
    pause(remember("Likes cats.", subject="pet")["id"], actor=herself)
    remember("Likes dogs.", subject="pet")
    propose_one(None, retract=True)
    page = hers.get("/review/")
    assert page.status_code == 200 and page["Cache-Control"] == "no-store"
    for words in ("Likes rum.", "Likes tea.", "Likes dogs.", "Likes cats.", "Lives in Rome.", "4 things wait"):
        assert words in page.text
    assert "All reviewed" not in page.text
    assert "Likes rum." not in his.get("/review/").text


def test_it_is_a_fragment_for_htmx(hers, guess):
    guess("Likes rum.")
    fragment = hers.fragment("/review/").text
    assert "Likes rum." in fragment and "<html" not in fragment and 'id="review"' not in fragment


def test_it_keeping_puts_it_in_force_once(hers, guess, herself):
    memory = guess("Likes rum.")
    answer = hers.post(url(memory, "keep"), once(memory))
    assert (answer.status_code, answer["Location"]) == (303, "/review/")
    assert status(memory, herself) == "current"
    page = hers.get("/review/").text
    assert "Kept. It may be sent from now on." in page and "All reviewed" in page
    assert hers.post(url(memory, "keep"), once(memory)).status_code == 303
    assert memory_detail(memory["id"], actor=herself).memory.seen == 2
    listed = hers.get("/memories/").text
    assert "You wrote or confirmed it, last on" in listed and "You said it" not in listed


def test_it_rejecting_is_taken_back_with_one_press(hers, guess, herself):
    memory, other = guess("Likes rum."), guess("Likes jazz.", subject="music")
    fragment = hers.press(url(memory, "reject"), once(memory)).text
    assert "Undo" in fragment and "Rejected: <q>" in fragment.replace("\n", "")
    assert (status(memory, herself), status(other, herself)) == ("closed", "pending")
    undone = hers.press(url(memory, "undo"))
    assert undone["X-Focus"] == f"m-{memory['id']}"
    assert status(memory, herself) == "pending" and waiting_count(actor=herself) == 2
    assert hers.press(url(memory, "undo")).status_code == 200
    # Without scripts the same, by redirects.
    answer = hers.post(url(other, "reject"), once(other))
    assert answer.status_code == 303
    assert url(other, "undo") in hers.get(answer["Location"]).text


def test_it_correcting_keeps_the_persons_own_words(hers, remember, guess, herself):
    standing, memory = remember("Likes tea."), guess("Likes rum.")
    answer = hers.post(url(memory, "correct"), {"text": "Likes tea with rum."} | once(memory))
    assert answer.status_code == 303
    now = memory_detail(standing["id"], actor=herself).memory
    assert (now.text, now.origin, waiting_count(actor=herself)) == ("Likes tea with rum.", "corrected", 0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(" ", "Write what is to be remembered.", id="empty"),
        pytest.param("x" * 2_001, "At most 2,000 characters.", id="too long"),
        pytest.param("The password is hunter2hunter2.", "password", id="secret"),
    ],
)
def test_it_nothing_typed_is_lost_when_a_correction_is_refused(hers, guess, herself, text, says):
    memory = guess("Likes rum.")
    for send in (hers.post, hers.press):
        answer = send(url(memory, "correct"), {"text": text} | once(memory))
        assert answer.status_code == 422
        assert text in answer.text and says in answer.text
    assert answer["X-Focus"] == f"text-{memory['id']}"
    assert status(memory, herself) == "pending"


def test_it_nothing_typed_is_lost_when_it_was_answered_elsewhere(hers, her_other, guess):
    memory = guess("Likes rum.")
    her_other.post(url(memory, "reject"), once(memory))
    answer = hers.press(url(memory, "correct"), {"text": "Likes gin."} | once(memory))
    assert answer.status_code == 422 and "Likes gin." in answer.text and "any more" in answer.text


def test_it_a_stale_one_is_confirmed_or_forgotten(hers, remember, grow_stale, herself):
    kept = grow_stale(remember("Lives in Rome.", kind="fact", scope="personal", subject="home"))
    gone = grow_stale(remember("Works in Rome.", kind="fact", scope="personal", subject="work"))
    hers.press(url(kept, "keep"), once(kept))
    fragment = hers.press(url(gone, "forget"), once(gone)).text
    assert status(kept, herself) == "current" and "Undo" in fragment
    hers.press(url(gone, "undo"))
    assert status(gone, herself) == "stale"


@pytest.mark.parametrize("verb", ["keep", "correct", "reject", "forget", "undo"])
def test_it_a_stranger_finds_nothing(his, hers, guess, herself, verb):
    memory = guess("Likes rum.")
    assert his.post(url(memory, verb), {"text": "x"} | once(memory)).status_code == 404
    assert status(memory, herself) == "pending"
    assert hers.get(url(memory, verb)).status_code == 302


def test_it_hostile_text_is_inert(hers, guess):
    guess(f"Likes {HOSTILE}.")
    page = hers.get("/review/").text
    assert HOSTILE not in page and "&lt;img src=x" in page
