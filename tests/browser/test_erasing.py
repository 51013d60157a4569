"""Erasing everything in a browser: asked, typed, watched to its end, with a receipt that opens for anybody."""

import re

import pytest
from django.conf import settings
from playwright.sync_api import expect

from accounts.models import User
from memoryapp.models import Receipt
from tests.many import grow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def ledger(tmp_path):
    before = settings.ERASURE_LEDGER
    settings.ERASURE_LEDGER = tmp_path / "erasures.jsonl"
    yield
    settings.ERASURE_LEDGER = before


@pytest.fixture
def life(remember, ada, monkeypatch):
    remember("Likes green tea.")
    grow(ada, 300)
    monkeypatch.setattr("memoryapp.services.erase_stores.PIECE", 20)


def erase(page, guard, word, button):
    guard.expect("status of 422")
    page.goto("/privacy/")
    page.locator("a[href='/privacy/erase/']").click()
    expect(page.locator("#typed")).to_be_visible()
    page.locator("#typed").fill("nonsense")
    page.get_by_role("button", name=button).click()
    expect(page.locator("#typed-error")).to_be_visible()
    assert page.evaluate("document.activeElement.id") == "typed"
    assert not Receipt.objects.exists()
    page.locator("#typed").fill(word)
    page.get_by_role("button", name=button).click()
    expect(page).to_have_url(re.compile("/receipts/"))


def test_it_erases_and_the_receipt_fills_by_itself(page, guard, new_context, life, ask, ada):
    erase(page, guard, "erase", "Erase everything")
    expect(page.locator("#receipt")).to_contain_text("nothing was left", timeout=30_000)
    expect(page.locator("#receipt tbody tr").first).to_contain_text("301")
    assert ask("tea")["context"] == ""
    assert not User.objects.filter(pk=ada.person_id).exists()
    kept = page.url
    page.goto("/memories/")
    expect(page).to_have_url(re.compile("/sign-in"))
    stranger = new_context(signed_in=False).new_page()
    stranger.goto(kept)
    expect(stranger.locator("#receipt")).to_contain_text("nothing was left")
    for width in (1440, 320):
        stranger.set_viewport_size({"width": width, "height": 900})
        assert stranger.evaluate("document.documentElement.scrollWidth") <= width


def test_it_erases_in_arabic(page, guard, life, ada):
    User.objects.filter(pk=ada.person_id).update(language="ar", time_zone="Asia/Riyadh")
    erase(page, guard, "محو", "محو كل شيء")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    expect(page.locator("h1")).to_have_text("إيصال بالمحو")
    expect(page.locator("#receipt progress")).to_have_count(0, timeout=30_000)


def test_it_erases_without_scripts(new_context, life, ada):
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/privacy/erase/")
    page.locator("#typed").fill("erase")
    page.get_by_role("button", name="Erase everything").click()
    expect(page.locator("h1")).to_have_text("Receipt of an erasure")
    for _ in range(60):
        if page.locator("#receipt progress").count() == 0:
            break
        page.wait_for_timeout(500)
        page.reload()
    expect(page.locator("#receipt")).to_contain_text("nothing was left")
