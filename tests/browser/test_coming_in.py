"""Coming in with a passkey, and with the operator's provider: under the content policy, which the guard watches."""

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from memoryapp.signin.adapters import ProviderAdapter
from tests.accounts.test_oidc import PROVIDER, Provider
from tests.browser.steps import LIST, row

pytestmark = pytest.mark.django_db(transaction=True)

DEVICE = {
    "protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
    "isUserVerified": True, "automaticPresenceSimulation": True,
}  # fmt: skip


@pytest.fixture
def device(page):
    """A device that keeps passkeys and says yes when it is asked. The value counts them."""
    cdp = page.context.new_cdp_session(page)
    cdp.send("WebAuthn.enable")
    made = cdp.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})

    def count():
        kept = cdp.send("WebAuthn.getCredentials", {"authenticatorId": made["authenticatorId"]})
        return len(kept["credentials"])

    return count


def test_a_passkey_is_added_and_opens_the_page(page, device, remember, events_of):
    remember("Likes green tea.")
    page.goto("/settings/")
    page.get_by_role("link", name="Passkeys and second step").click()
    expect(page.locator("h1")).to_be_visible()
    page.goto("/settings/sign-in/passkeys/add/")
    page.get_by_label("Name").fill("Laptop")
    page.get_by_role("button", name="Add", exact=True).click()
    page.wait_for_url("**/settings/sign-in/**")
    expect(page.locator("main")).not_to_contain_text("Your device or a security key keeps it")
    assert (device(), events_of("add_factor")) == (1, 1)
    page.goto("/settings/sign-in/passkeys/")
    expect(page.locator("main")).to_contain_text("Laptop")

    page.locator("details.who > summary").click()
    page.locator(".menu").get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("heading", name="Sign in", level=1)).to_be_visible()
    page.goto(LIST)
    expect(page.get_by_role("heading", name="Sign in", level=1)).to_be_visible()

    page.get_by_role("button", name="Use a passkey").click()

    expect(row(page, "green tea")).to_have_count(1)
    assert events_of("sign_in") == 1
    # It is a fresh proof as well.
    page.goto("/privacy/")
    expect(page.get_by_role("link", name="Download everything")).to_be_visible()


def test_without_its_passkey_nobody_comes_in(page, device, new_context, remember, guard):
    remember("Likes green tea.")
    stranger = new_context(signed_in=False).new_page()
    cdp = stranger.context.new_cdp_session(stranger)
    cdp.send("WebAuthn.enable")
    cdp.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    stranger.goto("/sign-in")
    stranger.get_by_role("button", name="Use a passkey").click()
    expect(stranger.locator("[data-passkey-error]")).not_to_have_text("")
    stranger.goto(LIST)
    expect(stranger.get_by_role("heading", name="Sign in", level=1)).to_be_visible()


def test_the_provider_is_reached_and_left_under_the_content_policy(
    new_context, home, guard, monkeypatch, settings, remember
):
    settings.MEMORY_SIGN_UP = "oidc"
    there = Provider()
    monkeypatch.setattr(ProviderAdapter, "get_requests_session", lambda self: there)
    context = new_context(signed_in=False)
    asked = []

    def answer(route):
        """The provider, which knows her and sends her back at once."""
        asked.append(parse_qs(urlsplit(route.request.url).query))
        back = f"{asked[-1]['redirect_uri'][0]}?code=of-the-provider&state={asked[-1]['state'][0]}"
        route.fulfill(status=302, headers={"Location": back})

    context.route(f"{PROVIDER}/**", answer)
    page = context.new_page()
    page.goto(f"{LIST}?q=tea")
    page.get_by_role("button", name="Continue with Example").click()
    expect(page.get_by_role("heading", name="Nothing is remembered yet")).to_be_visible()
    assert len(asked) == 1 and asked[0]["code_challenge_method"] == ["S256"]
    # The one other host, and nothing but the address where one signs in.
    assert {urlsplit(url).path for url in guard.elsewhere} == {"/authorize"}
    guard.elsewhere.clear()
