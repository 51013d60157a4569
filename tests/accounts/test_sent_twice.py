"""Every form of sign-in and its settings that is sent twice makes one change, as those of the pages do."""

import re
import time

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession

from accounts.actors import Actor
from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent
from memoryapp.services.links import make_link
from memoryapp.signin import urls

# Notes go out after the commit.
pytestmark = pytest.mark.django_db(transaction=True)

ONLY_SHOWN = {
    "account_inactive", "mfa_index", "mfa_list_webauthn", "mfa_view_recovery_codes", "mfa_download_recovery_codes",
    "socialaccount_login_cancelled", "socialaccount_login_error", "openid_connect_callback", "account_new_link",
    "usersessions_list",
}  # fmt: skip
REASONS = {
    "account_login": "asks for a code: each pressing sends one, the last is good, and the rate limit bounds them",
    "account_confirm_login_code": "a code is good once; the second sending finds the person signed in",
    "account_email_verification_sent": "a code is good once",
    "account_email": "asks for a code, and keeps no address before it is entered",
    "account_signup": "makes nobody before the code is entered; an address is known once",
    "mfa_authenticate": "a number of the app is good once; the second sending finds the person signed in",
    "mfa_login_webauthn": "a passkey signs a challenge that is good once",
    "mfa_add_webauthn": "a passkey signs a challenge that is good once",
    "mfa_reauthenticate": "proves who it is, and changes nothing that is kept",
    "mfa_reauthenticate_webauthn": "proves who it is, and changes nothing that is kept",
    "account_request_reauthentication_code": "asks for a code, as above",
    "account_confirm_reauthentication_code": "proves who it is, and changes nothing that is kept",
    "socialaccount_signup": "leads on unless a provider has just sent somebody, whom it makes once",
    "openid_connect_login": "leads to the provider, and changes nothing",
    "sign_in_link": "a link is good once, also in a race: `test_links`",
}


@pytest.fixture
def person(browser, ada, person_of):
    """Ada, signed in with what lets her in by other ways too."""
    found = person_of(ada, "ada@example.org")
    browser.post(make_link(found, actor=Actor("system")).path)
    return found


def everything(person):
    """What is kept on her ways in, and what her activity has."""
    models = (EmailAddress, Authenticator, SocialAccount, UserSession)
    rows = [(model.__name__, tuple(row)) for model in models for row in model.objects.values_list("pk", "user_id")]
    rows += [("names", name) for name in Authenticator.objects.values_list("data__name", flat=True)]
    rows += [("person", email) for email in User.objects.filter(pk=person.pk).values_list("email", flat=True)]
    with acting_for(person.pk):
        events = AuditEvent.objects.filter(person_id=person.pk).order_by("seq").values_list("verb", "reason")
        return sorted(map(str, rows)), list(events)


def _passkey(person):
    return Authenticator.objects.create(user=person, type="webauthn", data={"name": "Laptop", "credential": {}}).pk


def _app(browser, person):
    secret = re.search(r'class="secret">([A-Z2-7]+)<', browser.get("/settings/sign-in/app/add/").content.decode())[1]
    return {"code": format_hotp_value(hotp_value(secret, int(time.time()) // 30))}


def _other_session(browser_of, person):
    browser_of().post(make_link(person, actor=Actor("system")).path)
    return UserSession.objects.filter(user=person).latest("pk").pk


def _connected(person):
    return SocialAccount.objects.create(user=person, provider="sso", uid="4711").pk


def _with_an_app(person):
    TOTP.activate(person, generate_totp_secret())
    return {}


SENT = {
    "account_logout": lambda browser, person, other: ("/sign-out", {}),
    "end_session": lambda browser, person, other: (f"/settings/sessions/{_other_session(other, person)}/end/", {}),
    "end_other_sessions": lambda browser, person, other: (
        "/settings/sessions/end-others/", {"of": _other_session(other, person)},
    ),
    "mfa_activate_totp": lambda browser, person, other: ("/settings/sign-in/app/add/", _app(browser, person)),
    "mfa_deactivate_totp": lambda browser, person, other: ("/settings/sign-in/app/remove/", _with_an_app(person)),
    "mfa_edit_webauthn": lambda browser, person, other: (
        f"/settings/sign-in/passkeys/{_passkey(person)}/rename/", {"name": "Desktop"},
    ),
    "mfa_remove_webauthn": lambda browser, person, other: (
        f"/settings/sign-in/passkeys/{_passkey(person)}/remove/", {},
    ),
    "socialaccount_connections": lambda browser, person, other: (
        "/settings/accounts/", {"account": _connected(person)},
    ),
}  # fmt: skip
ON_PURPOSE = {"mfa_generate_recovery_codes"}
"""Makes codes anew each time, which is what it is for; those that are shown last are good."""


def test_every_route_is_tried_or_has_its_reason():
    assert {pattern.name for pattern in urls.urlpatterns} == ONLY_SHOWN | REASONS.keys() | SENT.keys() | ON_PURPOSE


@pytest.mark.parametrize("route", SENT)
def test_it_makes_one_change(route, browser, browser_of, person):
    address, fields = SENT[route](browser, person, browser_of)
    before = everything(person)
    first = browser.post(address, fields)
    once = everything(person)
    second = browser.post(address, fields)
    assert first.status_code in (302, 303) and second.status_code in (200, 302, 303, 404), (first, second)
    assert once != before
    assert everything(person) == once


def test_recovery_codes_are_those_that_were_shown_last(browser, person):
    TOTP.activate(person, generate_totp_secret())
    shown = []
    for _ in range(2):
        page = browser.post("/settings/sign-in/recovery-codes/new/", follow=True).content.decode()
        shown.append(re.findall(r"<code>(\d{8})</code>", page))
    assert shown[0] != shown[1] and len(shown[1]) == 10
    kept = Authenticator.objects.get(type=Authenticator.Type.RECOVERY_CODES)
    assert kept.wrap().get_unused_codes() == shown[1]
