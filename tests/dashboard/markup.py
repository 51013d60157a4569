"""Is it HTML as the standard has it? A strict parser, and what a parser does not see: ids, references, nesting."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import html5lib
from html5lib.constants import E as WORDS

_H = "{http://www.w3.org/1999/xhtml}"
_REFERENCES = ("for", "form", "aria-labelledby", "aria-describedby", "aria-controls")
_INTERACTIVE = {"a", "button", "select", "textarea", "label", "summary", "details"}
_LISTS = {"ul", "ol", "menu"}
_ONLY_WORDS = {"p", "h1", "h2", "h3", "h4", "span", "b", "i", "bdi", "button", "label", "summary", "legend"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "details", "div", "dl", "fieldset", "figure", "footer", "form", "h1",
    "h2", "h3", "h4", "header", "hr", "main", "nav", "ol", "p", "pre", "section", "table", "ul",
}  # fmt: skip
_DATED = {"acronym", "big", "center", "font", "strike", "tt", "marquee", "blink"}
_DATED_ATTRIBUTES = {"align", "bgcolor", "border", "cellpadding", "valign"}


def mistakes(text: str, *, is_whole: bool = True) -> list[str]:
    """What is wrong with a page, or with a fragment of one, whose references may lead to what is around it."""
    parser = html5lib.HTMLParser(html5lib.getTreeBuilder("etree"), strict=False)
    tree: Any = parser.parse(text) if is_whole else parser.parseFragment(text)
    found = [f"{WORDS.get(code, code) % fields} (at {place})" for place, code, fields in parser.errors]
    if not is_whole:
        # A fragment has no doctype, and stands inside a page.
        found = [one for one in found if "DOCTYPE" not in one]
    found += _in(tree, is_whole)
    return found


def _in(tree: Any, is_whole: bool) -> Iterator[str]:
    elements = [one for one in tree.iter() if isinstance(one.tag, str)]
    ids = Counter(one.get("id") for one in elements if one.get("id") is not None)
    yield from (f"the id {name!r} stands {times} times" for name, times in ids.items() if times > 1)
    yield from (f"the id {name!r} has spaces or is empty" for name in ids if not name or name.split() != [name])
    if is_whole:
        for one in elements:
            for name in _REFERENCES:
                yield from (f"{name}={to!r} leads nowhere" for to in (one.get(name) or "").split() if to not in ids)
        headings = [one for one in elements if _name(one) == "h1"]
        if len(headings) != 1:
            yield f"{len(headings)} elements h1"
        if not "".join(tree.find(f".//{_H}title").itertext()).strip():
            yield "the title is empty"
    yield from _nesting(tree, ())
    for one in elements:
        if _name(one) in _DATED or _DATED_ATTRIBUTES & set(one.keys()):
            yield f"<{_name(one)}> or an attribute of it is out of date"
        if _name(one) == "img" and one.get("alt") is None:
            yield "an img without alt"


def _nesting(element: Any, around: tuple[str, ...]) -> Iterator[str]:
    for child in element:
        if not isinstance(child.tag, str) or not child.tag.startswith(_H):
            continue
        name = _name(child)
        parent = around[-1] if around else ""
        if parent in _LISTS and name not in ("li", "script", "template"):
            yield f"<{name}> right inside <{parent}>"
        if parent == "dl" and name not in ("dt", "dd", "div"):
            yield f"<{name}> right inside <dl>"
        if name == "li" and parent not in (*_LISTS, ""):
            yield f"<li> right inside <{parent}>"
        # A link may hold whole paragraphs, if what it stands in may.
        if name in _BLOCKS and (holder := next((one for one in around if one in _ONLY_WORDS), "")):
            yield f"<{name}> inside <{holder}>"
        if name in _INTERACTIVE - {"label", "details", "summary"} and {"a", "button"} & set(around):
            yield f"<{name}> inside a link or button"
        yield from _nesting(child, (*around, name))


def _name(element: Any) -> str:
    return str(element.tag).removeprefix(_H)
