"""What happened with the person's memory, one line each: what, by whom and why, in words."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from memoryapp.dashboard import access_words, retention, wording
from memoryapp.services.activity import Entry
from memoryapp.services.report_view import ReportView

Word = str | Promise

_BY_ACTION: dict[str, Word] = {
    "new": gettext_lazy("Remembered"),
    "reconfirmed": gettext_lazy("Said again"),
    "superseded": gettext_lazy("Replaced what was known"),
    "retracted": gettext_lazy("Taken back"),
    "recorded": gettext_lazy("Kept as history"),
    "pending": gettext_lazy("Put to your review"),
    "rejected": gettext_lazy("Not remembered"),
}
_BY_VERB: dict[str, Word] = {
    "correct": gettext_lazy("Corrected"),
    "edit": gettext_lazy("Corrected"),
    "move": gettext_lazy("Moved to another scope"),
    "keep": gettext_lazy("Kept in the review"),
    "reject": gettext_lazy("Rejected in the review"),
    "unreject": gettext_lazy("Put back into the review"),
    "confirm": gettext_lazy("Confirmed as still true"),
    "pause": gettext_lazy("Paused"),
    "resume": gettext_lazy("Resumed"),
    "pin": gettext_lazy("Pinned"),
    "unpin": gettext_lazy("Unpinned"),
    "dispute": gettext_lazy("Disputed"),
    "undispute": gettext_lazy("A dispute taken back"),
    "forget": gettext_lazy("Forgotten"),
    "forget_message": gettext_lazy("A message forgotten"),
    "restore": gettext_lazy("Restored from the trash"),
    "erase": gettext_lazy("Erased"),
    "merge": gettext_lazy("Two memories merged"),
    "merge_into": gettext_lazy("Merged into another memory"),
    "turn_stale": gettext_lazy("Not heard of for long, asked about"),
    "store_turns": gettext_lazy("Messages stored"),
    "join_answer": gettext_lazy("An answer noted"),
    "bar": gettext_lazy("A subject closed for learning"),
    "lift": gettext_lazy("Taken off the do-not-learn list"),
    "rename": gettext_lazy("A scope renamed"),
    "set_retention": gettext_lazy("How long things stay was changed"),
    "learning_on": gettext_lazy("Learning switched on"),
    "learning_off": gettext_lazy("Learning switched off"),
    "use_on": gettext_lazy("Use switched on"),
    "use_off": gettext_lazy("Use switched off"),
    "create_key": gettext_lazy("A key made"),
    "revoke_key": gettext_lazy("A key revoked"),
    "make_link": gettext_lazy("A sign-in link made"),
    "sign_in": gettext_lazy("Signed in"),
    "sign_out": gettext_lazy("Signed out"),
    "end_session": gettext_lazy("A session ended"),
    "change_email": gettext_lazy("The email address changed"),
    "add_factor": gettext_lazy("A way to sign in added"),
    "remove_factor": gettext_lazy("A way to sign in removed"),
    "export": gettext_lazy("Everything exported"),
    "import": gettext_lazy("Memories of a file brought along"),
    "report_answer": gettext_lazy("An answer reported to support"),
    "report_access": gettext_lazy("An access questioned"),
    "take_report": gettext_lazy("A report taken up"),
    "close_report": gettext_lazy("A report closed"),
    "leak_found": gettext_lazy("A memory went where it was not allowed"),
    **access_words.BY_VERB,
}
_WAYS: dict[str, Word] = {
    "code": gettext_lazy("a code by email"),
    "link": gettext_lazy("a one-time link"),
    "passkey": gettext_lazy("a passkey"),
    "webauthn": gettext_lazy("a passkey"),
    "totp": gettext_lazy("a code from an app"),
    "recovery_codes": gettext_lazy("a recovery code"),
    "oidc": gettext_lazy("another account"),
}


_PLAIN_RULES = frozenset(("empty_slot", "same_value", "slot_changed", "retracted", "ended"))
"""Rules that say no more than the deed does."""


@dataclass(frozen=True, slots=True)
class Deed:
    """`why` is empty where nothing more is to be said. `can_question`: it is an access that others had."""

    entry: Entry
    what: str
    who: str
    why: str

    @property
    def report(self) -> ReportView | None:
        return self.entry.report

    @property
    def is_flagged(self) -> bool:
        """An access that nobody else confirmed."""
        return self.entry.verb == "break_glass"

    @property
    def can_question(self) -> bool:
        is_looked_at = self.entry.verb == "retrieve" or self.entry.actor_kind == "staff"
        return is_looked_at and (self.report is None or self.report.state == "closed")


def deed(entry: Entry) -> Deed:
    return Deed(entry, _what(entry), _who(entry), _why(entry))


def _what(entry: Entry) -> str:
    if entry.verb == "retrieve":
        if not entry.sent:
            return _("Asked, and nothing was sent")
        return ngettext("Sent %(sent)s memory", "Sent %(sent)s memories", entry.sent) % {
            "sent": wording.number(entry.sent)
        }
    if entry.action == "rejected" and entry.actor_kind != "staff":
        return str(_BY_ACTION["rejected"])
    if entry.verb == "propose":
        return str(_BY_ACTION.get(entry.action or "", entry.action or entry.verb))
    return in_a_word(entry.verb)


def in_a_word(verb: str) -> str:
    """What was done, for a verb of the audit. A verb of a later release is shown by its name."""
    if verb.startswith("view") and verb not in _BY_VERB:
        return _("Looked at")
    return str(_BY_VERB.get(verb, verb.replace("_", " ")))


def _who(entry: Entry) -> str:
    match entry.actor_kind:
        case "person":
            return _("You")
        case "agent":
            return entry.agent or _("An assistant")
        case "staff":
            return _("Support")
    return _("This service")


def _why(entry: Entry) -> str:
    if entry.verb == "retrieve":
        if entry.reason == "use_off":
            return _("Use was off.")
        return _("Out of %(offered)s in these scopes.") % {"offered": wording.number(entry.offered or 0)}
    if entry.actor_kind == "staff" or entry.object_type == "grant":
        return access_words.purpose(_reason(entry))
    if entry.rule and entry.rule not in _PLAIN_RULES:
        return str(wording.RULES.get(entry.rule, entry.rule))
    if entry.verb == "forget":
        return _forgotten(entry.reason or "")
    if entry.verb == "set_retention":
        return retention.chosen_words(entry.reason or "")
    if entry.object_type == "access" and entry.reason:
        ways = [str(_WAYS.get(way, way)) for way in entry.reason.split("+")]
        return _("By %(ways)s.") % {"ways": wording.comma().join(ways)}
    return ""


def _reason(entry: Entry) -> str:
    """What a decision was and which choices a forgetting had are no purpose of anybody's."""
    is_deed = (entry.action and not entry.verb.startswith("view")) or entry.verb == "forget"
    return "" if is_deed else entry.reason or ""


def _forgotten(choices: str) -> str:
    said = []
    if "block" in choices:
        said.append(_("Not to be learned again."))
    if "retention" in choices:
        said.append(_("It had its time."))
    if "derived" in choices:
        said.append(_("It rested on nothing but a message that was erased."))
    if "erase" in choices:
        said.append(_("The message it came from was erased."))
    return " ".join(said)
