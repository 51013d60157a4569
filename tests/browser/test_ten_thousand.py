"""Ten thousand memories: the first page is light, the count exact, and the next pages follow."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.steps import LIST, count, facet, forget, rows, search
from tests.many import grow

pytestmark = pytest.mark.django_db(transaction=True)

_WIRE = "() => performance.getEntriesByType('navigation')[0].transferSize"
_HEAVIEST = 100 * 1024


@pytest.fixture
def many(remember, ada):
    remember("Likes green tea.")
    grow(ada, 9_999)


def test_the_first_page_is_usable(page, many):
    page.goto(LIST)
    expect(rows(page)).to_have_count(50)
    assert 0 < page.evaluate(_WIRE) <= _HEAVIEST
    expect(count(page)).to_have_text(re.compile(r"^10\D?000$"))
    expect(facet(page, "kind-fact")).to_have_text(re.compile(r"^3\D?333$"))
    seen = set(rows(page).evaluate_all("(all) => all.map((one) => one.id)"))
    page.locator("#older").click()
    expect(page.locator("#newer")).to_be_visible()
    expect(rows(page)).to_have_count(50)
    assert not seen & set(rows(page).evaluate_all("(all) => all.map((one) => one.id)"))
    search(page, "green")
    expect(rows(page)).to_have_count(1)
    forget(page, "green tea")
    page.goto(LIST)
    expect(count(page)).to_have_text(re.compile(r"^9\D?999$"))
