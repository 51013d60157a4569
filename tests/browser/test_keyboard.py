"""Find, correct, forget, undo and restore with the keyboard alone; the focus is never lost."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LIST, focused, row, rows

pytestmark = pytest.mark.django_db(transaction=True)

_MOST_STOPS = 80


@pytest.fixture
def keys(page):
    """`keys.tab_to(locator)` presses Tab until it has the focus; `keys.press` a key, on whatever has it."""

    class Keys:
        def press(self, key):
            page.keyboard.press(key)
            # A page that is just being left has no focus yet.
            page.wait_for_function("() => document.activeElement && document.activeElement !== document.body")

        def tab_to(self, locator, key="Tab"):
            for _ in range(_MOST_STOPS):
                if locator.evaluate("(it) => it === document.activeElement"):
                    return
                page.keyboard.press(key)
                assert focused(page)["tag"] != "BODY"
            raise AssertionError(f"{locator} is not reached by {key}")

    return Keys()


def _heading(page):
    expect(page.locator("h1")).to_be_focused()


def test_it_is_all_done_without_a_mouse(page, remember, keys, ask):
    remember("Likes green tea.", subject="drink")
    remember("Likes rye bread.", subject="bread")
    page.goto(LIST)
    _heading(page)

    keys.tab_to(page.locator("#q"))
    page.keyboard.type("green")
    expect(rows(page)).to_have_count(1)
    expect(page.locator("#q")).to_be_focused()

    keys.tab_to(row(page, "green tea").get_by_role("link", name="Correct"))
    keys.press("Enter")
    expect(page.locator("h1")).to_have_text("Correct this memory")
    _heading(page)
    keys.tab_to(page.get_by_label("Text"))
    page.keyboard.press("Control+A")
    page.keyboard.type("Likes green oolong.")
    keys.tab_to(page.get_by_role("button", name="Save"))
    keys.press("Enter")
    expect(page.locator("h1")).to_have_text("Likes green oolong.")
    _heading(page)
    assert "oolong" in ask("oolong")["context"]

    keys.tab_to(page.locator(".crumb a"), "Shift+Tab")
    keys.press("Enter")
    expect(rows(page)).to_have_count(1)
    _heading(page)
    assert "q=green" in page.url
    keys.tab_to(page.locator("#clear"))
    keys.press("Enter")
    expect(rows(page)).to_have_count(2)
    _heading(page)

    keys.tab_to(row(page, "oolong").get_by_role("button", name="Forget"))
    keys.press("Enter")
    expect(rows(page)).to_have_count(1)
    # The next row, else the one before.
    expect(rows(page)).to_be_focused()
    keys.tab_to(page.locator(".bar").get_by_role("button", name="Undo"))
    keys.press("Space")
    expect(rows(page)).to_have_count(2)
    expect(row(page, "oolong")).to_be_focused()

    keys.tab_to(row(page, "oolong").get_by_role("button", name="Forget"))
    keys.press("Space")
    expect(rows(page)).to_have_count(1)
    keys.tab_to(page.locator("details.who > summary"), "Shift+Tab")
    keys.press("Enter")
    keys.tab_to(page.locator(".menu").get_by_role("link", name="Trash"))
    keys.press("Enter")
    expect(page.locator("h1")).to_have_text("Trash")
    _heading(page)
    keys.tab_to(page.get_by_role("button", name="Restore"))
    keys.press("Enter")
    expect(page.get_by_role("heading", name="The trash is empty")).to_be_visible()
    _heading(page)
    assert "oolong" in ask("oolong")["context"]

    keys.tab_to(page.locator("details.who > summary"), "Shift+Tab")
    keys.press("Enter")
    keys.tab_to(page.locator(".menu").get_by_role("link", name="Privacy and export"))
    keys.press("Enter")
    expect(page.locator("h1")).to_have_text("Privacy and export")
    _heading(page)
    keys.tab_to(page.get_by_role("link", name="Download everything"))
    with page.expect_download() as download:
        keys.press("Enter")
    assert "oolong" in json.dumps(json.loads(Path(download.value.path()).read_text()))


def test_the_last_row_leaves_the_focus_on_the_heading(page, remember, keys):
    remember("Likes green tea.", subject="drink")
    page.goto(LIST)
    keys.tab_to(row(page, "green tea").get_by_role("button", name="Forget"))
    keys.press("Enter")
    expect(rows(page)).to_have_count(0)
    _heading(page)


def test_the_skip_link_comes_first(page, remember):
    remember("Likes green tea.")
    page.goto(LIST)
    page.locator(".skip").focus()
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()


def test_a_bare_key_forgets_nothing(page, remember, events_of):
    remember("Likes green tea.")
    page.goto(LIST)
    rows(page).focus()
    for key in ("Delete", "Backspace", "Enter", "Space", "d", "x"):
        page.keyboard.press(key)
    expect(rows(page)).to_have_count(1)
    assert events_of("forget") == 0
