"""The write policy: one decision, with its rule, for every proposed memory."""

from dataclasses import replace
from datetime import datetime
from typing import Literal

from memoryapp.policy.instructions import is_instruction
from memoryapp.policy.normal import normal_form
from memoryapp.policy.placement import place
from memoryapp.policy.secrets import find_secret
from memoryapp.policy.types import (
    DURABLE_KINDS,
    Action,
    Candidate,
    Placement,
    Rules,
    Said,
    Slot,
    Stands,
    Target,
    Tombstones,
    WriteDecision,
    WriteRule,
)

_State = Literal["current", "paused", "pending", "closed"]

PENDING_RETRACTION = "\0"
"""How a retraction that waits for review appears in `Slot.pending`; no text has this normal form."""

_DETAIL: dict[WriteRule, str] = {
    "paused": "Learning is turned off here, so nothing was kept.",
    "not_durable": "Only preferences, facts, decisions and identifiers are kept; this looks like a passing state.",
    "no_scope": "It does not say which scope it belongs to, and a fact without one could surface anywhere.",
    "wrong_scope": "The subject names another scope than the one it was sent for.",
    "secret": "It looks like it carries a password, key or card number, and those are never kept.",
    "forgotten": "You asked for this not to be learned again.",
    "outdated": "Something said later already settles this, so the earlier word does not count.",
    "nothing_to_retract": "There is nothing here to take back.",
    "retracted": "It was taken back, and nothing takes its place.",
    "ended": "It no longer holds, so it is kept as history only.",
    "instruction": "It reads like an order to the assistant, so it waits until you have looked at it.",
    "already_known": "This is already known, waiting for you or was rejected by you, and a guess confirms nothing.",
    "inferred": "Nobody said this in so many words, so it waits until you decide.",
    "review_full": "Enough guesses about this are already waiting for you.",
    "same_value": "It was said again, so it now counts as confirmed once more.",
    "empty_slot": "This is new, and it was remembered.",
    "slot_changed": "It replaces what was remembered before, which stays in the history.",
}
_RETRACTION_WAITS = "No words of yours show that this was taken back, so it waits until you decide."


def decide_write(candidate: Candidate, slot: Slot, tombstones: Tombstones, rules: Rules) -> WriteDecision:
    """The first of the sixteen rules that applies, in their order.

    `slot` is what the slot holds that `place` names for the same candidate and scopes; where no slot can be named,
    an empty one.
    """
    placed = place(candidate.kind, candidate.subject, candidate.scope, rules.scopes)
    placement = placed if isinstance(placed, Placement) else None
    scope = placement.scope if placement else candidate.scope and candidate.scope.casefold()

    if not candidate.by_person and not (rules.learning and rules.scope_learning.get(scope or "", True)):
        return _refused("paused", placement)
    if candidate.kind not in DURABLE_KINDS:
        return _refused("not_durable", placement)
    if not isinstance(placed, Placement):
        return _refused(placed, None)
    if _carries_secret(candidate):
        return _refused("secret", placed)
    if not candidate.by_person and _is_forgotten(candidate, placed, tombstones):
        return _refused("forgotten", placed)
    return replace(_decide_in_slot(candidate, slot, rules), placement=placed)


def _decide_in_slot(candidate: Candidate, slot: Slot, rules: Rules) -> WriteDecision:
    """Rules 7 to 16: those that depend on what the slot holds."""
    value = normal_form(candidate.text or "")
    stands = slot.stands
    is_same = stands is not None and not candidate.retract and stands.value == value
    is_inferred = candidate.origin == "inferred" and not candidate.by_person

    if not candidate.by_person and not is_same and slot.last_said and said_before(candidate.said, slot.last_said):
        return _refused("outdated", None)
    if candidate.retract:
        return _decide_retraction(candidate, slot, is_inferred=is_inferred)
    if candidate.valid_to is not None and candidate.valid_to <= rules.now:
        return _accepted("recorded", "ended", "closed" if slot.has_closed else "fresh", "closed")
    if not candidate.by_person and is_instruction(candidate.text or ""):
        return _accepted("pending", "instruction", "pending" if value in slot.pending else "fresh", "pending")
    if is_inferred:
        if is_same or value in slot.pending or value in slot.rejected:
            return _refused("already_known", None)
        if sum(waiting != PENDING_RETRACTION for waiting in slot.pending) >= rules.max_pending:
            return _refused("review_full", None)
        return _accepted("pending", "inferred", "fresh", "pending")
    if stands is None:
        return _accepted("new", "empty_slot", _target_in_empty(value, slot), "current")
    if is_same:
        return _accepted("reconfirmed", "same_value", "standing", _state_after(stands))
    return _accepted("superseded", "slot_changed", "standing", _state_after(stands))


def _decide_retraction(candidate: Candidate, slot: Slot, *, is_inferred: bool) -> WriteDecision:
    if slot.stands is None:
        return _refused("nothing_to_retract", None)
    # A source that the person did not say makes an inference, and an inference never changes what stands.
    if candidate.by_person or (candidate.source is not None and not is_inferred):
        return _accepted("retracted", "retracted", "standing", "closed")
    if PENDING_RETRACTION in slot.rejected:
        return _refused("already_known", None)
    target: Target = "pending" if PENDING_RETRACTION in slot.pending else "fresh"
    return replace(_accepted("pending", "retracted", target, "pending"), detail=_RETRACTION_WAITS)


def _target_in_empty(value: str, slot: Slot) -> Target:
    if slot.has_closed:
        return "closed"
    return "pending" if value in slot.pending else "fresh"


def _state_after(stands: Stands) -> _State:
    return "paused" if stands.state == "paused" else "current"


def _carries_secret(candidate: Candidate) -> bool:
    texts = (candidate.text, candidate.subject, candidate.scope, candidate.reason, *candidate.aliases)
    return any(find_secret(text) for text in texts if text)


def _is_forgotten(candidate: Candidate, placement: Placement, tombstones: Tombstones) -> bool:
    if (placement.scope, placement.subject_key) in tombstones.closed_subjects:
        return True
    if candidate.text is None or candidate.retract:
        return False
    return tombstones.digest(normal_form(candidate.text)) in tombstones.values


def _refused(rule: WriteRule, placement: Placement | None) -> WriteDecision:
    return WriteDecision("rejected", rule, _DETAIL[rule], placement)


def _accepted(action: Action, rule: WriteRule, target: Target, state: _State) -> WriteDecision:
    return WriteDecision(action, rule, _DETAIL[rule], None, target, state)


def said_before(a: Said, b: Said) -> bool:
    """Whether `a` was said before `b`: by turn within one session, else by instant; equal is not before."""
    if a.turn is not None and b.turn is not None and a.session == b.session:
        return a.turn < b.turn
    return a.at < b.at


def closing_instant(opened: datetime, new_opens: datetime) -> datetime:
    """Where a replaced validity ends: where the new one opens, never before it opened itself."""
    return max(opened, new_opens)
