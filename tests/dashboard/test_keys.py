"""Personal keys: made, shown once, revoked at once."""

import re

import pytest

from memoryapp.services.agents import authenticate
from memoryapp.services.personal_keys import personal_keys

pytestmark = pytest.mark.django_db

SECRET = re.compile(r"mem_[a-z2-7]{12}_[A-Za-z0-9_-]{43}")


def make(browser, send="post", **fields):
    given = {"name": "laptop", "access": "write", "once": "t1"} | fields
    return getattr(browser, send)("/settings/keys/", given)


def test_it_its_secret_is_shown_once(hers, herself):
    assert "You have no keys" in hers.get("/settings/keys/").text
    answer = make(hers)
    assert answer.status_code == 200 and answer["Cache-Control"] == "no-store"
    (secret,) = SECRET.findall(answer.text)
    key = authenticate(secret)
    assert (key.person_id, key.can_write, key.scopes) == (herself.person_id, True, None)
    page = hers.get("/settings/keys/").text
    assert "laptop" in page and key.prefix in page and not SECRET.search(page)


def test_it_sent_twice_it_is_one_key(hers, herself):
    make(hers)
    assert make(hers).status_code == 303
    assert len(personal_keys(actor=herself)) == 1
    assert "was made already" in hers.get("/settings/keys/").text


def test_it_a_fragment_shows_it_and_takes_the_focus(hers):
    answer = make(hers, "press")
    assert SECRET.search(answer.text) and "<html" not in answer.text and answer["X-Focus"] == "secret"


def test_it_is_revoked_at_once(hers, his, herself):
    (secret,) = SECRET.findall(make(hers).text)
    (key,) = personal_keys(actor=herself)
    assert his.post(f"/settings/keys/{key.id}/revoke/").status_code == 404
    assert authenticate(secret)
    assert hers.post(f"/settings/keys/{key.id}/revoke/").status_code == 303
    assert authenticate(secret) is None
    page = hers.get("/settings/keys/").text
    assert "Revoked on" in page and f"/settings/keys/{key.id}/revoke/" not in page


def test_it_may_be_for_reading_in_some_scopes_until_a_day(hers, remember, herself):
    remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    make(hers, access="read", scopes=["atlas"], expires_on="2999-01-01", once="t2")
    assert personal_keys(actor=herself) == ()
    make(hers, access="read", scopes=["atlas"], expires_on="2100-01-01", once="t3")
    (key,) = personal_keys(actor=herself)
    assert (key.can_write, key.scopes, key.expires_at.year) == (False, ["atlas"], 2100)
    assert "Reads only" in hers.get("/settings/keys/").text


@pytest.mark.parametrize(
    "wrong",
    [{"name": " "}, {"access": "all"}, {"scopes": ["nowhere"]}, {"expires_on": "2020-01-01"}],
    ids=["no name", "access", "scope", "past"],
)
def test_it_a_form_that_cannot_be_is_said_and_makes_nothing(hers, herself, wrong):
    answer = make(hers, **wrong)
    assert answer.status_code == 422 and "Nothing was saved yet" in answer.text
    assert personal_keys(actor=herself) == ()


def test_it_hostile_names_are_inert(hers):
    page = make(hers, name="<img src=x onerror=alert(1)>").text
    assert "<img src=x" not in page and "&lt;img src=x" in page
