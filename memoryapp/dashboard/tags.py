"""`{% load pages %}`: the small pieces of HTML that templates are put together from. All of it escapes."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from django import template
from django.forms.boundfield import BoundField
from django.http import HttpRequest
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import ngettext

from memoryapp.dashboard import deeds, verdicts, wording
from memoryapp.dashboard.days import day, last_day, moment
from memoryapp.dashboard.hits import hits
from memoryapp.dashboard.icons import icon, kind_icon
from memoryapp.dashboard.rows import state
from memoryapp.dashboard.shortening import shortened
from memoryapp.services.bulk import Progress

register = template.Library()
for _filter in (day, last_day, moment, hits, shortened):
    register.filter(_filter.__name__, _filter)
for _name, _words in {
    "status_word": wording.STATUSES,
    "origin_word": wording.ORIGINS,
    "rule_word": wording.RULES,
    "report_state_word": wording.REPORT_STATES,
    "wrong_word": wording.WRONGS,
}.items():
    register.filter(_name, wording.word_of(_words))
for _tag in (icon, kind_icon, state):
    register.simple_tag(_tag)


@register.simple_tag(takes_context=True)
def nav(context: template.Context, name: str, label: str, count: int | str = 0) -> SafeString:
    """An entry of the main navigation, or nothing while there is no such page. Its id is `nav-` and the page's name."""
    link = nav_link(context, name, label, count)
    return format_html('<li id="nav-{}">{}</li>', name.rpartition(":")[2], link) if link else link


@register.simple_tag(takes_context=True)
def nav_link(context: template.Context, name: str, label: str, count: int | str = 0) -> SafeString:
    """What is in an entry of the main navigation."""
    try:
        to = reverse(name)
    except NoReverseMatch:
        return SafeString("")
    request: HttpRequest | None = context.get("request")
    current = SafeString(' aria-current="page"') if request and request.path.startswith(to) else ""
    badge: str = ""
    if count and int(count):
        shown = wording.number(int(count))
        waits = ngettext("%(n)s waits for you", "%(n)s wait for you", int(count)) % {"n": shown}
        badge = format_html(
            '<span class="count" aria-hidden="true">{}</span><span class="unseen">{}</span>', shown, waits
        )
    return format_html('<a href="{}"{}>{}{}</a>', to, current, label, badge)


@register.simple_tag
def menu(name: str, label: str) -> SafeString:
    """An entry of the person's menu, or nothing while there is no such page."""
    try:
        return format_html('<a href="{}">{}</a>', reverse(name), label)
    except NoReverseMatch:
        return SafeString("")


@register.filter
def listed(parts: Iterable[object]) -> SafeString:
    """`units, tea`, with the comma of the language."""
    return format_html_join(wording.comma(), "{}", ((part,) for part in parts))


@register.filter
def kind_word(kind: str) -> str:
    return wording.kind(kind)


@register.filter
def scope_word(scope: str) -> str:
    return wording.scope(scope)


@register.filter
def stored(text: str | None) -> datetime | None:
    """The instant that an export writes as text."""
    return datetime.fromisoformat(text) if text else None


@register.filter
def is_quoted(row: Mapping[str, Any]) -> bool:
    """Whether the source of an exported memory is of its text as it stands, not of one that was corrected since."""
    said = [one for version in row["versions"] if version["id"] == row["statement"] for one in version["said"]]
    return bool(row["source"]) and (len(row["versions"]) == 1 or any(one["source"] for one in said))


@register.filter
def decimal(value: float) -> str:
    """A number between 0 and 1 with two places, as the language writes it."""
    return wording.decimal(value)


@register.filter
def verb_word(verb: str) -> str:
    """What was done, for a verb of the audit."""
    return deeds.in_a_word(verb)


@register.filter
def verdict_words(weighed: Any, floor: float) -> str:
    """Why a memory of a trace was sent or left out, in a sentence to the person."""
    return verdicts.recorded(weighed, floor, reader="person")


@register.filter
def weighed_label(weighed: Any) -> str:
    """How a memory of a trace came, in a word or two."""
    return verdicts.label(weighed.why, is_scored=weighed.relevance is not None)


@register.simple_tag
def done_words(run: Progress) -> str:
    """`12 memories forgotten.`"""
    return wording.bulk_done(run)


_TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])


@register.filter
def straight(text: str) -> str:
    """Without the marks that turn the direction of what follows: where nothing can stand around the text."""
    return text.translate(_TURNING)


@register.simple_tag
def said(row: Any) -> SafeString:
    """Who says so, how often and when last: `You said it 3 times, last on 12 March`."""
    return wording.said(row, day)


@register.simple_tag
def source(row: Any) -> SafeString:
    """Where its source was said: `You, turn 2 of a conversation, 3 February`."""
    return wording.source(row, day)


@register.simple_tag
def used(row: Any) -> SafeString:
    """`Used 14 times, last on 3 March`."""
    return wording.used(row, day)


@register.inclusion_tag("components/_field.html")
def field(bound: BoundField, hint: str = "") -> dict[str, Any]:
    """A field with its label, hint and errors, tied together for those who listen."""
    described = [f"{bound.auto_id}-hint"] if hint else []
    attributes: dict[str, Any] = {"class": bound.field.widget.attrs.get("class", "input"), "dir": "auto"}
    if bound.errors:
        described.insert(0, f"{bound.auto_id}-error")
        attributes["aria-invalid"] = "true"
    if described:
        attributes["aria-describedby"] = " ".join(described)
    return {"field": bound, "hint": hint, "widget": bound.as_widget(attrs=attributes)}
