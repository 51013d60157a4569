"""Remembered text stays text, wherever a page shows it."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from memoryapp.dashboard.hits import hits

pytestmark = pytest.mark.django_db

HOSTILE = [
    '<img src=x onerror="alert(1)">',
    "</script><script>alert(1)</script>",
    '"><a hx-get="/memories/" hx-trigger="load">x</a>',
    '</hx-partial><hx-partial hx-target="#main">gone</hx-partial>',
    "{{ csrf_token }}{% load i18n %}",
    "\u202eevig ot si siht\u202c",
    '=HYPERLINK("https://example.org")',
]
PLACES = ["/memories/", "/memories/?q=i", "/memories/{id}/", "/memories/{id}/edit/", "/memories/{id}/forget/"]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("text", HOSTILE, ids=["img", "script", "htmx", "partial", "template", "bidi", "formula"])
def test_it_is_inert(browser: Client, remember: Callable[..., Any], text: str, place: str) -> None:
    memory = remember(text, subject=text[:100], source=f"I said {text}", aliases=(text[:80],))
    shown = browser.get(place.format(id=memory["id"])).content.decode()
    for made in ("<img", "<script>", '<a hx-get="/memories/" hx-trigger', "<hx-partial"):
        assert made not in shown
    assert 'dir="auto"' in shown
    title = shown.split("<title>")[1].split("</title>")[0]
    assert "\u202e" not in title


def test_it_is_shown_whole_on_its_page(browser: Client, remember: Callable[..., Any]) -> None:
    text = "Likes tea. " * 150 + "To the end."
    memory = remember(text)
    assert "To the end." in browser.get(f"/memories/{memory['id']}/").content.decode()
    listed = browser.get("/memories/").content.decode()
    assert "To the end." not in listed
    assert "Read it all" in listed


def test_it_says_no_text_in_the_live_region(
    browser: Client, press: Callable[..., Any], remember: Callable[..., Any]
) -> None:
    shown = press("forget", remember("Likes green tea.")["id"]).content.decode()
    status = shown.split('<hx-partial hx-target="#status"')[1]
    assert "green tea" not in status


@pytest.mark.parametrize(
    ("text", "query", "shown"),
    [
        ("Likes tea.", "tea", "Likes <mark>tea</mark>."),
        ("Likes Tea & cake", "TEA cake", "Likes <mark>Tea</mark> &amp; <mark>cake</mark>"),
        ("Café crème", "cafe", "<mark>Café</mark> crème"),
        ("Cafe\u0301", "café", "<mark>Cafe\u0301</mark>"),
        ("Straße", "strasse", "<mark>Straße</mark>"),
        ("<b>bold</b>", "b", "&lt;<mark>b</mark>&gt;<mark>b</mark>old&lt;/<mark>b</mark>&gt;"),
        ("喜欢喝茶", "茶", "喜欢喝<mark>茶</mark>"),
        ("Likes tea.", "", "Likes tea."),
        ("ﬁle", "i", "<mark>ﬁ</mark>le"),
    ],
)
def test_it_marks_what_was_searched(text: str, query: str, shown: str) -> None:
    assert hits(text, query) == shown
