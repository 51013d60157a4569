"""Bringing a file along in a browser: looked at, brought, and then in the list or in the review."""

import json

import pytest
from playwright.sync_api import expect

from accounts.models import User
from tests.browser.steps import LIST, row
from tests.rich import file_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def export(remember, ben, tmp_path):
    """Ben's export: Ada has nothing of it yet."""
    remember("Likes green tea.", actor=ben)
    remember("Likes rye bread.", subject="bread", actor=ben)
    (tmp_path / "memory.json").write_bytes(file_of(ben))
    return tmp_path / "memory.json"


@pytest.fixture
def foreign(tmp_path):
    rows = [{"id": str(n), "memory": text} for n, text in enumerate(["Likes hiking.", "The password is hunter2-zz."])]
    (tmp_path / "mem0.json").write_text(json.dumps({"results": rows}))
    return tmp_path / "mem0.json"


def look_at(page, file, button="Look at it first"):
    page.goto("/privacy/")
    page.locator("#file").set_input_files(file)
    page.get_by_role("button", name=button).click()
    expect(page.locator("#bring table")).to_be_visible()


def test_an_export_is_counted_then_brought(page, export, ask):
    look_at(page, export)
    expect(page.locator("#bring tbody tr").first).to_contain_text("2")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert ask("tea")["memories"] == []
    page.get_by_role("button", name="Import 2 memories").click()
    expect(page.locator("h1")).to_have_text("What is remembered about you")
    expect(row(page, "Likes green tea.")).to_contain_text("imported")
    assert {one["text"] for one in ask("tea")["memories"]} == {"Likes green tea.", "Likes rye bread."}
    look_at(page, export)
    expect(page.locator("#bring")).to_contain_text("There is nothing new in it.")
    page.get_by_role("button", name="Leave it").click()
    expect(page.locator("h1")).to_have_text("Privacy and export")


def test_memories_of_another_service_wait(page, foreign, ask):
    look_at(page, foreign)
    page.get_by_role("button", name="Import 1 memory").click()
    expect(page.locator("h1")).to_have_text("Review")
    expect(page.locator("#main")).to_contain_text("Likes hiking.")
    expect(page.locator("#main")).to_contain_text("Imported from elsewhere")
    assert ask("hiking")["memories"] == []
    page.get_by_role("button", name="Keep").click()
    expect(page.locator("#main")).not_to_contain_text("Likes hiking.")
    page.goto(LIST)
    expect(row(page, "Likes hiking.")).to_be_visible()
    assert [one["text"] for one in ask("hiking")["memories"]] == ["Likes hiking."]


def test_a_file_that_cannot_be_read_says_so_beside_it(page, guard, tmp_path):
    guard.expect("status of 422")
    (tmp_path / "broken.json").write_text('[\n{"memory": "a"},\n{"memory"}]')
    page.goto("/privacy/")
    page.locator("#file").set_input_files(tmp_path / "broken.json")
    page.get_by_role("button", name="Look at it first").click()
    expect(page.locator("#file-error")).to_have_text("Line 3 of the file cannot be read. Nothing was brought.")
    assert page.evaluate("document.activeElement.id") == "file"


def test_it_works_without_scripts_and_in_arabic(new_context, export, ada):
    User.objects.filter(pk=ada.person_id).update(language="ar")
    page = new_context(java_script_enabled=False).new_page()
    look_at(page, export, "انظر إليه أولًا")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    page.get_by_role("button", name="استيراد ذكريين").click()
    expect(page.locator(".notice")).to_contain_text("جُلبت ذكريان")
    expect(row(page, "Likes green tea.")).to_be_visible()
