"""Signing in with the operator's OpenID Connect provider."""

import html
import re
from urllib.parse import parse_qs, urlsplit

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from requests import ConnectionError as NoConnection

from accounts.actors import Actor
from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.services.links import make_link
from memoryapp.signin.adapters import ProviderAdapter

PROVIDER = "https://login.example.org"
CONFIGURATION = {
    "issuer": PROVIDER,
    "authorization_endpoint": f"{PROVIDER}/authorize",
    "token_endpoint": f"{PROVIDER}/token",
    "userinfo_endpoint": f"{PROVIDER}/userinfo",
    "jwks_uri": f"{PROVIDER}/keys",
    "token_endpoint_auth_methods_supported": ["client_secret_post"],
}


class Answer:
    status_code = 200
    headers = {"content-type": "application/json"}

    def __init__(self, body):
        self.body = body

    def json(self):
        return self.body

    def raise_for_status(self):
        pass


class Provider:
    """What the provider says of who is signed in there; `is_away` when it does not answer."""

    is_away = False

    def __init__(self):
        self.claims = {"sub": "4711", "email": "ada@example.org", "email_verified": True, "name": "Ada Lovelace"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def get(self, url, **_):
        return self.request("GET", url)

    def request(self, method, url, **_):
        if self.is_away:
            raise NoConnection
        return Answer(
            {
                f"{PROVIDER}/.well-known/openid-configuration": CONFIGURATION,
                f"{PROVIDER}/token": {"access_token": "token-of-the-provider", "token_type": "Bearer"},
                f"{PROVIDER}/userinfo": self.claims,
            }[url]
        )


@pytest.fixture
def provider(monkeypatch):
    there = Provider()
    monkeypatch.setattr(ProviderAdapter, "get_requests_session", lambda self: there)
    return there


def leave(browser, process="login", **query):
    """Presses the button; the address at the provider."""
    page = browser.post("/sign-in/with/sso", query_params={"process": process, **query})
    assert page.status_code == 200
    return html.unescape(re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', page.content.decode())[1])


def come_back(browser, address):
    state = parse_qs(urlsplit(address).query)["state"][0]
    return browser.get("/sign-in/with/sso/back", {"code": "code-of-the-provider", "state": state})


def test_it_offers_the_provider(browser, provider):
    page = browser.get("/sign-in").content.decode()
    assert "Continue with Example" in page
    address = urlsplit(leave(browser))
    assert (address.netloc, address.path) == ("login.example.org", "/authorize")
    query = parse_qs(address.query)
    assert query["redirect_uri"] == ["http://testserver/sign-in/with/sso/back"]
    assert query["code_challenge_method"] == ["S256"]
    assert "s3cret-value" not in address.query


def test_it_leaves_after_a_button_only(browser, provider):
    page = browser.get("/sign-in/with/sso")
    assert page.status_code == 200
    assert b"Go on to Example?" in page.content
    assert b"refresh" not in page.content


def test_it_lets_nobody_in_who_is_not_known(browser, provider):
    page = come_back(browser, leave(browser))
    assert b"New pages come from your app" in page.content
    assert browser.whoami is None
    assert not User.objects.exists()


@pytest.mark.parametrize("state", ["oidc", "open"])
def test_it_lets_its_people_sign_up_when_told_to(browser, browser_of, provider, settings, events_of, state):
    settings.MEMORY_SIGN_UP = state
    response = come_back(browser, leave(browser, next="/memories/?q=tea"))
    assert (response.status_code, response["Location"]) == (302, "/memories/?q=tea")
    person = User.objects.get()
    assert browser.whoami == str(person.pk)
    assert events_of(person)[-1] == ("sign_in", "oidc")
    with acting_for(person.pk):
        assert Scope.objects.get().name == "personal"
    later = browser_of()
    come_back(later, leave(later))
    assert later.whoami == str(person.pk)


@pytest.mark.parametrize(
    ("changes", "email"),
    [
        pytest.param({}, "ada@example.org", id="confirmed"),
        pytest.param({"email_verified": False}, None, id="not-confirmed"),
        pytest.param({"email": None}, None, id="none"),
    ],
)
def test_it_takes_an_address_that_the_provider_has_confirmed(browser, provider, settings, changes, email):
    settings.MEMORY_SIGN_UP = "oidc"
    for sub in ("1", "2"):
        address = "ada@example.org" if sub == "1" else "ben@example.org"
        provider.claims |= {"sub": sub, "email": address} | changes
        come_back(browser, leave(browser))
        assert browser.whoami is not None
        browser.post("/sign-out")
    assert User.objects.order_by("created_at").first().email == email
    assert EmailAddress.objects.filter(verified=False).count() == 0
    assert EmailAddress.objects.count() == (2 if email else 0)


def test_it_keeps_the_accounts_id_and_nothing_more(browser, provider, settings):
    settings.MEMORY_SIGN_UP = "oidc"
    for _ in range(2):
        come_back(browser, leave(browser))
        account = SocialAccount.objects.get()
        assert (account.uid, account.extra_data) == ("4711", {})
        browser.post("/sign-out")


def test_it_takes_no_page_by_an_address_alone(browser, provider, settings, ada, person_of):
    settings.MEMORY_SIGN_UP = "open"
    person = person_of(ada, "ada@example.org")
    come_back(browser, leave(browser))
    assert browser.whoami is None
    assert not SocialAccount.objects.exists()
    assert User.objects.get(email="ada@example.org") == person


def test_it_connects_and_disconnects_on_the_page(browser, browser_of, provider, ada, person_of, events_of):
    person = person_of(ada)
    browser.post(make_link(person, actor=Actor("system")).path)
    response = come_back(browser, leave(browser, "connect"))
    assert response["Location"] == "/settings/accounts/"
    assert events_of(person)[-1] == ("add_factor", "oidc")
    later = browser_of()
    come_back(later, leave(later))
    assert later.whoami == str(person.pk)
    account = SocialAccount.objects.get()
    refused = browser.post("/settings/accounts/", {"account": account.pk})
    assert b"Add an email address or a passkey first" in refused.content
    EmailAddress.objects.create(user=person, email="ada@example.org", verified=True, primary=True)
    assert browser.post("/settings/accounts/", {"account": account.pk}).status_code == 302
    assert not SocialAccount.objects.exists()
    assert events_of(person)[-1] == ("remove_factor", "oidc")


def test_it_disconnects_nobody_else(browser, provider, ada, ben, person_of):
    theirs = SocialAccount.objects.create(user=person_of(ben, "ben@example.org"), provider="sso", uid="1")
    browser.post(make_link(person_of(ada, "ada@example.org"), actor=Actor("system")).path)
    assert browser.post("/settings/accounts/", {"account": theirs.pk}).status_code == 200
    assert SocialAccount.objects.filter(pk=theirs.pk).exists()


def test_it_takes_no_answer_that_it_did_not_ask_for(browser, browser_of, provider, settings):
    settings.MEMORY_SIGN_UP = "oidc"
    address = leave(browser_of())
    page = come_back(browser, address)
    assert page.status_code == 401
    assert browser.whoami is None


def test_it_says_so_when_the_provider_is_away(browser, provider):
    address = leave(browser)
    provider.is_away = True
    for page in (come_back(browser, address), browser.post("/sign-in/with/sso")):
        assert page.status_code == 503
        assert b"could not be checked" in page.content


def test_it_knows_no_other_provider(browser, provider):
    assert browser.get("/sign-in/with/other").status_code == 404
    assert browser.get("/sign-in/with/other/back", {"code": "x", "state": "y"}).status_code == 404


@pytest.mark.parametrize("has_address", [False, True], ids=["by the provider alone", "with an address too"])
def test_who_came_by_the_provider_proves_by_coming_again(browser, provider, settings, has_address):
    settings.MEMORY_SIGN_UP = "oidc"
    provider.claims["email_verified"] = has_address
    come_back(browser, leave(browser))
    whoami = browser.whoami
    session = browser.session
    session["signed_in_at"] -= settings.MEMORY_FRESH_SECONDS + 60
    session.save()
    page = browser.get("/privacy/").content.decode()
    assert "Download everything" not in page
    proof = html.unescape(re.search(r'href="([^"]+)">It is me<', page)[1])
    if has_address:
        assert proof == "/confirm/code?next=%2Fprivacy%2F"
        return
    assert proof == "/confirm/link?next=%2Fprivacy%2F"
    page = browser.get(proof).content.decode()
    form = re.search(
        r'<form method="post" action="([^"]+)">.*?name="next" value="([^"]+)".*?again</button>', page, re.S
    )
    here = {"Referer": f"http://testserver{proof}"}
    answer = browser.post(form[1], {"next": html.unescape(form[2])}, headers=here)
    assert (answer.status_code, browser.whoami) == (302, None)
    page = browser.get(answer["Location"]).content.decode()
    assert "Continue with Example" in page
    query = parse_qs(urlsplit(answer["Location"]).query)
    response = come_back(browser, leave(browser, next=query["next"][0]))
    assert (response["Location"], browser.whoami) == ("/privacy/", whoami)
    assert "Download everything" in browser.get("/privacy/").content.decode()
