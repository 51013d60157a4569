"""Two memories that say one thing become one."""

from dataclasses import replace
from uuid import UUID

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Confirmation, Memory
from memoryapp.services.detail import memory_detail
from memoryapp.services.errors import Conflict, Invalid, NotFound
from memoryapp.services.forget import forget
from memoryapp.services.merge import merge
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.states import pin

pytestmark = pytest.mark.django_db


@pytest.fixture
def pair(remember):
    """`db`, said twice, and `database`, said three times."""
    for _ in range(2):
        one = remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db", aliases=("pg", "store"))
    for _ in range(3):
        other = remember("The store of Atlas is PostgreSQL.", kind="fact", subject="atlas.database", aliases=("PG",))
    return UUID(one["id"]), UUID(other["id"])


def test_one_remains_with_what_both_were_said_and_called(pair, ada, herself):
    one, other = pair
    merged = merge(one, other, actor=herself)
    assert (merged.memory.id, merged.memory.text, merged.memory.seen) == (one, "Atlas uses PostgreSQL.", 5)
    assert merged.memory.aliases == ("pg", "store", "database")
    assert (merged.memory.origin, merged.memory.status, merged.other.status) == ("stated", "current", "closed")
    with acting_for(ada.person_id):
        head = Memory.objects.get(pk=one)
        assert Confirmation.objects.filter(version=head.statement_id).count() == 5
        assert head.confirmed_at == Memory.objects.get(pk=other).confirmed_at
        assert [(event.verb, event.object_id) for event in AuditEvent.objects.order_by("-seq")[:2]] == [
            ("merge_into", other), ("merge", one),
        ]  # fmt: skip
    sent = recall(ContextRequest(scopes=("atlas",), query="which database?"), actor=ada)
    assert [memory["id"] for memory in sent["memories"]] == [str(one)]


def test_the_history_of_the_other_is_intact(pair, herself):
    one, other = pair
    merge(one, other, actor=herself)
    detail = memory_detail(other, actor=herself)
    assert (detail.memory.text, detail.memory.seen) == ("The store of Atlas is PostgreSQL.", 3)
    assert detail.versions[-1].said and detail.memory.valid_to is not None
    assert any(look.verb == "merge_into" and look.reason == str(one) for look in detail.looks)


def test_a_pin_is_taken_over(pair, herself):
    one, other = pair
    pin(other, actor=herself)
    assert merge(one, other, actor=herself).memory.pinned


def test_only_two_that_stand_can_be_merged(pair, propose_one, herself):
    one, other = pair
    with pytest.raises(Invalid):
        merge(one, one, actor=herself)
    guess = propose_one("Perhaps SQLite.", kind="fact", subject="atlas.db", source=None).memory
    for first, second in ((one, UUID(guess["id"])), (UUID(guess["id"]), one)):
        with pytest.raises(Conflict):
            merge(first, second, actor=herself)
    forget(other, relearn="allow", source="keep", actor=herself)
    with pytest.raises(NotFound):
        merge(one, other, actor=herself)


def test_it_is_for_the_person_alone(pair, remember, ada, ben, herself):
    one, other = pair
    with pytest.raises(Conflict):
        merge(one, other, actor=ada)
    foreign = UUID(remember("Ben uses PostgreSQL.", kind="fact", subject="atlas.db", actor=ben)["id"])
    stranger = replace(ben, kind="person", key_id=None)
    for keep, take, actor in ((one, other, stranger), (one, foreign, herself), (foreign, one, herself)):
        with pytest.raises(NotFound):
            merge(keep, take, actor=actor)
    assert memory_detail(one, actor=herself).memory.seen == 2
