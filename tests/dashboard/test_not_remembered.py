"""What was refused, with the rule in words."""

import pytest

pytestmark = pytest.mark.django_db


def test_it_shows_what_was_refused_and_why(hers, his, propose_one):
    assert "Nothing was refused" in hers.get("/not-remembered/").text
    propose_one("Is in a hurry.", kind="mood", subject="now")
    propose_one("The password is hunter2hunter2.", kind="fact", scope="personal", subject="login")
    page = hers.get("/not-remembered/").text
    for words in ("Is in a hurry.", "not something lasting", "Those are never kept", "Proposed by <bdi>bot</bdi>"):
        assert words in page
    assert "hunter2" not in page
    assert "<b>2</b> proposals refused" in page
    assert "Is in a hurry." not in his.get("/not-remembered/").text


def test_it_is_narrowed_to_one_rule(hers, propose_one):
    propose_one("Is in a hurry.", kind="mood", subject="now")
    propose_one("The password is hunter2hunter2.", kind="fact", scope="personal", subject="login")
    page = hers.get("/not-remembered/?rule=secret").text
    assert "Is in a hurry." not in page and "<b>1</b> proposal refused" in page
    fragment = hers.fragment("/not-remembered/", rule="not_durable").text
    assert "Is in a hurry." in fragment and "<html" not in fragment
    assert "Nothing was refused for this reason" in hers.get("/not-remembered/?rule=paused").text
    assert hers.get("/not-remembered/?rule=<script>")["Location"] == "/not-remembered/"


def test_it_is_read_a_page_at_a_time(hers, propose_one, monkeypatch):
    for n in range(3):
        propose_one(f"Mood {n}.", kind="mood", subject=f"now {n}")
    from memoryapp.dashboard import not_remembered as view

    whole = view.refused.not_remembered
    monkeypatch.setattr(view.refused, "not_remembered", lambda **given: whole(**given, limit=2))
    first = hers.get("/not-remembered/?rule=not_durable").text
    assert "Mood 2." in first and "Mood 0." not in first
    older = first.split('href="?rule=not_durable&amp;older=')[1].split('"')[0]
    second = hers.get(f"/not-remembered/?rule=not_durable&older={older}").text
    assert "Mood 0." in second and "Mood 2." not in second
    assert hers.get("/not-remembered/?older=nonsense")["Location"] == "/not-remembered/"


def test_it_hostile_text_is_inert(hers, propose_one):
    propose_one("Is <img src=x onerror=alert(1)>.", kind="<b>mood</b>", subject="now")
    page = hers.get("/not-remembered/").text
    assert "<img src=x" not in page and "<b>mood" not in page and "&lt;img src=x" in page
