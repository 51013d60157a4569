"""The words for what staff see and do, the same on the person's pages and at the desk."""

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

Word = str | Promise

BY_VERB: dict[str, Word] = {
    "ask_grant": gettext_lazy("Asked for access"),
    "open_grant": gettext_lazy("Access opened"),
    "allow_grant": gettext_lazy("Access allowed"),
    "refuse_grant": gettext_lazy("Access refused"),
    "second_grant": gettext_lazy("Emergency access, confirmed by a second staff member"),
    "break_glass": gettext_lazy("Emergency access, opened by one staff member alone"),
    "end_grant": gettext_lazy("Access ended"),
    "view_record": gettext_lazy("Looked at the record of an answer, without its words"),
    "view_request": gettext_lazy("Read a request"),
    "view_answer": gettext_lazy("Read an answer"),
    "view_block": gettext_lazy("Read all that was sent with a request"),
    "view_memory": gettext_lazy("Read a memory"),
    "view_source": gettext_lazy("Read where a memory comes from"),
    "view_decision": gettext_lazy("Read a proposal"),
    "view_message": gettext_lazy("Read a message"),
    "propose_correction": gettext_lazy("Proposed a correction"),
    "propose_forgetting": gettext_lazy("Proposed to forget"),
    "act_by_consent": gettext_lazy("Changed by consent"),
    "accept_proposal": gettext_lazy("A proposal of support accepted"),
    "decline_proposal": gettext_lazy("A proposal of support declined"),
    "withdraw_proposal": gettext_lazy("A proposal taken back"),
    "export_case": gettext_lazy("Took the record of an answer along"),
    "export_accesses": gettext_lazy("Took the record of accesses along"),
    "set_role": gettext_lazy("A role at the support desk changed"),
}
"""What was done, for the verbs of the audit that concern staff."""

REASONS: dict[str, Word] = {
    "wrong_answer": gettext_lazy("An answer was wrong"),
    "wrong_memory": gettext_lazy("A memory was wrong"),
    "not_learned": gettext_lazy("Something was not remembered"),
    "privacy": gettext_lazy("A question about privacy"),
    "security": gettext_lazy("A suspicion of misuse"),
    "emergency": gettext_lazy("An emergency"),
}
REACHES: dict[str, Word] = {
    "answer": gettext_lazy("this answer"),
    "conversation": gettext_lazy("this answer and its conversation"),
    "person": gettext_lazy("this answer and everything that was decided about what to remember"),
}
CONSENTS: dict[str, Word] = {
    "ticket": gettext_lazy("in writing, in the ticket"),
    "call": gettext_lazy("on the telephone"),
    "chat": gettext_lazy("in a chat"),
}
GRANT_STATES: dict[str, Word] = {
    "waiting": gettext_lazy("Waiting"),
    "lapsed": gettext_lazy("Never answered"),
    "running": gettext_lazy("Running"),
    "over": gettext_lazy("Its time is over"),
    "ended": gettext_lazy("Ended"),
}
PROPOSAL_STATES: dict[str, Word] = {
    "waiting": gettext_lazy("Waits for the person"),
    "accepted": gettext_lazy("Accepted"),
    "declined": gettext_lazy("Declined"),
    "withdrawn": gettext_lazy("Taken back"),
}
WITHHELD: dict[str, Word] = {
    "below_floor": gettext_lazy("not relevant enough"),
    "over_limit": gettext_lazy("over the limit"),
    "over_budget": gettext_lazy("over the budget"),
    "replaced": gettext_lazy("replaced by a scope's own"),
    "duplicate": gettext_lazy("said already"),
    "paused": gettext_lazy("paused"),
    "stale": gettext_lazy("not confirmed for long"),
}
SINCE: dict[str, Word] = {
    "same": gettext_lazy("unchanged"),
    "changed": gettext_lazy("changed"),
    "forgotten": gettext_lazy("forgotten"),
    "erased": gettext_lazy("erased"),
}
ACTIONS: dict[str, Word] = {
    "new": gettext_lazy("Remembered"),
    "reconfirmed": gettext_lazy("Said again"),
    "superseded": gettext_lazy("Replaced what was known"),
    "retracted": gettext_lazy("Taken back"),
    "recorded": gettext_lazy("Kept as history"),
    "pending": gettext_lazy("Put to review"),
    "rejected": gettext_lazy("Not remembered"),
}


def purpose(written: str) -> str:
    """What the audit has as the reason, in words: `call wrong_answer T-17` is how a person agreed, why, and where."""
    parts = written.split()
    said = []
    if parts and parts[0] in CONSENTS:
        said.append(_("Agreed %(how)s.") % {"how": CONSENTS[parts.pop(0)]})
    if parts and parts[0] in REASONS:
        why = REASONS[parts.pop(0)]
        if parts:
            said.append(_("%(why)s, ticket %(ticket)s.") % {"why": why, "ticket": parts.pop(0)})
        else:
            said.append(_("%(why)s.") % {"why": why})
    return " ".join([*said, *parts])
