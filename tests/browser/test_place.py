"""Filters live in the address: they survive everything that a person does."""

import re

import pytest
from allauth.account.models import EmailAddress
from django.contrib.sessions.models import Session
from playwright.sync_api import expect

from accounts.models import User
from tests.accounts.conftest import code_in
from tests.browser.steps import LIST, focused, forget, row, rows, search

pytestmark = pytest.mark.django_db(transaction=True)

FOUR = "q=tea&scope=atlas&kind=fact&origin=stated"


@pytest.fixture
def some(remember, propose_one):
    for n, drink in enumerate(("green", "black")):
        remember(f"Serves {drink} tea.", kind="fact", scope="atlas", subject=f"drink {n}")
    remember("Serves rye bread.", kind="fact", scope="atlas", subject="bread")
    remember("Decided on tea.", kind="decision", scope="atlas", subject="decision")
    remember("Beacon serves tea.", kind="fact", scope="beacon", subject="drink")
    remember("Likes white tea.", subject="drink")
    propose_one("Probably sells tea.", kind="fact", scope="atlas", subject="shop", source=None)


def _require_four(page):
    expect(rows(page)).to_have_count(2)
    expect(page).to_have_url(re.compile(r"/memories/\?"))
    for part in FOUR.split("&"):
        assert part in page.url
    expect(page.locator("#q")).to_have_value("tea")
    for name in ("scope-atlas", "kind-fact", "origin-stated"):
        expect(page.locator(f"#f-{name}")).to_have_attribute("aria-current", "true")
    assert page.locator("header.top").count() == 1


def test_they_survive(page, some):
    page.goto(LIST)
    expect(rows(page)).to_have_count(7)
    for name in ("scope-atlas", "kind-fact", "origin-stated"):
        page.locator(f"#f-{name}").click()
        expect(page.locator(f"#f-{name}")).to_have_attribute("aria-current", "true")
    expect(rows(page)).to_have_count(3)
    search(page, "tea")
    _require_four(page)

    row(page, "green tea").get_by_role("button", name="Pause").click()
    expect(row(page, "green tea")).to_contain_text("Paused")
    _require_four(page)
    page.reload()
    _require_four(page)
    row(page, "green tea").get_by_role("link", name="Why, and when used").click()
    expect(page.locator("h1")).to_have_text("Serves green tea.")
    page.go_back()
    _require_four(page)
    page.go_forward()
    expect(page.locator("h1")).to_have_text("Serves green tea.")
    page.get_by_role("link", name="Memories", exact=True).last.click()
    _require_four(page)
    page.get_by_role("link", name="Activity").click()
    expect(page.locator("h1")).to_have_text("Activity")
    page.go_back()
    _require_four(page)
    tab = page.context.new_page()
    tab.goto(page.url)
    _require_four(tab)


def test_back_takes_the_last_one_off(page, some):
    page.goto(f"{LIST}?scope=atlas")
    expect(rows(page)).to_have_count(5)
    page.locator("#f-kind-fact").click()
    expect(rows(page)).to_have_count(4)
    page.go_back()
    expect(rows(page)).to_have_count(5)
    assert page.locator("header.top").count() == 1
    page.go_forward()
    expect(rows(page)).to_have_count(4)
    assert "kind=fact" in page.url


def test_they_stay_when_the_last_match_goes(page, some):
    page.goto(f"{LIST}?scope=atlas&kind=decision")
    forget(page, "Decided on tea.")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    assert "scope=atlas&kind=decision" in page.url
    expect(page.locator("#f-scope-atlas")).to_have_attribute("aria-current", "true")
    expect(page.locator("#search")).to_be_visible()
    assert focused(page)["tag"] != "BODY"
    page.reload()
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    page.get_by_role("link", name="Clear", exact=True).click()
    expect(rows(page)).to_have_count(6)


def test_a_session_that_ended_leads_to_the_sign_in_and_back(page, some, ada, mailoutbox):
    person = User.objects.get(pk=ada.person_id)
    User.objects.filter(pk=person.pk).update(email="ada@example.org")
    EmailAddress.objects.create(user=person, email="ada@example.org", verified=True, primary=True)
    page.goto(f"{LIST}?{FOUR}")
    _require_four(page)
    Session.objects.all().delete()

    row(page, "green tea").get_by_role("button", name="Forget").click()

    expect(page.get_by_role("heading", name="Sign in", level=1)).to_be_visible()
    assert page.locator("#memories").count() == 0
    assert page.url.split("?")[0].endswith("/sign-in")
    page.get_by_label("Email address").fill("ada@example.org")
    page.get_by_role("button", name="Send me a code").click()
    expect(page.locator("h1")).to_have_text("Enter the code")
    page.locator("input[name=code]").fill(code_in(mailoutbox[-1]))
    page.locator("input[name=code]").press("Enter")
    _require_four(page)
    assert row(page, "green tea").count() == 1
    forget(page, "green tea")
