"""Personal keys: made, shown once, revoked at once."""

import re

import pytest
from allauth.account.models import EmailAddress

from accounts.models import User
from memoryapp.services.agents import authenticate
from memoryapp.services.personal_keys import personal_keys
from tests.accounts.conftest import code_in

pytestmark = pytest.mark.django_db

SECRET = re.compile(r"mem_[a-z2-7]{12}_[A-Za-z0-9_-]{43}")


@pytest.fixture
def person_with_email(ada):
    person = User.objects.get(pk=ada.person_id)
    User.objects.filter(pk=person.pk).update(email="ada@example.org")
    EmailAddress.objects.create(user=person, email="ada@example.org", verified=True, primary=True)


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
    page = hers.get("/settings/keys/").text
    # To the end of that day, and no day further.
    assert "Reads only" in page and "1 January 2100" in page and "2 January 2100" not in page


def test_it_asks_for_a_fresh_proof_first(hers, his, herself, person_with_email, grow_old, mailoutbox):
    grow_old(hers)
    page = hers.get("/settings/keys/").text
    assert "prove first that it is you" in page and 'name="access"' not in page
    for send in ("post", "press"):
        answer = make(hers, send)
        assert answer.status_code == 403 and "prove first that it is you" in answer.text
        assert 'value="laptop"' in answer.text and not SECRET.search(answer.text)
    assert answer["X-Focus"] == "proof"
    assert personal_keys(actor=herself) == ()
    # By a code, as she has an address; then the page is as it was.
    proof = page.split('href="/confirm/')[1].split('"')[0]
    assert proof == "code?next=%2Fsettings%2Fkeys%2F"
    recipient = hers.get(f"/confirm/{proof}").text.split('name="recipient" value="')[1].split('"')[0]
    hers.post(f"/confirm/{proof}", {"recipient": recipient, "next": "/settings/keys/"})
    code = code_in(mailoutbox[-1])
    assert hers.post("/confirm/code/enter", {"code": code, "next": "/settings/keys/"})["Location"] == "/settings/keys/"
    assert SECRET.search(make(hers).text)
    assert 'name="access"' in his.get("/settings/keys/").text


def test_it_revoking_needs_no_proof(hers, herself, grow_old):
    make(hers)
    (key,) = personal_keys(actor=herself)
    grow_old(hers)
    assert hers.post(f"/settings/keys/{key.id}/revoke/").status_code == 303
    assert personal_keys(actor=herself)[0].revoked_at


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
