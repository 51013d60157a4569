"""Where a candidate belongs: its subject and the scope it was given name one slot, or none."""

import re
import unicodedata
from collections.abc import Set
from typing import Literal

from memoryapp.policy.normal import normal_form
from memoryapp.policy.types import PERSONAL, Placement

_SCOPE_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,127}")


def is_scope_name(name: str) -> bool:
    """Whether the name, case folded, may name a scope."""
    return _SCOPE_NAME.fullmatch(name.casefold()) is not None


def place(
    kind: str, subject: str, scope: str | None, known_scopes: Set[str]
) -> Placement | Literal["no_scope", "wrong_scope"]:
    """The slot that kind, subject and scope name; `known_scopes` are the names that the person has, folded.

    Without a scope the subject's part before the first dot names it; failing that, preferences are personal and
    anything else has no scope. With a scope, the subject's head is taken off when it names that scope, and refused when
    it names another one of the person's. Subjects with equal normal forms are placed in the same slot; the subject as
    shown is what was written, without the head that named the scope.
    """
    head, rest_key, rest = _split(subject)
    if scope is None:
        if head is not None:
            return Placement(head, kind, rest, rest_key)
        return Placement(PERSONAL, kind, subject, normal_form(subject)) if kind == "preference" else "no_scope"
    if not is_scope_name(scope):
        return "no_scope"
    scope = scope.casefold()
    if head == scope:
        return Placement(scope, kind, rest, rest_key)
    if head is not None and (head == PERSONAL or head in known_scopes):
        return "wrong_scope"
    return Placement(scope, kind, subject, normal_form(subject))


def _split(subject: str) -> tuple[str | None, str, str]:
    """The scope that a subject's head names (None: none), and the rest, as a normal form and as it was written.

    The split is made in the normal form, so that a subject which differs only in what a normal form overlooks is split
    alike, and so that a subject with nothing after its dot names no scope.
    """
    head, dot, rest_key = normal_form(subject).partition(".")
    if not dot or not is_scope_name(head):
        return None, "", ""
    for index, letter in enumerate(subject):
        _, dot, tail = unicodedata.normalize("NFKC", letter).partition(".")
        if dot:
            return head, normal_form(rest_key), tail + subject[index + 1 :]
    raise AssertionError("a dot in the normal form comes from one character of the text")
