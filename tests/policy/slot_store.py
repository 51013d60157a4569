"""A store in memory that does what the write policy decides, and nothing else: it trusts every decision."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count

from memoryapp.policy.normal import normal_form
from memoryapp.policy.placement import place
from memoryapp.policy.types import Candidate, Placement, Rules, Said, Slot, Stands, Tombstones
from memoryapp.policy.write import PENDING_RETRACTION, closing_instant, decide_write, said_before

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
STANDING = ("current", "paused", "stale", "expired")


def minute(number):
    return NOON + timedelta(minutes=number)


@dataclass
class Version:
    text: str | None
    opens: datetime
    closes: datetime | None = None
    confirmations: list[Said] = field(default_factory=list)


@dataclass
class Row:
    number: int
    state: str
    origin: str
    versions: list[Version] = field(default_factory=list)
    history: list[Version] = field(default_factory=list)

    @property
    def text(self):
        return self.versions[-1].text

    @property
    def seen(self):
        return len(self.versions[-1].confirmations)


class Store:
    def __init__(self):
        self.slots: dict[tuple[str, str, str], list[Row]] = {}
        self.last_said: dict[tuple[str, str, str], Said] = {}
        self.scopes: set[str] = set()
        self.tombstones: set[bytes] = set()
        self.log = []
        self._numbers = count(1)

    def propose(self, **fields):
        """Decides one candidate and does it. Returns the decision and the row that took it, if any."""
        candidate = Candidate(**{"said": Said(NOON), "origin": "stated", "source": "said so", **fields})
        placed = place(candidate.kind, candidate.subject, candidate.scope, frozenset(self.scopes))
        key = self.key(placed) if isinstance(placed, Placement) else None
        rules = Rules(now=minute(10_000), scopes=frozenset(self.scopes))
        tombstones = Tombstones(digest=str.encode, values=frozenset(self.tombstones))
        decision = decide_write(candidate, self.slot(key), tombstones, rules)
        self.log.append((key, decision, candidate))
        row = None
        if decision.target != "none":
            self.scopes.add(decision.placement.scope)
            row = self._carry_out(decision, candidate, self.slots.setdefault(key, []))
        # A retraction that found nothing was still said: what was said before it must not stand when it comes late.
        if decision.action in ("new", "reconfirmed", "superseded", "retracted") or (
            decision.rule == "nothing_to_retract" and candidate.origin != "inferred"
        ):
            last = self.last_said.get(key)
            if last is None or not said_before(candidate.said, last):
                self.last_said[key] = candidate.said
        return decision, row

    @staticmethod
    def key(placement):
        return placement.scope, placement.kind, placement.subject_key

    def slot(self, key):
        rows = self.slots.get(key, [])
        standing = self.standing(key)
        waiting = [row for row in rows if row.state == "pending"]
        return Slot(
            stands=standing and Stands(normal_form(standing.text), standing.state, standing.versions[-1].opens),
            last_said=self.last_said.get(key),
            pending=tuple(normal_form(row.text) if row.text else PENDING_RETRACTION for row in waiting),
            has_closed=any(row.state == "closed" for row in rows),
        )

    def standing(self, key):
        rows = [row for row in self.slots.get(key, []) if row.state in STANDING]
        assert len(rows) <= 1, "two rows stand in one slot"
        return rows[0] if rows else None

    def forget(self, value, *, for_good):
        for row in (row for rows in self.slots.values() for row in rows):
            if row.text and normal_form(row.text) == normal_form(value):
                row.state = "forgotten"
        if for_good:
            self.tombstones.add(normal_form(value).encode())

    def _carry_out(self, decision, candidate, rows):
        row = self._target(decision, candidate, rows)
        opens = candidate.valid_from or candidate.said.at
        version = Version(None if candidate.retract else candidate.text, opens, candidate.valid_to, [candidate.said])
        match decision.action:
            case "reconfirmed":
                row.versions[-1].confirmations.append(candidate.said)
            case "retracted":
                row.versions[-1].closes = closing_instant(row.versions[-1].opens, opens)
            case "recorded":
                row.history.append(version)
                row.versions = row.versions or [version]
            case "pending" if decision.target == "pending":
                pass
            case _:
                if row.versions and row.versions[-1].closes is None:
                    row.versions[-1].closes = closing_instant(row.versions[-1].opens, opens)
                row.versions.append(version)
                row.origin = candidate.origin
        row.state = decision.state
        return row

    def _target(self, decision, candidate, rows):
        if decision.target == "fresh":
            rows.append(Row(next(self._numbers), decision.state, candidate.origin))
            return rows[-1]
        if decision.target == "standing":
            return next(row for row in rows if row.state in STANDING)
        if decision.target == "closed":
            return next(row for row in rows if row.state == "closed")
        wanted = PENDING_RETRACTION if candidate.retract else normal_form(candidate.text)
        return next(
            row
            for row in rows
            if row.state == "pending" and (normal_form(row.text) if row.text else PENDING_RETRACTION) == wanted
        )

    def look(self):
        """What stands everywhere, for comparing."""
        return {
            key: replace(row, versions=list(row.versions), history=[])
            for key in self.slots
            if (row := self.standing(key)) is not None
        }
