"""Remembered text that would like to be more than text. The guard sees a dialog, a request and a policy report."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LIST, row, rows

pytestmark = pytest.mark.django_db(transaction=True)

HOSTILE = {
    "img": '<img src="https://evil.example/x" onerror="alert(1)">',
    "script": "</script><script>alert(2)</script>",
    "attribute": '"><b hx-get="/trash/" hx-trigger="load" hx-target="#main" autofocus onfocus=alert(3)>x</b>',
    "partial": '</hx-partial><hx-partial hx-target="#main">gone</hx-partial>',
    "link": "javascript:alert(4) http://evil.example/",
    "bidi": "Likes \u202eaet\u202c tea",
    "formula": '=HYPERLINK("https://evil.example","x")',
}
PAGES = (
    LIST + "?q=alert", "/memories/{id}/edit/", "/memories/{id}/forget/", "/memories/bulk/",
    "/preview/?q=alert", "/activity/", "/answers/", "/review/", "/privacy/export/",
)  # fmt: skip


@pytest.fixture
def memories(remember, propose_one):
    for name, text in HOSTILE.items():
        propose_one(f"Guessed {text}", subject=f"g {name}", source=None)
    return {
        name: remember(text, subject=text[:100], source=f"I said {text}", aliases=(text[:80],))
        for name, text in HOSTILE.items()
    }


def _require_inert(page):
    made = page.locator("main").locator("img, script, [onerror], [onfocus], b[hx-get], hx-partial, a[href^=javascript]")
    assert made.count() == 0
    assert "\u202e" not in page.title()


def test_it_is_inert_on_every_page(page, memories, ask):
    page.goto(LIST)
    # All of it is there to be read, letter by letter.
    shown = page.locator("#memories").inner_text()
    for text in HOSTILE.values():
        assert text in shown
    for memory in memories.values():
        page.goto(f"/memories/{memory['id']}/")
        _require_inert(page)
    for text in HOSTILE.values():
        trace = ask(text, floor=0)["trace_id"]
        for place in (f"/answers/{trace}/", f"/answers/{trace}/again/"):
            page.goto(place)
            _require_inert(page)
    for place in PAGES:
        page.goto(place.format(id=memories["attribute"]["id"]))
        _require_inert(page)


def test_it_is_inert_in_fragments_bars_and_trash(page, memories):
    page.goto(LIST)
    before = rows(page).count()
    for text in (HOSTILE["attribute"], HOSTILE["partial"], HOSTILE["img"]):
        page.locator("#memories li[data-row]").filter(
            has=page.locator(".statement").get_by_text(text, exact=True)
        ).get_by_role("button", name="Forget").click()
        expect(page.locator(".bar").filter(has_text=text[:40])).to_have_count(1)
        _require_inert(page)
        assert text[:20] not in page.locator("#status").inner_text()
    expect(rows(page)).to_have_count(before - 3)
    page.locator("#q").fill(HOSTILE["script"])
    expect(page.locator(".countline")).to_contain_text(HOSTILE["script"])
    _require_inert(page)
    page.goto("/trash/")
    expect(page.locator("#trash")).to_contain_text(HOSTILE["img"])
    _require_inert(page)


def test_a_long_text_is_read_whole_on_its_page(page, remember):
    text = "Likes tea. " * 150 + "ToTheEnd" * 40
    memory = remember(text)
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(f"/memories/{memory['id']}/")
    expect(page.locator("h1")).to_contain_text("ToTheEnd" * 40)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.goto(LIST)
    row(page, "Likes tea.").get_by_role("link", name="Read it all").click()
    expect(page.locator("h1")).to_contain_text("ToTheEnd" * 40)


def test_twenty_thousand_letters_of_a_message_break_nothing(page, remember):
    source = "I said tea. " + "<b>ToTheEnd</b>" * 1_300
    memory = remember("Likes tea.", source=source[:20_000])
    page.set_viewport_size({"width": 320, "height": 800})
    page.goto(LIST)
    quote = row(page, "Likes tea.").locator("blockquote")
    expect(quote).to_contain_text("I said tea. <b>ToTheEnd</b>")
    assert len(quote.inner_text()) < 400
    for place in (LIST, f"/memories/{memory['id']}/", "/privacy/export/"):
        page.goto(place)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        assert page.locator("blockquote b").count() == 0
    expect(page.locator("main")).to_contain_text("<b>ToTheEnd</b>" * 50)


def test_the_guard_would_notice(page, guard, remember):
    remember("Likes green tea.")
    page.goto(LIST)
    page.evaluate(
        """() => document.querySelector(".statement").innerHTML =
            '<img src="https://evil.example/x" onerror="alert(1)">'"""
    )
    guard.expect("Content policy: img-src")
    guard.expect("Content policy: script-src-attr")
    guard.expect("Content Security Policy")
    page.wait_for_timeout(200)  # a report comes when the browser likes
    assert page.locator("main img").count() == 1
    assert guard.elsewhere == ["https://evil.example/x"]
    guard.elsewhere.clear()
