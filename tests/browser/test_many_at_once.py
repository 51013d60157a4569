"""More than two hundred at once: the page shows how far it has come, and everything comes back."""

import pytest
from playwright.sync_api import expect

from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from tests.browser.steps import LIST, count, rows
from tests.many import grow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def many(remember, ada, monkeypatch):
    # A smaller piece than 200: what is looked at is how the pieces follow each other.
    monkeypatch.setattr("memoryapp.services.bulk.PIECE", 90)
    remember("Likes green tea.", subject="drink")
    grow(ada, 209)


@pytest.fixture
def paused(ada):
    def act():
        with acting_for(ada.person_id):
            return Memory.objects.filter(person_id=ada.person_id, state="paused").count()

    return act


def _begin(page):
    page.goto(LIST)
    page.get_by_role("link", name="Change all 210 that match").click()
    page.get_by_label("Pause").check()
    page.get_by_role("button", name="Do it to all 210").click()


def test_its_progress_is_seen_piece_by_piece(page, many, paused):
    held = []
    # Each piece waits until it is let go, so that what stands there meanwhile can be read.
    page.route(lambda url: "/memories/bulk/0" in url, lambda route: _hold(route, held))
    _begin(page)
    for done in (90, 180):
        expect(page.locator("#run")).to_contain_text(f"{done} of 210")
        expect(page.locator("progress")).to_have_attribute("value", str(done))
        expect(page.locator("progress")).to_have_attribute("max", "210")
        assert paused() == done
        _let_go(page, held)
    expect(page.locator("#run")).to_contain_text("210 memories paused.")
    expect(page.locator("#status")).to_contain_text("210 memories paused.")
    assert paused() == 210
    assert page.evaluate("document.activeElement.tagName") != "BODY"

    page.get_by_role("button", name="Undo").click()
    for done in (90, 180):
        expect(page.locator("progress")).to_have_attribute("value", str(done))
        _let_go(page, held)
    expect(page.locator("#run")).to_contain_text("210 memories resumed.")
    assert paused() == 0


def _hold(route, held):
    if route.request.method == "POST" and not route.request.url.endswith("/undo/"):
        held.append(route)
    else:
        route.continue_()


def _let_go(page, held):
    for _ in range(100):
        if held:
            held.pop(0).continue_()
            return
        page.wait_for_timeout(50)
    raise AssertionError("no further piece was asked for")


def test_it_goes_on_by_a_button_without_scripts(new_context, many, paused):
    plain = new_context(java_script_enabled=False).new_page()
    _begin(plain)
    for done in (90, 180):
        expect(plain.locator("#run")).to_contain_text(f"{done} of 210")
        assert paused() == done
        plain.get_by_role("button", name="Go on").click()
    expect(plain.locator("#run")).to_contain_text("210 memories paused.")
    plain.get_by_role("link", name="Back to your memories").click()
    expect(count(plain)).to_have_text("210")
    expect(rows(plain).first).to_contain_text("Paused")


def test_what_is_left_waits_when_the_page_is_closed(page, many, paused):
    page.route(lambda url: "/memories/bulk/0" in url, lambda route: _hold(route, []))
    _begin(page)
    expect(page.locator("#run")).to_contain_text("90 of 210")
    page.unroute_all(behavior="ignoreErrors")
    page.goto(LIST)
    assert paused() == 90
    page.locator(".bar").get_by_role("link", name="Go on").click()
    expect(page.locator("#run")).to_contain_text("210 memories paused.")
    assert paused() == 210
