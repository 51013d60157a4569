"""Without JavaScript every control is a link or a form, and the page says what was done."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LIST, forget, row, rows
from tests.many import grow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def plain(new_context):
    return new_context(java_script_enabled=False).new_page()


def test_it_finds_and_turns_pages(plain, remember, ada):
    remember("Likes green tea.")
    grow(ada, 60)
    plain.goto(LIST)
    expect(rows(plain)).to_have_count(50)
    first = rows(plain).first.get_attribute("id")
    plain.get_by_role("link", name="Older").click()
    expect(rows(plain)).to_have_count(11)
    plain.get_by_role("link", name="Newer").click()
    expect(rows(plain)).to_have_count(50)
    assert rows(plain).first.get_attribute("id") == first
    plain.locator("#q").fill("green")
    plain.get_by_role("button", name="Search").click()
    expect(rows(plain)).to_have_count(1)
    assert "q=green" in plain.url
    plain.get_by_role("link", name="Clear", exact=True).click()
    expect(rows(plain)).to_have_count(50)
    plain.locator("#f-kind-fact").click()
    expect(rows(plain)).to_have_count(20)
    expect(plain.locator("#f-kind-fact")).to_have_attribute("aria-current", "true")


def test_it_corrects_forgets_and_undoes(plain, remember, ask):
    remember("Likes green tea.", subject="drink")
    remember("Likes rye bread.", subject="bread")
    plain.goto(LIST + "?kind=preference")
    row(plain, "green tea").get_by_role("link", name="Correct").click()
    plain.get_by_label("Text").fill("Likes black tea.")
    plain.get_by_role("button", name="Save").click()
    expect(plain.locator("h1")).to_have_text("Likes black tea.")
    expect(plain.locator(".notice")).to_contain_text("The correction is in force")
    assert "black tea" in ask("tea")["context"]

    plain.get_by_role("link", name="Memories", exact=True).last.click()
    forget(plain, "black tea")
    assert "kind=preference" in plain.url
    expect(plain.locator(".notice")).to_contain_text("Forgotten.")
    assert "black tea" not in ask("tea")["context"]
    plain.locator(".bar").get_by_role("button", name="Undo").click()
    expect(row(plain, "black tea")).to_have_count(1)
    assert "kind=preference" in plain.url
    assert "black tea" in ask("tea")["context"]


def test_it_switches_and_exports(plain, remember):
    remember("Likes green tea.", subject="drink")
    plain.goto("/settings/")
    plain.locator("#switch-learning").click()
    expect(plain.get_by_role("heading", name="Learning is off")).to_be_visible()
    plain.goto("/privacy/")
    with plain.expect_download() as download:
        plain.get_by_role("link", name="Download everything").click()
    assert "Likes green tea." in json.dumps(json.loads(Path(download.value.path()).read_text()))
    plain.get_by_role("link", name="Read it on a page").click()
    expect(plain.locator("main")).to_contain_text("Likes green tea.")


def test_an_old_form_loses_no_text(plain, remember, ask, guard, home):
    memory = remember("Likes green tea.", subject="drink")
    plain.goto(f"/memories/{memory['id']}/edit/")
    text = "Likes black tea, and longer leaves."
    plain.get_by_label("Text").fill(text)
    # As after signing in anew in another tab.
    plain.context.add_cookies([{"name": "csrftoken", "value": "x" * 32, "url": home}])
    plain.get_by_role("button", name="Save").click()
    guard.expect("status of 403")
    expect(plain.locator("h1")).to_have_text("Please send it once more")
    expect(plain.get_by_label("What you typed")).to_have_value(text)
    assert "green tea" in ask("tea")["context"]
    plain.get_by_role("button", name="Send it again").click()
    expect(plain.locator("h1")).to_have_text(text)
    assert text in ask("tea")["context"]
