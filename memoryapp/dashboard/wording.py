"""The words of the pages for what the store calls by short names."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.utils.formats import number_format
from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from memoryapp.policy.types import PERSONAL
from memoryapp.services.bulk import Progress

Word = str | Promise


def word_of(words: Mapping[str, Word]) -> Callable[[str], str]:
    """A filter for templates: the word for a short name, and the name itself where there is none."""

    def word(name: str) -> str:
        return str(words.get(name, name))

    return word


KINDS: dict[str, Word] = {
    "preference": gettext_lazy("Preference"),
    "fact": gettext_lazy("Fact"),
    "decision": gettext_lazy("Decision"),
    "identifier": gettext_lazy("Identifier"),
}
KINDS_MANY: dict[str, Word] = {
    "preference": gettext_lazy("Preferences"),
    "fact": gettext_lazy("Facts"),
    "decision": gettext_lazy("Decisions"),
    "identifier": gettext_lazy("Identifiers"),
}
ORIGINS: dict[str, Word] = {
    "stated": gettext_lazy("You said it"),
    "corrected": gettext_lazy("You wrote or confirmed it"),
    "inferred": gettext_lazy("Inferred"),
    "imported": gettext_lazy("Imported"),
}
STATUSES: dict[str, Word] = {
    "current": gettext_lazy("In use"),
    "pending": gettext_lazy("Waiting for you"),
    "paused": gettext_lazy("Paused"),
    "stale": gettext_lazy("Still true?"),
    "expired": gettext_lazy("Expired"),
    "disputed": gettext_lazy("Disputed"),
    "closed": gettext_lazy("Held earlier"),
    "forgotten": gettext_lazy("Forgotten"),
}
USES: dict[str, Word] = {
    "used": gettext_lazy("Used this month"),
    "never": gettext_lazy("Never used"),
}
RULES: dict[str, Word] = {
    "paused": gettext_lazy("Learning was paused."),
    "not_durable": gettext_lazy("It was not something lasting: a preference, a fact, a decision or an identifier."),
    "no_scope": gettext_lazy("It was not clear which scope it belonged to."),
    "wrong_scope": gettext_lazy("It named another scope than the one it was said in."),
    "secret": gettext_lazy("It looked like a password, a key or a card number. Those are never kept."),
    "forgotten": gettext_lazy("You asked not to have this learned again."),
    "outdated": gettext_lazy("Something newer was known already."),
    "nothing_to_retract": gettext_lazy("There was nothing that it could have taken back."),
    "retracted": gettext_lazy("It was taken back."),
    "ended": gettext_lazy("It had ended already; it is kept as history."),
    "instruction": gettext_lazy("It was an instruction to an assistant, not something about you."),
    "already_known": gettext_lazy("A conclusion; what you said yourself stands already."),
    "inferred": gettext_lazy("A conclusion that you did not state. It waits for your review."),
    "review_full": gettext_lazy("Too many conclusions on one subject were waiting already."),
    "same_value": gettext_lazy("It was said again."),
    "empty_slot": gettext_lazy("It was new."),
    "slot_changed": gettext_lazy("It replaced what was there before."),
}
"""Why the write policy decided as it did."""
RULES_SHORT: dict[str, Word] = {
    "paused": gettext_lazy("Learning was off"),
    "not_durable": gettext_lazy("Nothing lasting"),
    "no_scope": gettext_lazy("No scope"),
    "wrong_scope": gettext_lazy("Another scope"),
    "secret": gettext_lazy("A secret"),
    "forgotten": gettext_lazy("Not to be learned"),
    "outdated": gettext_lazy("Out of date"),
    "nothing_to_retract": gettext_lazy("Nothing to take back"),
    "already_known": gettext_lazy("Known already"),
    "review_full": gettext_lazy("Too many waiting"),
}
"""The same in a word or two, of the rules that refuse."""
WRONGS: dict[str, Word] = {
    "untrue": gettext_lazy("Something that was used is not true"),
    "unwanted": gettext_lazy("Something was used that should not have been"),
    "missing": gettext_lazy("Something that should have been used is missing"),
    "other": gettext_lazy("Something else"),
}
"""What is wrong with an answer that is reported."""
REPORT_STATES: dict[str, Word] = {
    "open": gettext_lazy("Not looked at yet"),
    "taken": gettext_lazy("Somebody is looking into it"),
    "closed": gettext_lazy("Closed"),
}


def kind(name: str) -> str:
    return str(KINDS.get(name, name))


def scope(name: str) -> str:
    return _("Personal") if name == PERSONAL else name


def number(n: int) -> str:
    """`10,000`, as the language groups it."""
    return number_format(n)


def decimal(value: float) -> str:
    """`0.30`, as the language writes it."""
    return number_format(value, 2)


def comma() -> str:
    """What stands between the parts of a list."""
    return pgettext("list", ", ")


Day = Callable[[datetime | None], SafeString]


def said(row: Any, day: Day) -> SafeString:
    """`row` is a memory as the services list it."""
    when = {"day": day(row.confirmed_at), "n": number(row.seen)}
    match row.origin:
        case "inferred":
            return format_html(_("Inferred on {day}"), **when)
        case "imported" if row.original_origin:
            return format_html(_("{said}, imported"), said=said(replace(row, origin=row.original_origin), day))
        case "imported":
            return format_html(_("Imported on {day}"), day=day(row.created_at))
        case "corrected" if row.seen == 1:
            return format_html(_("You wrote it on {day}"), **when)
        case "corrected":
            # Kept in the review counts too, and says nothing of who said it before.
            return format_html(_("You wrote or confirmed it, last on {day}"), **when)
    if row.seen == 1:
        return format_html(_("You said it once, on {day}"), **when)
    return format_html(
        ngettext("You said it {n} time, last on {day}", "You said it {n} times, last on {day}", row.seen), **when
    )


def source(row: Any, day: Day) -> SafeString:
    speaker = {"assistant": _("The assistant"), "tool": _("A tool")}.get(row.source_role) or _("You")
    if row.turn is None:
        return format_html("{}{}{}", speaker, comma(), day(row.occurred_at))
    turn = _("turn %(n)s of a conversation") % {"n": number(row.turn)}
    return format_html_join(comma(), "{}", ((part,) for part in (speaker, turn, day(row.occurred_at))))


def used(row: Any, day: Day) -> SafeString:
    if not row.use_count:
        if row.status == "pending":
            return format_html("{}", _("Never sent to an assistant"))
        # What is sent always is not counted: it says nothing about the memory. Held back now, it may have been sent.
        if not row.pinned and row.kind != "preference":
            return format_html("{}", _("Never used"))
        is_in_use = row.status == "current" and not row.disputed
        return format_html("{}", _("Sent with every request") if is_in_use else _("Uses are not counted"))
    return format_html(
        ngettext("Used once, on {day}", "Used {n} times, last on {day}", row.use_count),
        n=number(row.use_count),
        day=day(row.last_used_at),
    )


def bulk_done(run: Progress) -> str:
    """One sentence on what was done, and on what could not be."""
    n = run.changed
    done = {
        "forget": ngettext("%(n)s memory forgotten.", "%(n)s memories forgotten.", n),
        "restore": ngettext("%(n)s memory restored.", "%(n)s memories restored.", n),
        "pause": ngettext("%(n)s memory paused.", "%(n)s memories paused.", n),
        "resume": ngettext("%(n)s memory resumed.", "%(n)s memories resumed.", n),
        "move": ngettext("%(n)s memory moved.", "%(n)s memories moved.", n),
        "move_back": ngettext("%(n)s memory moved back.", "%(n)s memories moved back.", n),
    }[run.verb] % {"n": number(n)}
    if not run.skipped:
        return done
    left = ngettext("%(n)s was left as it is.", "%(n)s were left as they are.", run.skipped) % {
        "n": number(run.skipped)
    }
    return f"{done} {left}"
