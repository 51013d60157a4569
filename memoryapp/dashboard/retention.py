"""How long things stay, on the settings: what holds, what the person chooses, and how much goes with a choice."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryapp.dashboard import wording
from memoryapp.services.retention import ANSWERS, KINDS, MESSAGES, REFUSED, TRASH, Limit

LABELS = {
    **wording.KINDS_MANY,
    MESSAGES: gettext_lazy("Messages of conversations"),
    REFUSED: gettext_lazy("Proposals that were refused"),
    ANSWERS: gettext_lazy("Answers"),
    TRASH: gettext_lazy("Trash"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A choice that something goes with, before it is made: `count` of it."""

    what: str
    days: int | None
    count: int

    @property
    def words(self) -> str:
        return _goes(self.what, self.count) % {"n": wording.number(self.count)}


@dataclass(frozen=True, slots=True)
class Row:
    """One line: what, how long as it holds now, and the times to choose from with the one that holds."""

    what: str
    label: str
    says: str
    choices: tuple[tuple[str, str, bool], ...]
    asked: Asked | None


def rows(limits: tuple[Limit, ...], asked: Asked | None, *, trace_months: int) -> Iterator[Row]:
    for limit in limits:
        here = asked if asked and asked.what == limit.what else None
        chosen = here.days if here else limit.chosen
        choices = [("", _("As long as this service does"), chosen is None)]
        choices += [(str(days), duration(days), days == chosen) for days in limit.choices]
        says = _says(limit, trace_months)
        yield Row(limit.what, str(LABELS[limit.what]), says, tuple(choices), here)


def duration(days: int) -> str:
    """`90 days`, and whole years as such."""
    if days % 365 or not days:
        return ngettext("%(n)s day", "%(n)s days", days) % {"n": wording.number(days)}
    return ngettext("%(n)s year", "%(n)s years", days // 365) % {"n": wording.number(days // 365)}


def chosen_words(reason: str) -> str:
    """What was chosen, of the audit's `messages 30` or `fact service`. Empty for what is none of that."""
    what, _space, days = reason.partition(" ")
    if what not in LABELS or not (days == "service" or days.isdecimal()):
        return ""
    kept = duration(int(days)) if days != "service" else _("As long as this service does")
    return _("%(what)s, from now on: %(time)s") % {"what": LABELS[what], "time": kept}


def _says(limit: Limit, trace_months: int) -> str:
    if limit.what == ANSWERS and limit.chosen is None:
        return ngettext(
            "%(n)s month, then they are dropped with what was sent for them",
            "%(n)s months, then they are dropped with what was sent for them",
            trace_months,
        ) % {"n": wording.number(trace_months)}
    days = limit.days
    if days is None:
        if limit.what in KINDS:
            return _("until you forget them or their day comes")
        if limit.what == REFUSED:
            return _("until you forget the message they came from")
        return _("until you erase them with what came of them")
    return _for(limit.what) % {"time": duration(days)}


def _for(what: str) -> str:
    match what:
        case "messages":
            return _("%(time)s, then erased; what a memory quotes of them stays with it")
        case "answers":
            return _("%(time)s, then they are dropped with what was sent for them")
        case "trash" | "refused":
            return _("%(time)s, then erased")
    return _("%(time)s after they were last said, then they go to the trash")


def _goes(what: str, count: int) -> str:
    match what:
        case "messages":
            return ngettext(
                "%(n)s message is older than that and is erased now. That cannot be undone.",
                "%(n)s messages are older than that and are erased now. That cannot be undone.",
                count,
            )
        case "refused":
            return ngettext(
                "%(n)s refused proposal is older than that and is erased now. That cannot be undone.",
                "%(n)s refused proposals are older than that and are erased now. That cannot be undone.",
                count,
            )
        case "answers":
            return ngettext(
                "%(n)s answer is older than that and is erased now. That cannot be undone.",
                "%(n)s answers are older than that and are erased now. That cannot be undone.",
                count,
            )
        case "trash":
            return ngettext(
                "%(n)s forgotten memory is older than that and is erased now. That cannot be undone.",
                "%(n)s forgotten memories are older than that and are erased now. That cannot be undone.",
                count,
            )
    return ngettext(
        "%(n)s memory is older than that and goes to the trash now.",
        "%(n)s memories are older than that and go to the trash now.",
        count,
    )
