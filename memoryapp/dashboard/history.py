"""What happened to a memory, one entry a version, in words."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from memoryapp.dashboard import wording
from memoryapp.dashboard.word_diff import Piece, word_diff
from memoryapp.services.detail import Version


@dataclass(frozen=True, slots=True)
class Entry:
    """`diff` is empty where the text stayed; then `what` alone says what happened."""

    version: Version
    what: str
    who: str
    diff: tuple[Piece, ...]
    is_statement: bool


def entries(versions: tuple[Version, ...]) -> list[Entry]:
    """`versions` newest first, as the entries are."""
    shown = []
    for index, version in enumerate(versions):
        former = versions[index + 1] if index + 1 < len(versions) else None
        is_statement = former is None or version.previous_text is not None
        diff = word_diff(version.previous_text, version.text) if version.previous_text is not None else ()
        shown.append(Entry(version, _what(version, former, is_statement), who(version), diff, is_statement))
    return shown


def who(version: Version) -> str:
    if version.actor_kind == "person":
        return _("you")
    return version.agent or (_("an assistant") if version.actor_kind == "agent" else _("this service"))


def _what(version: Version, former: Version | None, is_statement: bool) -> str:
    if former is None:
        return {"inferred": _("Inferred"), "imported": _("Imported")}.get(version.origin, _("Noted"))
    if is_statement:
        return _("Corrected") if version.actor_kind == "person" else _("Changed")
    if version.state != former.state:
        return _state(version.state, former.state)
    if (version.scope, version.kind, version.subject) != (former.scope, former.kind, former.subject):
        return _("Moved from “%(before)s”") % {"before": f"{wording.scope(former.scope)} · {former.subject}"}
    if version.pinned != former.pinned:
        return _("Pinned, always sent") if version.pinned else _("Unpinned")
    if version.expires_at != former.expires_at:
        return _("Another last day")
    if version.aliases != former.aliases:
        return _("Other names changed")
    return _("Details changed")


def _state(now: str, before: str) -> str:
    if before == "forgotten":
        return _("Restored from the trash")
    if before == "pending" and now == "current":
        return _("Kept after review")
    return {
        "paused": _("Paused"),
        "current": _("Resumed") if before == "paused" else _("In use again"),
        "stale": _("Not confirmed for a long time"),
        "closed": _("Holds no longer"),
        "forgotten": _("Forgotten"),
        "pending": _("Waits for review"),
    }.get(now, _("Details changed"))
