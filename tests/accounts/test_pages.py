"""What every page of sign-in has in common: the product's look, nothing inline, nothing of others."""

import re
from html.parser import HTMLParser

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from allauth.usersessions.models import UserSession
from django.apps import apps

from accounts.actors import Actor
from accounts.models import User
from memoryapp.services.links import make_link

OPEN = ["/sign-in", "/sign-up", "/sign-in/inactive", "/sign-in/failed", "/sign-in/cancelled", "/sign-in/link/nothing"]
OWN = [
    "/settings/email/",
    "/settings/sessions/",
    "/settings/sign-in/",
    "/settings/sign-in/app/add/",
    "/settings/sign-in/passkeys/",
    "/settings/sign-in/passkeys/add/",
    "/settings/sign-in/recovery-codes/new/",
    "/settings/accounts/",
    "/sign-out",
    "/confirm/link",
]


class Page(HTMLParser):
    """What a strict policy would block, and what a reader needs."""

    def __init__(self, text):
        super().__init__()
        self.blocked, self.headings, self.buttons = [], 0, 0
        self.links = set()
        self._script = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        self.blocked += [name for name in given if name == "style" or name.startswith("on")]
        if tag == "script":
            self._script = given
            if "src" not in given and given.get("type") != "application/json":
                self.blocked.append("inline script")
        if tag == "style":
            self.blocked.append("inline style")
        self.headings += tag == "h1"
        for name in ("src", "href", "action"):
            if "://" in (given.get(name) or ""):
                self.links.add(given[name])


@pytest.fixture
def visitor(browser, ada, person_of):
    browser.post(make_link(person_of(ada, "ada@example.org"), actor=Actor("system")).path)
    return browser


def check(response):
    page = Page(response.content.decode())
    assert page.blocked == []
    assert page.headings == 1
    assert page.links == set()
    assert "no-store" in response["Cache-Control"]
    policy = response["Content-Security-Policy"]
    assert "unsafe" not in policy
    assert '<main id="main"' in response.content.decode()


@pytest.mark.parametrize("address", OPEN)
def test_it_looks_like_the_product_before_sign_in(browser, address):
    response = browser.get(address)
    assert response.status_code in (200, 401, 404)
    check(response)


@pytest.mark.parametrize("address", OWN)
def test_it_looks_like_the_product_after_sign_in(visitor, address):
    response = visitor.get(address)
    assert response.status_code == 200
    check(response)


def test_it_finds_what_is_inline():
    page = Page(
        '<p style="x" onclick="y"><script>1</script><script type="application/json">{}</script><a href="http://x">'
    )
    assert page.blocked == ["style", "onclick", "inline script"]
    assert page.links == {"http://x"}


def test_it_shows_the_names_of_passkeys_as_text(visitor):
    name = '<img src=x onerror="alert(1)">'
    Authenticator.objects.create(
        user=User.objects.get(email="ada@example.org"), type="webauthn", data={"name": name, "credential": {}}
    )
    page = visitor.get("/settings/sign-in/passkeys/").content.decode()
    assert name not in page
    assert "&lt;img src=x" in page


def test_it_leaves_the_passkeys_of_others_alone(visitor, ben, person_of):
    theirs = Authenticator.objects.create(
        user=person_of(ben), type="webauthn", data={"name": "Theirs", "credential": {}}
    )
    own = Authenticator.objects.create(
        user=User.objects.get(email="ada@example.org"), type="webauthn", data={"name": "Own", "credential": {}}
    )
    assert "Theirs" not in visitor.get("/settings/sign-in/passkeys/").content.decode()
    for verb in ("rename", "remove"):
        assert visitor.get(f"/settings/sign-in/passkeys/{theirs.pk}/{verb}/").status_code == 404
        assert visitor.post(f"/settings/sign-in/passkeys/{theirs.pk}/{verb}/", {"name": "x"}).status_code == 404
        assert visitor.get(f"/settings/sign-in/passkeys/{own.pk}/{verb}/").status_code == 200
    assert Authenticator.objects.filter(pk=theirs.pk).exists()


def test_it_logs_no_address_no_code_and_no_token(browser, ada, person_of, mailoutbox, code_of, caplog):
    caplog.set_level("DEBUG")
    person = person_of(ada, "ada@example.org")
    path = make_link(person, actor=Actor("system")).path
    browser.get(path)
    browser.post(path)
    browser.post("/sign-out")
    browser.request_code("ada@example.org")
    browser.enter_code("BBBB-BBBB")
    browser.enter_code(code_of(mailoutbox[0]))
    logged = "\n".join(
        record.getMessage() for record in caplog.records if not record.name.startswith("django.db.backends")
    )
    assert "sign-in/link/<str:token>" in logged
    for secret in ("ada@example.org", path.rpartition("/")[2], code_of(mailoutbox[0]), str(person.pk)):
        assert secret not in logged


def test_it_knows_all_tables_of_sign_in_that_name_a_person():
    """They stand outside row-level security, as `User` does: each is asked for before anybody is open.

    A new one has to be thought about: who may read it, and that it is exported and erased with the person.
    """
    named = {
        model
        for app in apps.get_app_configs()
        if app.name.startswith("allauth")
        for model in app.get_models()
        if any(getattr(field, "related_model", None) is User for field in model._meta.get_fields())
    }
    assert named == {EmailAddress, Authenticator, UserSession, SocialAccount}
    assert not re.search("user", " ".join(field.name for field in SocialToken._meta.get_fields()))
