"""Signing in by a code that comes by email."""

import pytest
from allauth.account.models import EmailAddress

from accounts.models import User


@pytest.fixture
def person(ada, person_of):
    return person_of(ada, "ada@example.org")


def test_it_signs_in_by_a_code(browser, person, mailoutbox, code_of, events_of):
    response = browser.request_code("Ada@Example.org")
    assert (response.status_code, response["Location"]) == (302, "/sign-in/code")
    (mail,) = mailoutbox
    assert mail.to == ["ada@example.org"]
    assert browser.whoami is None
    response = browser.enter_code(code_of(mail).lower().replace("-", " "))
    assert (response.status_code, response["Location"]) == (302, "/memories/")
    assert browser.whoami == str(person.pk)
    assert events_of(person)[-1] == ("sign_in", "code")


def test_it_offers_no_password(browser, person):
    page = browser.get("/sign-in").content.decode()
    assert 'type="password"' not in page
    assert 'type="email"' in page
    person.set_password("a password that was set by somebody")
    person.save()
    browser.post("/sign-in", {"login": "ada@example.org", "password": "a password that was set by somebody"})
    assert browser.whoami is None
    assert not browser.login(email="ada@example.org", password="wrong")


def test_it_takes_a_code_in_its_own_browser_only(browser_of, person, mailoutbox, code_of):
    asking, stranger = browser_of(), browser_of()
    asking.request_code("ada@example.org")
    code = code_of(mailoutbox[0])
    stranger.enter_code(code)
    stranger.request_code("ada@example.org")
    stranger.enter_code(code)
    assert stranger.whoami is None
    asking.enter_code(code)
    assert asking.whoami == str(person.pk)


def test_it_gives_up_after_three_wrong_codes(browser, person, mailoutbox, code_of):
    browser.request_code("ada@example.org")
    assert browser.enter_code("BBBB-BBBB").status_code == 200
    assert browser.enter_code("BBBB-BBBB").status_code == 200
    assert browser.enter_code("BBBB-BBBB")["Location"] == "/sign-in"
    browser.enter_code(code_of(mailoutbox[0]))
    assert browser.whoami is None


def test_it_takes_no_old_code(browser, person, mailoutbox, code_of, monkeypatch):
    import time

    browser.request_code("ada@example.org")
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 601)
    browser.enter_code(code_of(mailoutbox[0]))
    assert browser.whoami is None


def test_it_answers_alike_whether_the_address_is_known(browser_of, person, mailoutbox):
    pages = []
    for address in ("ada@example.org", "eve@example.org"):
        browser = browser_of()
        answer = browser.request_code(address)
        page = browser.get("/sign-in/code")
        pages.append((answer.status_code, answer["Location"], page.content.replace(address.encode(), b"X")[-900:]))
    assert pages[0][:2] == pages[1][:2]
    assert len(pages[0][2]) == len(pages[1][2])
    known, unknown = mailoutbox
    assert known.to == ["ada@example.org"]
    assert unknown.to == ["eve@example.org"]
    assert "no memory page" in unknown.body


def test_it_sends_three_codes_a_minute_to_one_address(browser_of, person, mailoutbox):
    for _ in range(3):
        assert browser_of().request_code("ada@example.org").status_code == 302
    refused = browser_of().request_code("ada@example.org")
    assert refused.status_code == 200
    assert b"Too many" in refused.content
    assert len(mailoutbox) == 3
    assert browser_of().request_code("ben@example.org").status_code == 302


def test_it_pauses_a_busy_network(browser_of, person):
    statuses = [browser_of().request_code("nonsense").status_code for _ in range(31)]
    assert statuses == [200] * 30 + [429]
    refused = browser_of().request_code("ada@example.org")
    assert refused.status_code == 429
    assert refused["Retry-After"] == "60"
    assert b"A short pause" in refused.content
    assert browser_of(REMOTE_ADDR="192.0.2.7").request_code("ada@example.org").status_code == 302


@pytest.mark.parametrize(
    ("target", "location"),
    [
        ("/memories/?q=tea&kind=fact", "/memories/?q=tea&kind=fact"),
        ("https://evil.example/", "/memories/"),
        ("//evil.example/", "/memories/"),
        ("/\\evil.example", "/memories/"),
        ("javascript:alert(1)", "/memories/"),
        ("http:///evil.example", "/memories/"),
    ],
)
def test_it_leads_back_to_our_own_pages_only(browser, person, mailoutbox, code_of, target, location):
    assert browser.get("/sign-in", {"next": target}).status_code == 200
    response = browser.request_code("ada@example.org", next=target)
    response = browser.post(response["Location"], {"code": code_of(mailoutbox[0])})
    assert response["Location"] == location


def test_it_keeps_pages_for_those_who_are_signed_in(browser):
    for address in ("/settings/email/", "/settings/sign-in/", "/settings/sessions/", "/settings/accounts/"):
        response = browser.get(address)
        assert response.status_code == 302
        assert response["Location"].startswith("/sign-in?next=")
    for address in ("/sign-in", "/healthz", "/api/v1/schema"):
        assert browser.get(address).status_code == 200


def test_it_opens_no_page_to_who_is_closed_out(browser, person, mailoutbox):
    User.objects.filter(pk=person.pk).update(is_active=False)
    browser.request_code("ada@example.org")
    assert "no memory page" in mailoutbox[0].body


@pytest.mark.parametrize("state", ["closed", "oidc"])
def test_it_lets_nobody_sign_up_unless_asked_to(browser, settings, mailoutbox, state):
    settings.MEMORY_SIGN_UP = state
    page = browser.post("/sign-up", {"email": "eve@example.org"})
    assert b"New pages come from your app" in page.content
    assert not User.objects.filter(email="eve@example.org").exists()
    assert mailoutbox == []


def test_it_lets_people_sign_up_when_open(browser, settings, mailoutbox, code_of, events_of):
    settings.MEMORY_SIGN_UP = "open"
    response = browser.post("/sign-up", {"email": "Eve@example.org"})
    assert response["Location"] == "/sign-in/email"
    assert browser.whoami is None
    response = browser.post("/sign-in/email", {"code": code_of(mailoutbox[0])})
    assert response["Location"] == "/memories/"
    person = User.objects.get(email="eve@example.org")
    assert browser.whoami == str(person.pk)
    assert not person.has_usable_password()
    from accounts.models import Scope
    from memoryapp.database.isolation import acting_for

    with acting_for(person.pk):
        assert [scope.name for scope in Scope.objects.all()] == ["personal"]


def test_it_does_not_tell_who_signs_up_twice(browser, settings, person, mailoutbox):
    settings.MEMORY_SIGN_UP = "open"
    response = browser.post("/sign-up", {"email": "ada@example.org"})
    assert response["Location"] == "/sign-in/email"
    assert "opens one already" in mailoutbox[0].body
    assert User.objects.filter(email="ada@example.org").count() == 1
    assert EmailAddress.objects.filter(email="ada@example.org").count() == 1
