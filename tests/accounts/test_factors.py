"""The second step: an authenticator app, with recovery codes."""

import re
import time

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from django.db import connection

from accounts.actors import Actor
from memoryapp.services.links import make_link

# Notes go out after the commit.
pytestmark = pytest.mark.django_db(transaction=True)

APP = "/settings/sign-in/app/add/"


def number_for(secret):
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


@pytest.fixture
def person(ada, person_of):
    return person_of(ada, "ada@example.org")


@pytest.fixture
def secret(browser, person, mailoutbox):
    """Ada is signed in, and has turned the app on."""
    browser.sign_in("ada@example.org", mailoutbox)
    key = re.search(r'class="secret">([A-Z2-7]+)<', browser.get(APP).content.decode())[1]
    response = browser.post(APP, {"code": number_for(key)})
    assert response["Location"] == "/settings/sign-in/recovery-codes/"
    return key


@pytest.fixture
def codes(browser, secret):
    page = browser.get("/settings/sign-in/recovery-codes/").content.decode()
    return re.findall(r"<code>(\d{8})</code>", page)


def test_it_turns_the_app_on_with_its_number_only(browser, person, mailoutbox, events_of):
    browser.sign_in("ada@example.org", mailoutbox)
    page = browser.get(APP).content.decode()
    assert '<svg role="img" aria-label=' in page
    assert "data:image" not in page
    assert browser.post(APP, {"code": "000000"}).status_code == 200
    assert not Authenticator.objects.exists()
    assert ("add_factor", "totp") not in events_of(person)


def test_it_asks_for_the_number_after_the_code(browser_of, person, secret, mailoutbox, events_of):
    later = browser_of()
    assert later.sign_in("ada@example.org", mailoutbox)["Location"] == "/sign-in/second-step"
    assert later.whoami is None
    assert later.get("/settings/sign-in/").status_code == 302
    assert later.get("/sign-in/second-step").status_code == 200
    assert later.post("/sign-in/second-step", {"code": "000000"}).status_code == 200
    assert later.whoami is None
    assert later.post("/sign-in/second-step", {"code": number_for(secret)})["Location"] == "/memories/"
    assert later.whoami == str(person.pk)
    assert events_of(person)[-1] == ("sign_in", "code+totp")
    assert ("add_factor", "totp") in events_of(person)


def test_it_asks_who_comes_by_a_link_too(browser_of, person, secret, events_of):
    later = browser_of()
    assert later.post(make_link(person, actor=Actor("system")).path)["Location"] == "/sign-in/second-step"
    assert later.whoami is None
    later.post("/sign-in/second-step", {"code": number_for(secret)})
    assert later.whoami == str(person.pk)
    assert events_of(person)[-1] == ("sign_in", "link+totp")


def test_it_limits_how_often_a_number_is_guessed(browser_of, person, secret, mailoutbox):
    later = browser_of()
    later.sign_in("ada@example.org", mailoutbox)
    for _ in range(5):
        later.post("/sign-in/second-step", {"code": "000000"})
    refused = later.post("/sign-in/second-step", {"code": number_for(secret)})
    assert b"Too many" in refused.content
    assert later.whoami is None


def test_it_lets_in_by_each_recovery_code_once(browser_of, person, codes, mailoutbox):
    assert len(codes) == 10
    first, again = browser_of(), browser_of()
    first.sign_in("ada@example.org", mailoutbox)
    first.post("/sign-in/second-step", {"code": codes[0]})
    assert first.whoami == str(person.pk)
    again.sign_in("ada@example.org", mailoutbox)
    again.post("/sign-in/second-step", {"code": codes[0]})
    assert again.whoami is None
    again.post("/sign-in/second-step", {"code": codes[1]})
    assert again.whoami == str(person.pk)


def test_it_turns_off_with_a_fresh_proof(browser, person, secret, mailoutbox, events_of):
    session = browser.session
    session["signed_in_at"] -= 16 * 60
    session.save()
    for address in ("app/remove/", "recovery-codes/", "recovery-codes/new/", "passkeys/add/"):
        response = browser.get(f"/settings/sign-in/{address}")
        assert response.status_code == 302, address
        assert response["Location"].startswith("/confirm/code?next=")
    assert browser.post("/settings/sign-in/app/remove/").status_code == 302
    assert Authenticator.objects.count() == 2
    assert browser.get("/settings/sign-in/recovery-codes/download/").status_code in (302, 403)
    # What was asked for goes on where it stopped.
    browser.post("/confirm/app", {"code": number_for(secret), "next": "/settings/sign-in/app/remove/"})
    assert not Authenticator.objects.exists()
    assert events_of(person)[-1] == ("remove_factor", "totp")
    assert "If that was not you" in mailoutbox[-1].body


def test_it_keeps_no_secret_in_clear(secret, codes):
    with connection.cursor() as cursor:
        cursor.execute("select data::text from mfa_authenticator order by type")
        stored = [data for (data,) in cursor.fetchall()]
    assert len(stored) == 2
    assert not any(secret in data or codes[0] in data for data in stored)


def test_it_offers_the_app_to_who_has_no_address(browser, ben, person_of):
    person = person_of(ben)
    browser.post(make_link(person, actor=Actor("system")).path)
    assert browser.get(APP).status_code == 200
    assert browser.get("/settings/sign-in/passkeys/add/").status_code == 200


@pytest.mark.parametrize(
    ("to", "is_desk"), [("/support/", True), ("/settings/sign-in/", False)], ids=["the desk", "the settings"]
)
def test_it_says_what_the_proof_is_for_and_offers_no_code_that_opens_nothing(browser, secret, to, is_desk):
    shown = browser.get(f"/confirm/app?next={to}").content.decode()
    again = browser.post("/confirm/app", {"code": "000000", "next": to}).content.decode()
    for page in (shown, again):
        assert ("what others have confided" in page) is is_desk
        assert ("takes everything along" in page) is not is_desk
        assert ("Send me a code by email" in page) is not is_desk
