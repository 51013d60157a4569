"""axe finds nothing on any page, each seen in both themes, at every width, with large text and in every language."""

import pytest

from tests.browser.everybody import error_page, everybody  # noqa: F401 - a fixture
from tests.browser.places import ELSEWHERE, PLACES, names
from tests.browser.test_accessible import AXE

pytestmark = pytest.mark.django_db(transaction=True)

LOOKS = {
    "en": [(1440, "light", 100), (768, "dark", 200)],
    "de": [(768, "light", 100)],
    "ar": [(320, "dark", 100)],
}
"""In which widths, themes and sizes of the text (in percent) a page is seen in which language."""
OTHER_LOOKS = {
    "en": [(1440, "dark", 100), (768, "light", 200)],
    "de": [(320, "dark", 100)],
    "ar": [(768, "light", 100)],
}
"""The same for every second page, with the narrow widths and the themes the other way round."""

_RUN = """async (rules) => {
    const options = rules ? {resultTypes: ["violations"], runOnly: rules} : {resultTypes: ["violations"]};
    const found = await axe.run(document, options);
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`);
}"""
_BY_WIDTH = ["target-size", "scrollable-region-focusable"]
_BY_THEME = ["color-contrast", *_BY_WIDTH]
"""What a page may meet in one look and not in another; all else is asked once, and colours once in each theme."""
_TOO_WIDE = """(width) => document.documentElement.scrollWidth <= width ? [] :
    [...document.querySelectorAll("body *")].filter((e) => {
        const box = e.getBoundingClientRect();
        return box.right > width || box.left < 0;
    }).slice(0, 5).map((e) => `${e.tagName}.${e.className}`).concat("wider than the window")"""


def test_every_page_is_listed():
    listed = {place.name for place in PLACES if not place.name.startswith("error ")}
    assert listed | ELSEWHERE.keys() == names(), "a page that nobody looks at, or one that is no more"
    assert not listed & ELSEWHERE.keys()


def test_each_page_is_seen_in_every_way():
    for looks in (LOOKS, OTHER_LOOKS):
        every = [look for seen in looks.values() for look in seen]
        assert looks.keys() == {"en", "de", "ar"}
        assert {width for width, _, _ in every} == {1440, 768, 320}
        assert {scheme for _, scheme, _ in every} == {"light", "dark"} and {size for *_, size in every} == {100, 200}


def _look_at(page, looks, *, is_first):
    """What axe finds in these looks, and what is wider than the window; `is_first` asks everything once."""
    page.evaluate(AXE)
    for number, (width, scheme, size) in enumerate(looks):
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        page.evaluate("(size) => { document.documentElement.style.fontSize = size }", f"{size}%")
        rules = _BY_WIDTH if not is_first else _BY_THEME if number else None
        for found in page.evaluate(_RUN, rules) + page.evaluate(_TOO_WIDE, width):
            yield width, scheme, size, found


def test_axe_finds_nothing(everybody, home, guard):  # noqa: F811
    found, language = [], "en"
    for status in sorted({place.status for place in PLACES} - {200}):
        guard.expect(f"status of {status}")

    def fail(route):
        status = int(route.request.url[-3:])
        route.fulfill(status=status, content_type="text/html", body=error_page(status, language))

    for context in everybody.contexts.values():
        context.route(f"{home}/errors/*", fail)
    for language in LOOKS:
        everybody.speak(language)
        for index, place in enumerate(PLACES):
            page, address = everybody.page(place.who), place.at(**everybody.ids)
            where = (place.name, place.who, language)
            response = page.goto(address)
            there = page.url.removeprefix(home).split("?")[0]
            spoken = page.evaluate("document.documentElement.lang")
            if (response.status, there, spoken) != (place.status, address.split("?")[0], language):
                found.append((*where, response.status, there, spoken))
                continue
            looks = (OTHER_LOOKS if index % 2 else LOOKS)[language]
            found += [(*where, *seen) for seen in _look_at(page, looks, is_first=language == "en")]
    assert found == []
