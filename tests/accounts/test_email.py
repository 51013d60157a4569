"""The email address: added by who came by a link, changed by who has one."""

import pytest
from allauth.account.models import EmailAddress

from accounts.actors import Actor
from memoryapp.services.links import make_link


@pytest.fixture
def person(ada, person_of):
    return person_of(ada)


@pytest.fixture
def visitor(browser, person):
    """Ada in her browser, by a link."""
    browser.post(make_link(person, actor=Actor("system")).path)
    return browser


@pytest.fixture
def a_while_ago(monkeypatch):
    """`a_while_ago(browser)`: they signed in sixteen minutes before now."""

    def move(browser):
        session = browser.session
        session["signed_in_at"] -= 16 * 60
        session.save()

    return move


def test_it_lets_a_person_come_back_by_the_address_they_added(
    visitor, browser_of, person, mailoutbox, code_of, events_of
):
    response = visitor.post("/settings/email/", {"email": "Ada@example.org", "action_add": ""})
    assert response["Location"] == "/sign-in/email"
    person.refresh_from_db()
    assert person.email is None
    response = visitor.post("/sign-in/email", {"code": code_of(mailoutbox[0])})
    assert response["Location"] == "/settings/email/"
    person.refresh_from_db()
    assert person.email == "ada@example.org"
    assert ("change_email", None) in events_of(person)
    later = browser_of()
    later.sign_in("ada@example.org", mailoutbox)
    assert later.whoami == str(person.pk)


def test_it_adds_nothing_without_the_code(visitor, person):
    visitor.post("/settings/email/", {"email": "ada@example.org", "action_add": ""})
    assert visitor.post("/sign-in/email", {"code": "BBBB-BBBB"}).status_code == 200
    assert not EmailAddress.objects.exists()
    person.refresh_from_db()
    assert person.email is None


def test_it_takes_no_address_of_another_person(visitor, person, ben, person_of, mailoutbox, code_of):
    person_of(ben, "ben@example.org")
    visitor.post("/settings/email/", {"email": "ben@example.org", "action_add": ""})
    assert mailoutbox[0].to == ["ben@example.org"]
    visitor.post("/sign-in/email", {"code": code_of(mailoutbox[0])})
    person.refresh_from_db()
    assert person.email is None
    assert EmailAddress.objects.get().user_id == ben.person_id


def test_it_changes_the_address_and_tells_the_former_one(browser, person_of, ben, mailoutbox, code_of):
    person = person_of(ben, "ben@example.org")
    browser.sign_in("ben@example.org", mailoutbox)
    browser.post("/settings/email/", {"email": "new@example.org", "action_add": ""})
    code = code_of(mailoutbox[-1])
    assert mailoutbox[-1].to == ["new@example.org"]
    browser.post("/sign-in/email", {"code": code})
    person.refresh_from_db()
    assert person.email == "new@example.org"
    assert [address.email for address in EmailAddress.objects.all()] == ["new@example.org"]
    assert mailoutbox[-1].to == ["ben@example.org"]
    assert "If that was not you" in mailoutbox[-1].body


def test_it_asks_who_came_by_a_link_a_while_ago_for_a_new_one(visitor, person, a_while_ago, mailoutbox):
    a_while_ago(visitor)
    response = visitor.post("/settings/email/", {"email": "ada@example.org", "action_add": ""})
    assert response["Location"].startswith("/confirm/link?next=")
    assert b"open a new link" in visitor.get(response["Location"]).content
    assert mailoutbox == []
    visitor.post(make_link(person, actor=Actor("system")).path)
    response = visitor.post("/settings/email/", {"email": "ada@example.org", "action_add": ""})
    assert response["Location"] == "/sign-in/email"


def test_it_asks_who_has_an_address_for_a_code(browser, person_of, ben, a_while_ago, mailoutbox, code_of):
    person_of(ben, "ben@example.org")
    browser.sign_in("ben@example.org", mailoutbox)
    a_while_ago(browser)
    response = browser.post("/settings/email/", {"email": "new@example.org", "action_add": ""})
    assert response["Location"].startswith("/confirm/code?next=")
    assert len(mailoutbox) == 1
    page = browser.get(response["Location"])
    assert b"ben@example.org" in page.content
    response = browser.post("/confirm/code", {"recipient": "ben@example.org", "next": "/settings/email/"})
    assert browser.post(response["Location"], {"code": "BBBB-BBBB"}).status_code == 200
    # What was asked for goes on where it stopped.
    response = browser.post(response["Location"], {"code": code_of(mailoutbox[1]), "next": "/settings/email/"})
    assert response["Location"] == "/sign-in/email"
    assert mailoutbox[-1].to == ["new@example.org"]


def test_it_sends_the_code_to_no_other_address(browser, person_of, ben, a_while_ago, mailoutbox):
    person_of(ben, "ben@example.org")
    browser.sign_in("ben@example.org", mailoutbox)
    a_while_ago(browser)
    assert browser.post("/confirm/code", {"recipient": "eve@example.org"}).status_code == 200
    assert len(mailoutbox) == 1
