"""Where a person is signed in, and signing out there."""

import pytest
from allauth.usersessions.models import UserSession

from accounts.actors import Actor
from memoryapp.services.links import make_link
from memoryapp.services.maintain import maintain
from memoryapp.signin.browsers import browser_name

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
SAFARI = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1 (KHTML, like Gecko) Safari/604.1"
EDGE = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/126.0 Safari/537.36 Edg/126.0"


@pytest.fixture
def arrive(browser_of, person_of):
    """A browser of that person, signed in."""

    def act(actor, user_agent=FIREFOX):
        browser = browser_of(HTTP_USER_AGENT=user_agent)
        browser.post(make_link(person_of(actor), actor=Actor("system")).path)
        assert browser.whoami
        return browser

    return act


def test_it_shows_the_own_sessions_only(arrive, ada, ben):
    here, _, _ = arrive(ada), arrive(ada, SAFARI), arrive(ben, EDGE)
    page = here.get("/settings/sessions/").content.decode()
    assert "Firefox on Linux" in page
    assert "Safari on iPhone" in page
    assert "Edge" not in page
    assert page.count("This browser") == 1


def test_it_signs_one_out(arrive, ada, events_of, person_of):
    here, there = arrive(ada), arrive(ada, SAFARI)
    session = UserSession.objects.get(session_key=there.session.session_key)
    assert there.get("/settings/sessions/").status_code == 200
    assert here.post(f"/settings/sessions/{session.pk}/end/").status_code == 303
    assert there.get("/settings/sessions/").status_code == 302
    assert here.get("/settings/sessions/").status_code == 200
    assert events_of(person_of(ada))[-1] == ("end_session", None)


def test_it_signs_nobody_else_out(arrive, ada, ben):
    here, there = arrive(ada), arrive(ben)
    session = UserSession.objects.get(session_key=there.session.session_key)
    assert here.post(f"/settings/sessions/{session.pk}/end/").status_code == 404
    assert here.post("/settings/sessions/99999999/end/").status_code == 404
    here.post("/settings/sessions/end-others/")
    assert there.get("/settings/sessions/").status_code == 200


def test_it_signs_all_others_out(arrive, ada):
    here, others = arrive(ada), [arrive(ada, SAFARI), arrive(ada, EDGE)]
    assert here.get("/settings/sessions/end-others/").status_code == 405
    assert here.post("/settings/sessions/end-others/").status_code == 303
    assert here.get("/settings/sessions/").status_code == 200
    assert [other.get("/settings/sessions/").status_code for other in others] == [302, 302]
    assert UserSession.objects.count() == 1


def test_it_signs_out_by_post_only(arrive, ada):
    here = arrive(ada)
    assert here.get("/sign-out").status_code == 200
    assert here.whoami
    assert here.post("/sign-out")["Location"] == "/sign-in"
    assert here.whoami is None


def test_it_leaves_no_entry_of_a_session_that_is_no_more(arrive, ada):
    here, there = arrive(ada), arrive(ada, SAFARI)
    there.session.flush()
    maintain()
    assert [session.session_key for session in UserSession.objects.all()] == [here.session.session_key]


@pytest.mark.parametrize(
    ("user_agent", "name"),
    [
        (FIREFOX, "Firefox on Linux"),
        (SAFARI, "Safari on iPhone"),
        (EDGE, "Edge on Windows"),
        ("curl/8.5", "Unknown browser"),
        ("", "Unknown browser"),
    ],
)
def test_it_names_browsers(user_agent, name):
    assert browser_name(user_agent) == name
