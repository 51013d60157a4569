"""axe finds nothing on any page, light or dark, narrow or wide. What happens is announced once."""

from pathlib import Path
from uuid import UUID

import pytest
from playwright.sync_api import expect

from accounts.models import User
from memoryapp.services import states
from memoryapp.services.forget import forget as forget_one
from memoryapp.services.reports import report_answer
from memoryapp.services.uploads import keep_upload
from tests.browser.steps import LIST, forget, row, search
from tests.many import grow

pytestmark = pytest.mark.django_db(transaction=True)

AXE = (Path(__file__).parent / "vendor/axe.min.js").read_text()
PAGES = {
    "list": LIST,
    "nothing matches": LIST + "?q=nothing+like+it",
    "detail": "/memories/{id}/",
    "edit": "/memories/{id}/edit/",
    "forget": "/memories/{id}/forget/",
    "add": "/memories/add/",
    "bulk": "/memories/bulk/",
    "merge": "/memories/merge/?keep={id}&other={other}",
    "scope merge": "/settings/scopes/atlas/merge/?into=personal",
    "scope forget": "/settings/scopes/atlas/forget/",
    "review": "/review/",
    "answers": "/answers/",
    "no answers": "/answers/?q=nothing+like+it",
    "answer": "/answers/{trace}/",
    "asked again": "/answers/{trace}/again/",
    "preview": "/preview/?q=tea",
    "not remembered": "/not-remembered/",
    "trash": "/trash/",
    "activity": "/activity/",
    "settings": "/settings/",
    "scope": "/settings/scopes/atlas/",
    "keys": "/settings/keys/",
    "privacy": "/privacy/",
    "export": "/privacy/export/",
    "erase": "/privacy/erase/",
    "bring": "/privacy/import/{upload}/",
}
_RUN = """async () => {
    const found = await axe.run(document, {resultTypes: ["violations"]});
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}"""


def _violations(page):
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE)
    return page.evaluate(_RUN)


@pytest.fixture
def memory(remember, propose_one, ada, herself, ask):
    """Something of everything, so that each page has what it can show."""
    memory = remember("Likes green tea.", subject="drink", aliases=("cha",), session="s1", turn=1)
    remember("Atlas uses a PostgreSQL database.", kind="fact", scope="atlas", subject="db")
    remember("شاي بالنعناع", subject="شاي")
    milk = remember("Likes tea with milk.", subject="milk", expires_at=None)
    trace = ask("green tea")["trace_id"]
    report_answer(UUID(trace), wrong="other", actor=herself)
    remember("Likes black tea.", subject="drink", source="No, black tea.")
    propose_one("Probably sells tea.", kind="fact", scope="atlas", subject="shop", source=None)
    propose_one("Prefers coffee.", subject="drink", source=None)
    propose_one("Is tired.", kind="mood", subject="mood")
    forget_one(remember("Likes gin.", subject="gin")["id"], relearn="block", source="keep", actor=ada)
    upload = keep_upload(b'[{"memory": "Likes hiking."}, {"memory": "The password is hunter2-zz."}]', actor=herself)
    return memory | {"trace": trace, "other": milk["id"], "upload": upload.id}


def test_axe_finds_nothing(page, memory):
    found = {}
    for name, place in PAGES.items():
        page.set_viewport_size({"width": 1440, "height": 900})
        assert page.goto(place.format(**memory)).status == 200
        for width in (1440, 768, 320):
            page.set_viewport_size({"width": width, "height": 900})
            _fits(page, width)
            if width == 768:
                page.evaluate("document.documentElement.style.fontSize = '200%'")
                _fits(page, width)
                if violations := _violations(page):
                    found[name, "200 % text", width] = violations
                page.evaluate("document.documentElement.style.fontSize = ''")
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                if violations := _violations(page):
                    found[name, scheme, width] = violations
    assert found == {}


def _fits(page, width):
    """It is no wider than the window, as soon as it has followed the window's size."""
    page.wait_for_function("(width) => document.documentElement.scrollWidth <= width", arg=width)


def _both_schemes(page):
    found = []
    for width in (1440, 320):
        page.set_viewport_size({"width": width, "height": 900})
        _fits(page, width)
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found += _violations(page)
    return found


def test_axe_finds_nothing_beside_two_texts(page, memory, guard):
    page.goto(f"/memories/{memory['other']}/edit/")
    tab = page.context.new_page()
    tab.goto(f"/memories/{memory['other']}/edit/")
    for one, text in ((tab, "Likes tea with cream."), (page, "Likes tea with lemon.")):
        one.get_by_label("Text").fill(text)
        one.get_by_role("button", name="Save").click()
    guard.expect("status of 409")
    expect(page.locator("#stale")).to_contain_text("Likes tea with cream.")
    assert _both_schemes(page) == []


def test_axe_finds_nothing_in_a_form_with_errors(page, memory, guard):
    page.goto("/memories/add/")
    page.get_by_role("button", name="Add").click()
    guard.expect("status of 422")
    expect(page.locator("#form-errors")).to_be_focused()
    assert _both_schemes(page) == []


def test_axe_finds_nothing_on_a_long_run_under_way_and_done(page, memory, ada):
    grow(ada, 240, like=memory["other"])
    page.route(
        lambda url: "/memories/bulk/0" in url,
        lambda route: None if route.request.method == "POST" else route.continue_(),
    )
    page.goto("/memories/bulk/")
    page.get_by_label("Pause").check()
    page.locator("form[action$='bulk/'] button[type=submit]").click()
    expect(page.locator("progress")).to_be_visible()
    assert _both_schemes(page) == []
    page.unroute_all(behavior="ignoreErrors")
    page.reload()
    expect(page.get_by_role("link", name="Back to your memories")).to_be_visible()
    assert _both_schemes(page) == []


def test_axe_finds_nothing_with_undo_bars_and_a_key(page, memory):
    page.goto(LIST)
    forget(page, "Likes tea with milk.")
    expect(page.locator("#bars .bar")).to_have_count(1)
    assert _both_schemes(page) == []
    page.goto("/settings/keys/")
    page.get_by_label("Name").fill("laptop")
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator("#secret")).to_be_focused()
    assert _both_schemes(page) == []


def test_axe_would_find_something(page, memory):
    page.goto(LIST)
    page.evaluate(
        "() => { document.querySelector('.statement').insertAdjacentHTML('afterend', '<button></button>');"
        " document.querySelector('h1').style.color = '#eee'; }"
    )
    found = " ".join(_violations(page))
    assert "button-name" in found and "color-contrast" in found


_LISTEN = """
addEventListener("DOMContentLoaded", () => {
  window.said = [];
  for (const id of ["status", "alert"]) {
    const region = document.getElementById(id);
    new MutationObserver(() => {
      const words = region.textContent.trim();
      if (words) window.said.push(`${id}: ${words}`);
    }).observe(region, {childList: true, characterData: true, subtree: true});
  }
});
"""


@pytest.fixture
def heard(page):
    """`heard()`: what a screen reader has said of the live regions since it was last asked."""
    page.add_init_script(_LISTEN)

    def act(at_least=1):
        page.wait_for_function("(n) => window.said.length >= n", arg=at_least)
        page.wait_for_timeout(250)  # nothing more may come
        return page.evaluate("() => window.said.splice(0)")

    return act


def test_each_action_is_announced_once(page, memory, heard):
    page.goto(LIST)
    assert heard(at_least=0) == []
    forget(page, "Likes tea with milk.")
    forgotten = ["status: Forgotten. The trash keeps it for a while."]
    assert heard() == forgotten
    # The same sentence again is news as well.
    forget(page, "PostgreSQL")
    assert heard() == forgotten
    row(page, "black tea").get_by_role("button", name="Pause").click()
    assert heard() == ["status: Paused. It stays here and is sent to no assistant."]
    page.locator(".bar").first.get_by_role("button", name="Undo").click()
    assert heard() == ["status: Restored. It stands as before."]
    search(page, "black")
    assert heard()[-1] == "status: 1 memory matches."


def test_what_leads_to_another_page_is_announced_there(page, memory, heard):
    page.goto(f"/memories/{memory['id']}/edit/")
    page.get_by_label("Text").fill("Likes mint tea.")
    page.get_by_role("button", name="Save").click()
    expect(page.locator("h1")).to_have_text("Likes mint tea.")
    assert heard() == ["status: The correction is in force with the next answer."]
    page.reload()
    assert heard(at_least=0) == []


def test_a_failure_is_announced_once(page, memory, heard, monkeypatch, guard):
    page.goto(LIST)
    monkeypatch.setattr(states, "pause", lambda *_, **__: 1 / 0)
    row(page, "black tea").get_by_role("button", name="Pause").click()
    (said,) = heard()
    assert said.startswith("alert: Something went wrong here.")
    guard.expect("status of 500")


@pytest.mark.parametrize("language", ["ar", "de"])
def test_axe_finds_nothing_in_other_languages(page, memory, ada, language):
    User.objects.filter(pk=ada.person_id).update(language=language)
    for place in (LIST, "/settings/"):
        page.set_viewport_size({"width": 320, "height": 900})
        page.goto(place)
        expect(page.locator("html")).to_have_attribute("dir", "rtl" if language == "ar" else "ltr")
        _fits(page, 320)
        assert _violations(page) == []


def test_axe_finds_nothing_on_the_way_in(new_context, memory, guard):
    stranger = new_context(signed_in=False).new_page()
    stranger.goto("/sign-in")
    assert _violations(stranger) == []
    page = new_context().new_page()
    guard.expect("status of 404")
    page.goto(f"/memories/{memory['id'][::-1]}/")
    assert _violations(page) == []
