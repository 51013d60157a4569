"""A switch is what the server says, after a reload and in another browser."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.django_db(transaction=True)


def test_learning_stays_off(page, new_context, remember, propose_one):
    remember("Likes green tea.")
    page.goto("/settings/")
    expect(page.get_by_role("heading", name="Learning is on")).to_be_visible()

    page.locator("#switch-learning").click()

    expect(page.get_by_role("heading", name="Learning is off")).to_be_visible()
    expect(page.locator("#switch-learning")).to_be_focused()
    refused = propose_one("Likes rye bread.", subject="bread")
    assert (refused.action, refused.rule) == ("rejected", "paused")
    page.reload()
    expect(page.get_by_role("heading", name="Learning is off")).to_be_visible()
    second = new_context().new_page()
    second.goto("/settings/")
    expect(second.get_by_role("heading", name="Learning is off")).to_be_visible()
    second.locator("#switch-learning").click()
    expect(second.get_by_role("heading", name="Learning is on")).to_be_visible()
    assert propose_one("Likes rye bread.", subject="bread").action == "new"
    page.reload()
    expect(page.get_by_role("heading", name="Learning is on")).to_be_visible()


def test_use_off_sends_nothing(page, remember, ask):
    remember("Likes green tea.")
    assert "green tea" in ask("tea")["context"]
    page.goto("/settings/")
    page.locator("#switch-use").click()
    expect(page.get_by_role("heading", name="Use is off")).to_be_visible()
    assert "green tea" not in ask("tea")["context"]
    page.goto("/preview/?q=tea")
    expect(page.get_by_role("heading", name="Use is switched off")).to_be_visible()


def test_the_theme_stays(page, ada):
    page.emulate_media(color_scheme="light")
    page.goto("/settings/")
    paper = "() => getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(paper)
    page.get_by_label("Colours").select_option("dark")
    page.locator("form[action$='preferences/']").get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    dark = page.evaluate(paper)
    assert dark != light
    page.goto("/memories/")
    assert page.evaluate(paper) == dark
