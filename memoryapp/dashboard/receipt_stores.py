"""The stores on a receipt by their names, each with what was found, erased and left."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from memoryapp.models import Receipt

LABELS: dict[str, str | Promise] = {
    "memories": gettext_lazy("Memories"),
    "versions": gettext_lazy("Versions of them, with their history"),
    "confirmations": gettext_lazy("Times that they were said"),
    "disputes": gettext_lazy("What you said against them"),
    "decisions": gettext_lazy("Decisions on what was proposed"),
    "messages": gettext_lazy("Messages of conversations"),
    "retrievals": gettext_lazy("Records of what was sent"),
    "answers": gettext_lazy("Answers that were given with it"),
    "do_not_learn": gettext_lazy("Entries of the do-not-learn list"),
    "scopes": gettext_lazy("Scopes"),
    "search_entries": gettext_lazy("Entries of the search index"),
    "words": gettext_lazy("Words of the search index"),
    "vectors": gettext_lazy("Vectors of the meaning"),
    "kept_responses": gettext_lazy("Responses kept for retries"),
    "uploads": gettext_lazy("Files that waited to be brought"),
    "bulk_runs": gettext_lazy("Changes of many at once"),
    "retention_choices": gettext_lazy("Choices of how long things stay"),
    "reports": gettext_lazy("Reports to support"),
    "support_grants": gettext_lazy("Accesses of support"),
    "shown_to_staff": gettext_lazy("What support was shown"),
    "staff_proposals": gettext_lazy("What support proposed"),
    "grants_as_staff": gettext_lazy("Accesses had as staff, which name nobody any more"),
    "keys": gettext_lazy("Keys"),
    "key_counts": gettext_lazy("Counts of calls with a key"),
    "browser_sessions": gettext_lazy("Sessions in browsers"),
    "sessions": gettext_lazy("The list of these sessions"),
    "sign_in_links": gettext_lazy("Sign-in links"),
    "addresses": gettext_lazy("Email addresses"),
    "address_confirmations": gettext_lazy("Confirmations of email addresses"),
    "second_factors": gettext_lazy("Passkeys and second steps"),
    "provider_accounts": gettext_lazy("Accounts elsewhere, for signing in"),
    "provider_tokens": gettext_lazy("Tokens of these accounts"),
    "groups": gettext_lazy("Groups"),
    "permissions": gettext_lazy("Permissions"),
    "person": gettext_lazy("The account, with the key of its digests"),
}


@dataclass(frozen=True, slots=True)
class Line:
    """One store. `left` is None until it was looked for."""

    label: str
    counted: int
    erased: int
    left: int | None


@dataclass(frozen=True, slots=True)
class Stores:
    """Those with something in them, and the names of the others, which were looked through all the same."""

    lines: tuple[Line, ...]
    empty: tuple[str, ...]


def stores(found: Receipt) -> Stores:
    """In the order of `LABELS`; one that has no name there is called as the receipt calls it."""
    left = found.verified_left or {}
    unnamed = sorted((found.counted.keys() | found.erased.keys() | left.keys()) - LABELS.keys())
    lines, empty = [], []
    for name in (*LABELS, *unnamed):
        if name not in found.counted and name not in found.erased and name not in left:
            continue
        line = Line(
            str(LABELS.get(name, name)),
            found.counted.get(name, 0),
            found.erased.get(name, 0),
            None if found.verified_left is None else left.get(name, 0),
        )
        if line.counted or line.erased or line.left:
            lines.append(line)
        else:
            empty.append(line.label)
    return Stores(tuple(lines), tuple(empty))
