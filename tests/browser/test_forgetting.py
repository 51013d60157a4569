"""What is forgotten is gone everywhere, at once and later; what was not is still there."""

import pytest
from playwright.sync_api import expect

from memoryapp.services import forget as forgetting
from memoryapp.services.episodes import Turn, store_turns
from tests.browser.steps import LIST, count, facet, focused, forget, row, rows, search

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def three(remember):
    return [
        remember("Likes green tea.", subject="drink"),
        remember("Likes rye bread.", subject="bread"),
        remember("Works from Porto.", kind="fact", subject="city", scope="atlas"),
    ]


def _require_gone(page):
    expect(count(page)).to_have_text("2")
    assert page.locator("#memories").get_by_text("green tea").count() == 0
    assert row(page, "rye bread").count() == 1
    expect(facet(page, "kind-preference")).to_have_text("1")
    search(page, "green tea")
    expect(page.get_by_role("heading", name="Nothing matches")).to_be_visible()
    search(page, "rye")
    expect(rows(page)).to_have_count(1)


def test_it_is_gone_from_list_counts_search_facets_and_context(page, three, ask):
    assert "green tea" in ask("tea")["context"]
    page.goto(LIST)
    expect(count(page)).to_have_text("3")
    expect(facet(page, "kind-preference")).to_have_text("2")
    search(page, "green tea")
    expect(rows(page)).to_have_count(1)
    page.goto(LIST)

    forget(page, "green tea")

    expect(page.locator("#status")).to_contain_text("Forgotten.")
    _require_gone(page)
    told = ask("tea bread")["context"]
    assert "green tea" not in told and "rye bread" in told
    page.goto(LIST)
    page.reload()
    _require_gone(page)
    # The bar and the trash have it still, for her alone.
    expect(page.locator("#bars")).to_contain_text("green tea")
    page.goto("/trash/")
    expect(page.locator("#trash")).to_contain_text("Likes green tea.")


def test_it_undoes_exactly_one_of_two(page, three, ask):
    page.goto(LIST)
    page.evaluate(
        "() => document.querySelectorAll('#memories li[data-row]').forEach((row) => {"
        " if (!row.innerText.includes('Porto')) row.querySelector('button.is-bad').click(); })"
    )
    expect(rows(page)).to_have_count(1)
    expect(page.locator("#bars .bar")).to_have_count(2)

    page.locator(".bar").filter(has_text="green tea").get_by_role("button", name="Undo").click()

    expect(row(page, "green tea")).to_have_count(1)
    assert focused(page)["id"] == f"m-{three[0]['id']}"
    expect(page.locator("#bars .bar")).to_have_count(1)
    expect(page.locator("#bars")).to_contain_text("rye bread")
    page.reload()
    assert (row(page, "green tea").count(), row(page, "rye bread").count()) == (1, 0)
    told = ask("tea bread")["context"]
    assert "green tea" in told and "rye bread" not in told


def test_it_keeps_the_row_when_the_server_fails(page, three, ask, guard, monkeypatch):
    page.goto(LIST)
    with monkeypatch.context() as failing:
        failing.setattr(forgetting, "forget", lambda *_, **__: 1 / 0)
        row(page, "green tea").get_by_role("button", name="Forget").click()
        expect(page.locator("#alert")).to_contain_text("Something went wrong here. Nothing was changed")
    guard.expect("status of 500")
    assert row(page, "green tea").count() == 1
    expect(page.locator("#status")).to_have_text("")
    expect(page.locator("#bars .bar")).to_have_count(0)
    assert focused(page)["tag"] != "BODY"
    assert "green tea" in ask("tea")["context"]

    forget(page, "green tea")
    expect(page.locator("#alert")).to_have_text("")


def test_it_keeps_the_row_when_nothing_answers(page, three, guard):
    page.goto(LIST)
    page.context.set_offline(True)
    row(page, "green tea").get_by_role("button", name="Forget").click()
    expect(page.locator("#alert")).to_contain_text("The server did not answer.")
    guard.expect("ERR_INTERNET_DISCONNECTED")
    guard.expect("Failed to fetch")
    assert row(page, "green tea").count() == 1
    page.context.set_offline(False)
    forget(page, "green tea")


def test_it_does_not_learn_it_again(page, three, ask, propose_one):
    page.goto(f"/memories/{three[0]['id']}/forget/")
    page.get_by_label("Also do not learn it again").check()
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".notice")).to_contain_text("not to be learned again")

    replayed = propose_one("Likes green tea.", subject="drink")

    assert (replayed.action, replayed.rule) == ("rejected", "forgotten")
    assert "green tea" not in ask("tea")["context"]
    page.goto(LIST)
    assert row(page, "green tea").count() == 0
    page.goto("/not-remembered/")
    expect(page.locator("#refused")).to_contain_text("You asked not to have this learned again.")
    # Forgotten without that, it may be said again.
    page.goto(LIST)
    forget(page, "rye bread")
    assert propose_one("Likes rye bread.", subject="bread").action == "new"
    page.reload()
    assert row(page, "rye bread").count() == 1


def test_it_forgets_what_is_ticked_and_takes_it_back(page, three, ask):
    page.goto(LIST)
    for text in ("green tea", "rye bread"):
        row(page, text).get_by_label("Select").check()
    expect(page.locator("#ticked")).to_have_text("2 selected")
    page.locator("#bulk").get_by_role("button", name="Forget").click()
    expect(rows(page)).to_have_count(1)
    expect(page.locator("#bars .bar")).to_have_count(1)
    assert focused(page)["tag"] != "BODY"
    told = ask("tea bread")["context"]
    assert "green tea" not in told and "rye bread" not in told
    page.locator("#bars").get_by_role("button", name="Undo").click()
    expect(rows(page)).to_have_count(3)
    assert "green tea" in ask("tea bread")["context"]


def test_what_the_page_opened_with_goes_when_it_is_undone(page, three):
    page.goto(LIST)
    page.get_by_role("link", name="Change all 3 that match").click()
    page.get_by_label("Forget", exact=False).first.check()
    page.get_by_role("button", name="Do it to all 3").click()
    expect(page.locator(".notice")).to_have_text("3 memories forgotten.")
    page.locator("#bars").get_by_role("button", name="Undo").click()
    expect(rows(page)).to_have_count(3)
    expect(page.locator(".notice")).to_have_text("3 memories restored.")


def test_a_message_is_forgotten_where_it_is_shown(page, remember, ask, ada):
    store_turns(session="s", scope=None, turns=[Turn(1, "user", "Green tea, please.")], actor=ada)
    memory = remember("Likes green tea.", source="Green tea, please.", session="s", turn=1)
    assert "green tea" in ask("tea")["context"]
    page.goto(f"/memories/{memory['id']}/")
    page.get_by_role("link", name="Forget this message").click()
    expect(page.locator("#going")).to_contain_text("1 memory rests on it alone")
    page.get_by_role("button", name="Forget").click()
    expect(page.locator(".notice")).to_have_text("The message is erased.")
    assert row(page, "green tea").count() == 0
    assert "green tea" not in ask("tea")["context"]
