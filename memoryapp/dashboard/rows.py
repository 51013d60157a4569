"""A memory as the list shows it: the pieces that are put together for every row, in one go.

A template looks each value up by name, which for fifty rows takes longer than the database.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from uuid import UUID

from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from memoryapp.dashboard import wording
from memoryapp.dashboard.days import day, last_day
from memoryapp.dashboard.hits import hits
from memoryapp.dashboard.icons import icon, kind_icon
from memoryapp.dashboard.place import Place
from memoryapp.dashboard.shortening import shortened
from memoryapp.services.listed import Listed

LONGEST_STATEMENT, LONGEST_QUOTE = 600, 220
_NOBODY = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Row:
    """`quote` is empty where no message is to be quoted; `source` says whose it is."""

    id: UUID
    to: str
    statement: SafeString
    is_cut: bool
    meta: SafeString
    quote: SafeString
    source: SafeString
    actions: SafeString


def row(memory: Listed, place: Place) -> Row:
    """The words that are searched for are marked in it."""
    query = place.filters.q
    to, at = _address().format(memory.id), escape(place.query)
    has_quote = bool(memory.source) and memory.is_quoted and memory.source != memory.text
    return Row(
        id=memory.id,
        to=SafeString(to + at),
        statement=hits(shortened(memory.text, LONGEST_STATEMENT), query),
        is_cut=len(memory.text) > LONGEST_STATEMENT,
        meta=mark_safe("".join(_meta(memory, query))),  # noqa: S308 - each piece is escaped
        quote=hits(shortened(memory.source or "", LONGEST_QUOTE), query) if has_quote else SafeString(""),
        source=wording.source(memory, day) if has_quote else SafeString(""),
        actions=SafeString(
            _actions(get_language(), memory.status).format(
                to=to, at=at, once=f"{memory.id}.{memory.version}.{memory.seen}"
            )
        ),
    )


@cache
def _address() -> str:
    """Of a memory's page, as a pattern for its id: asked for once and not for every row."""
    return reverse("dashboard:memory", args=[_NOBODY]).replace(str(_NOBODY), "{}")


@lru_cache(maxsize=64)
def _actions(language: str | None, status: str) -> str:
    """What can be done with a memory of this status, as a pattern with `to`, `at` and `once`."""
    return render_to_string("components/_row_actions.html", {"status": status}).strip()


def _meta(memory: Listed, query: str) -> Iterator[str]:
    yield state(memory)
    scope, subject = escape(wording.scope(memory.scope)), hits(memory.subject, query)
    yield f'<span><bdi>{scope}</bdi> · <bdi dir="auto">{subject}</bdi></span>'
    if memory.status == "pending":
        yield format_html("<span>{} {}</span>", _("Written"), day(memory.created_at))
    else:
        yield f"<span>{wording.said(memory, day)}</span>"
    yield f"<span>{wording.used(memory, day)}</span>"
    if memory.expires_at and memory.status == "expired":
        yield format_html("<span>{} {}</span>", _("Expired on"), day(memory.expires_at))
    elif memory.expires_at:
        yield format_html("<span>{} {}</span>", _("Until"), last_day(memory.expires_at))
    if memory.is_new:
        yield format_html('<span class="is-good">{}</span>', _("New"))


def state(memory: Listed) -> SafeString:
    """What it is and how it stands: a picture, a word and a colour together."""
    rule = memory.pending_rule if memory.status == "pending" else None
    given = (get_language(), memory.status, rule, memory.kind, memory.pinned, memory.disputed, memory.origin)
    # What agents call a kind of their own is not kept beyond the request.
    return (_state if memory.kind in wording.KINDS else _state.__wrapped__)(*given)


@lru_cache(maxsize=512)
def _state(
    language: str | None,
    status: str,
    pending_rule: str | None,
    kind: str,
    pinned: bool,
    disputed: bool,
    origin: str,
) -> SafeString:
    if status == "pending":
        marks = [_mark("is-warn", "pending", _waits(pending_rule, origin))]
        if disputed:
            marks.append(_mark("is-warn", "disputed", _("Disputed")))
        return SafeString("".join(marks))
    marks = [format_html('<span class="kind">{}<bdi>{}</bdi></span>', kind_icon(kind), wording.kind(kind))]
    match status:
        case "paused":
            marks.append(_mark("is-off", "paused", _("Paused")))
        case "stale":
            marks.append(_mark("is-warn", "stale", _("Still true?")))
        case "expired":
            marks.append(_mark("is-off", "expired", _("Expired")))
        case "closed":
            marks.append(_mark("is-off", "closed", _("Held earlier")))
    if pinned:
        marks.append(_mark("is-good", "pin", _("Always sent")))
    if disputed:
        marks.append(_mark("is-warn", "disputed", _("Disputed")))
    return SafeString("".join(marks))


def _waits(rule: str | None, origin: str) -> str:
    """An order to the assistant may well have been said; only what was concluded is called inferred."""
    if rule == "retracted":
        return _("Seems to be over, waiting for you")
    if rule == "instruction":
        return _("Reads like an order to the assistant")
    return _("Imported, waiting for you") if origin == "imported" else _("Inferred, waiting for you")


def _mark(look: str, picture: str, words: str) -> SafeString:
    return format_html('<span class="{}">{}{}</span>', look, icon(picture), words)
