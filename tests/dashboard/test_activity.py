"""The activity: what happened, who and why, a page at a time."""

import pytest

from memoryapp.services.forget import forget
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.signing_in import record_access
from memoryapp.services.states import pause

pytestmark = pytest.mark.django_db


def test_it_tells_what_happened_who_and_why(hers, his, remember, propose_one, ada, herself):
    assert "Nothing has happened yet" in his.get("/activity/").text
    tea = remember("Likes tea.")
    jazz = remember("Likes jazz.", subject="music")
    propose_one("Is in a hurry.", kind="mood", subject="now")
    pause(tea["id"], actor=herself)
    forget(jazz["id"], relearn="block", source="keep", actor=herself)
    recall(ContextRequest(query="what do I drink?"), actor=ada)
    record_access("sign_in", herself.person_id, how="code+totp")
    page = hers.get("/activity/").text
    for words in (
        "Remembered", "Not remembered", "not something lasting", "Paused", "Likes tea.", "Not to be learned again.",
        "Asked, and nothing was sent", "<q>what do I drink?</q>", "Signed in", "a code by email, a code from an app",
        ">bot</bdi>", ">You</bdi>",
    ):  # fmt: skip
        assert words in page, words
    assert "Likes jazz." not in page
    assert "Likes tea." not in his.get("/activity/").text


@pytest.mark.parametrize(
    ("what", "present", "absent"),
    [
        ("changes", "Remembered", "Asked, and"),
        ("uses", "Asked, and", "Remembered"),
        ("access", "Signed in", "Remembered"),
        ("exports", "Everything exported", "Remembered"),
        ("views", "Nothing of this sort", "Remembered"),
    ],
)
def test_it_is_narrowed_to_one_sort(hers, remember, ada, herself, what, present, absent):
    remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    recall(ContextRequest(query="elephants"), actor=ada)
    record_access("sign_in", herself.person_id, how="link")
    hers.get("/privacy/export.json")
    page = hers.get(f"/activity/?what={what}").text
    assert present in page and f"<b>{absent}" not in page
    fragment = hers.fragment("/activity/", what=what).text
    assert present in fragment and "<html" not in fragment


def test_it_is_read_a_page_at_a_time(hers, remember, monkeypatch):
    for n in range(3):
        remember(f"Likes song {n}.", subject=f"song {n}")
    from memoryapp.dashboard import activity as view

    whole = view.happening.activity
    monkeypatch.setattr(view.happening, "activity", lambda **given: whole(**given, limit=2))
    first = hers.get("/activity/").text
    older = first.split('href="?older=')[1].split('"')[0]
    second = hers.get(f"/activity/?older={older}").text
    assert "Likes song 2." in first and "Likes song 0." not in first
    assert "Likes song 0." in second and "Likes song 2." not in second
    assert hers.get("/activity/?older=nonsense")["Location"] == "/activity/"
    assert hers.get("/activity/?what=nonsense")["Location"] == "/activity/"


def test_it_hostile_text_is_inert(hers, remember, ada):
    remember("Likes <img src=x onerror=alert(1)>.")
    recall(ContextRequest(query="<script>x</script>"), actor=ada)
    page = hers.get("/activity/").text
    assert "<img src=x" not in page and "<script>x" not in page and "&lt;img src=x" in page
