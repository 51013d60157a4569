"""`{% load access %}`: words and pieces for what staff see and do."""

from datetime import datetime
from uuid import UUID

from django import template
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from memoryapp.dashboard import access_words as words
from memoryapp.dashboard import verdicts, wording
from memoryapp.dashboard.word_diff import Piece, word_diff
from memoryapp.services.trace_view import Weighed

register = template.Library()
for _name, _words in {
    "reason_word": words.REASONS,
    "reach_word": words.REACHES,
    "consent_word": words.CONSENTS,
    "grant_state_word": words.GRANT_STATES,
    "proposal_state_word": words.PROPOSAL_STATES,
    "action_word": words.ACTIONS,
    "withheld_word": words.WITHHELD,
    "since_word": words.SINCE,
}.items():
    register.filter(_name, wording.word_of(_words))

_LONGEST_DIFF = 4_000


@register.filter
def purpose_words(reason: str | None) -> str:
    """The reason that the audit has of an access."""
    return words.purpose(reason or "")


@register.filter
def desk_verdict_words(weighed: Weighed, floor: float) -> str:
    """Why a memory of a trace was sent or left out, in a sentence to staff."""
    return verdicts.recorded(weighed, floor, reader="staff")


@register.filter
def diff_to(before: str, after: str) -> tuple[Piece, ...]:
    """The pieces that lead from one text to the other, for `components/_diff.html`."""
    return word_diff(before[:_LONGEST_DIFF], after[:_LONGEST_DIFF])


@register.filter
def masked_scope_word(name: str) -> str:
    """A scope without its name: `Scope 1`."""
    head, _, number = name.rpartition("-")
    return gettext("Scope %(n)s") % {"n": number} if head == "scope" and number.isdecimal() else wording.scope(name)


@register.filter
def minutes_left(seconds: int) -> str:
    """`19:59`."""
    return f"{seconds // 60}:{seconds % 60:02}"


@register.filter
def clock(instant: datetime | None) -> SafeString:
    """`14:07`, in the zone of whoever reads it."""
    if instant is None:
        return SafeString("")
    shown = timezone.localtime(instant).strftime("%H:%M")
    return format_html('<time datetime="{}">{}</time>', instant.isoformat(timespec="seconds"), shown)


@register.filter
def score(relevance: float | None) -> str:
    return "–" if relevance is None else wording.decimal(relevance)


@register.filter
def short_id(identifier: UUID) -> str:
    """The end of a random id, which differs where its beginning is a time."""
    return f"…{str(identifier)[-8:]}"
