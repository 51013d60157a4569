"""A correction is in force at once and stands in the history; two tabs do not overwrite each other."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LIST, row

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def memory(remember):
    return remember("Likes green tea.", subject="drink")


def _correct(page, memory, text):
    page.goto(f"/memories/{memory['id']}/edit/")
    page.get_by_label("Text").fill(text)
    page.get_by_role("button", name="Save").click()


def test_it_is_in_force_with_the_next_answer_and_in_the_history(page, memory, ask):
    assert "Likes green tea." in ask("tea")["context"]
    page.goto(LIST)
    row(page, "green tea").get_by_role("link", name="Correct").click()
    page.get_by_label("Text").fill("Likes black tea.")
    page.get_by_label("Why").fill("I changed my mind.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1")).to_have_text("Likes black tea.")

    told = ask("tea")["context"]

    assert "Likes black tea." in told and "green" not in told
    history = page.locator("section", has=page.locator("#history"))
    expect(history.locator("ins")).to_contain_text("black")
    expect(history.locator("del")).to_contain_text("green")
    expect(history).to_contain_text("I changed my mind.")
    expect(history.locator("li").last).to_contain_text("Likes green tea.")
    # The answer that was given before shows what it was given.
    page.reload()
    expect(page.locator("aside")).to_contain_text("an earlier text")
    page.goto(LIST)
    assert (row(page, "black tea").count(), row(page, "green tea").count()) == (1, 0)


def test_it_shows_both_texts_when_another_tab_was_faster(page, memory, ask, guard):
    other = page.context.new_page()
    for tab in (page, other):
        tab.goto(f"/memories/{memory['id']}/edit/")
    other.get_by_label("Text").fill("Likes white tea.")
    other.get_by_role("button", name="Save").click()
    expect(other.locator("h1")).to_have_text("Likes white tea.")

    page.bring_to_front()
    page.get_by_label("Text").fill("Likes black tea.")
    with page.expect_response(lambda response: response.request.method == "POST") as answer:
        page.get_by_role("button", name="Save").click()
    guard.expect("status of 409")

    assert answer.value.status == 409
    stale = page.locator("#stale")
    expect(stale).to_be_focused()
    expect(stale).to_contain_text("Likes white tea.")
    expect(stale.locator("ins")).to_contain_text("black")
    expect(page.get_by_label("Text")).to_have_value("Likes black tea.")
    assert "white" in ask("tea")["context"]
    page.get_by_role("button", name="Save mine").click()
    expect(page.locator("h1")).to_have_text("Likes black tea.")
    assert "black" in ask("tea")["context"]


def test_it_says_at_the_field_what_is_missing(page, memory, ask, guard):
    _correct(page, memory, " ")
    guard.expect("status of 422")
    expect(page.locator("#form-errors")).to_be_focused()
    expect(page.get_by_label("Text")).to_have_attribute("aria-invalid", "true")
    assert "Likes green tea." in ask("tea")["context"]
    _correct(page, memory, "Likes mint tea.")
    expect(page.locator("h1")).to_have_text("Likes mint tea.")
