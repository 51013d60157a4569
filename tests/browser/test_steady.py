"""Nothing moves under the reader's eyes, and what the first page needs is light."""

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LIST, rows, search
from tests.many import grow

pytestmark = pytest.mark.django_db(transaction=True)

_WATCH = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const shift of list.getEntries())
    if (!shift.hadRecentInput)
      window.shifts.push([shift.value, ...shift.sources.map((one) => one.node?.id || one.node?.className || "")]);
}).observe({type: "layout-shift", buffered: true});
"""
_MOST = 0.01
"""In shares of the viewport; 0.1 is what is called good (web.dev/cls)."""

PLACES = ("/preview/?q=tea", "/review/", "/settings/", "/activity/", "/privacy/", "/trash/")


@pytest.fixture
def watched(page):
    page.add_init_script(_WATCH)

    def moved():
        page.wait_for_timeout(250)
        return page.evaluate("() => window.shifts.splice(0)")

    page.moved = moved
    return page


@pytest.fixture
def some(remember, ada, ask):
    memory = remember("Likes green tea.", subject="drink", source="Green tea, please.")
    grow(ada, 120)
    ask("green tea")
    return memory


@pytest.mark.parametrize("width", [1280, 360], ids=["wide", "phone"])
def test_nothing_moves_while_a_page_comes(watched, some, width):
    watched.set_viewport_size({"width": width, "height": 800})
    found = {}
    for place in (LIST, f"/memories/{some['id']}/", *PLACES):
        watched.goto(place, wait_until="networkidle")
        shifts = watched.moved()
        if sum(shift[0] for shift in shifts) > _MOST:
            found[place] = shifts
    assert found == {}


def test_nothing_jumps_when_a_row_is_paused(watched, some):
    watched.goto(LIST)
    before = rows(watched).nth(1).bounding_box()
    rows(watched).nth(0).get_by_role("button", name="Pause").click()
    expect(rows(watched).nth(0)).to_contain_text("Paused")
    assert rows(watched).nth(1).bounding_box() == before
    search(watched, "green")
    assert sum(shift[0] for shift in watched.moved()) <= 0.1


def test_a_shift_would_be_seen(watched, some):
    watched.goto(LIST, wait_until="networkidle")
    watched.moved()
    watched.evaluate(
        "() => setTimeout(() => document.querySelector('#memories').insertAdjacentHTML('beforebegin',"
        " '<p>A late notice</p><p>and another</p>'), 600)"
    )
    watched.wait_for_timeout(800)
    assert sum(shift[0] for shift in watched.moved()) > _MOST
