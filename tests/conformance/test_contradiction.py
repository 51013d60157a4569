"""The contradiction table: what is answered after the person has said otherwise."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from memoryapp.services.agents import ensure_person
from memoryapp.services.maintain import maintain
from memoryapp.services.reading import Filters, history, list_memories, read_memory
from memoryapp.services.recall import ContextRequest, recall
from tests.conformance.cells import CONTRADICTION

pytestmark = pytest.mark.django_db

OTHER = "Likes jazz."


def ago(**time):
    return datetime.now(UTC) - timedelta(**time)


SAID = {
    # first, second, what is current afterwards (None: nothing), and what is not
    "replacement": (("Lives in Vienna.", {}), ("Lives in Graz.", {}), "Lives in Graz.", "Lives in Vienna."),
    "polarity": (("Loves tea.", {}), ("Hates tea.", {}), "Hates tea.", "Loves tea."),
    "retraction": (("Has a sister.", {}), (None, {"retract": True, "source": "none"}), None, "Has a sister."),
    "partial": (("Works on Monday.", {"reason": "shift", "aliases": ("job",)}), ("Works on Friday.", {}),
                "Works on Friday.", "Works on Monday."),
    "bounded": (("Eats meat.", {"occurred_at": ago(days=9)}), ("Was vegetarian.", {"valid_to": ago(days=3),
                "valid_from": ago(days=8), "occurred_at": ago(days=1)}), "Eats meat.", "Was vegetarian."),
    "older": (("Drinks tea.", {}), ("Drank milk.", {"occurred_at": ago(days=5)}), "Drinks tea.", "Drank milk."),
}  # fmt: skip


class Life:
    def __init__(self, row, propose_one, ada):
        self.ada, self.row = ada, row
        first, second, self.now, self.not_now = SAID[row]
        propose_one(OTHER, subject="music")
        self.memory_id = UUID(propose_one(first[0], **first[1]).memory["id"])
        self.before = datetime.now(UTC)
        outcome = propose_one(second[0], **second[1])
        self.second_id = UUID(outcome.memory["id"]) if outcome.memory else self.memory_id

    def block(self, **fields):
        return recall(ContextRequest(query="what is it?", **fields), actor=self.ada)["context"]

    def listed(self):
        found = list_memories(Filters(), actor=self.ada, cursor=None, limit=50)
        return {one["text"] for one in found["results"]}

    def holds(self, text):
        return (self.now is None or self.now in text) and self.not_now not in text and OTHER in text


@pytest.mark.parametrize("name", CONTRADICTION.columns)
def test_column(name, column, propose_one, ada, bot):
    found = column("contradiction", name)
    for number, row in enumerate(SAID):
        if (row, name) in CONTRADICTION.no:
            continue
        person = ensure_person(bot, f"person-{number}")
        life = Life(row, lambda text, person=person, **fields: propose_one(text, actor=person, **fields), person)
        found.check(row, HOLDS[name](life))


def is_current(life):
    texts = " ".join(life.listed())
    return life.holds(texts) and len(life.listed()) == (1 if life.now is None else 2)


def is_sent(life):
    return life.holds(life.block())


def is_so_after_jobs(life):
    maintain()
    maintain()
    kept = life.row != "partial" or read_memory(life.memory_id, actor=life.ada)["aliases"] == ["job"]
    return is_current(life) and is_sent(life) and kept


def history_tells(life):
    entries = [
        entry
        for memory_id in {life.memory_id, life.second_id}
        for entry in history(memory_id, actor=life.ada, cursor=None, limit=50)["results"]
    ]
    told = [entry["text"] for entry in entries]
    first, second, *_ = SAID[life.row]
    # What came too late changed nothing; it is told among what was not remembered.
    return first[0] in told and (second[0] in (None, *told)) == (life.row != "older")


def is_as_it_was(life):
    first = SAID[life.row][0][0]
    return first in life.block(as_of=life.before) and OTHER in life.block(as_of=life.before)


HOLDS = dict(
    zip(CONTRADICTION.columns, (is_current, is_sent, is_so_after_jobs, history_tells, is_as_it_was), strict=True)
)
