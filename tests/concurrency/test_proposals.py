"""Many proposals at once: one memory stands in a slot, and nothing that was said is lost."""

from collections import Counter
from itertools import pairwise

import pytest

from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Confirmation, Decision, Memory, MemoryVersion
from memoryapp.services.audit import verify
from memoryapp.services.first_write import writing_about
from memoryapp.services.proposal import Proposal
from memoryapp.services.propose import propose

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 64


def preference(text, subject="drink"):
    return Proposal(kind="preference", subject=subject, text=text, source=text)


def say(text, actor):
    return lambda: propose([preference(text)], actor=actor)[0]


def test_it_keeps_64_equal_ones_as_one_memory_that_was_seen_64_times(ada, at_once):
    outcomes = at_once(*[say("Likes tea.", ada)] * MANY)

    assert Counter(outcome.action for outcome in outcomes) == {"new": 1, "reconfirmed": MANY - 1}
    with acting_for(ada.person_id):
        memory = Memory.objects.get()
        assert (memory.state, memory.seen, memory.version) == ("current", MANY, 1)
        assert Confirmation.objects.count() == Decision.objects.count() == MANY
        assert MemoryVersion.objects.count() == 1
    assert sorted(outcome.memory["seen"] for outcome in outcomes) == list(range(1, MANY + 1))
    assert list(verify()) == []


def test_it_keeps_64_different_ones_as_one_memory_with_64_versions(ada, at_once):
    texts = [f"Likes tea number {number}." for number in range(MANY)]
    outcomes = at_once(*(say(text, ada) for text in texts))

    assert Counter(outcome.action for outcome in outcomes) == {"new": 1, "superseded": MANY - 1}
    with acting_for(ada.person_id):
        memory = Memory.objects.get()
        versions = list(MemoryVersion.objects.order_by("number"))
    assert [version.number for version in versions] == list(range(1, MANY + 1))
    assert {version.text for version in versions} == set(texts)
    for earlier, later in pairwise(versions):
        assert earlier.closes_at == later.valid_from
        assert earlier.closed_at == later.recorded_at
    assert (versions[-1].closes_at, versions[-1].closed_at) == (None, None)
    assert (memory.text, memory.version, memory.seen) == (versions[-1].text, MANY, 1)
    assert list(verify()) == []


def test_it_takes_two_batches_in_opposite_order(ada, at_once):
    """Whichever comes second has the last word in every slot: a batch is one transaction."""
    subjects = [f"s{number}" for number in range(5)]
    rounds = 10
    for number in range(rounds):
        batches = {
            who: [preference(f"{who} says {number} of {subject}.", subject) for subject in order]
            for who, order in (("One", subjects), ("Two", subjects[::-1]))
        }
        one, two = at_once(*(lambda b=b: propose(b, actor=ada) for b in batches.values()))
        assert [len(one), len(two)] == [len(subjects)] * 2
        with acting_for(ada.person_id):
            texts = list(Memory.objects.values_list("text", flat=True))
        assert len(texts) == len(subjects)
        assert len({text.split()[0] for text in texts}) == 1
        assert all(f"says {number} of" in text for text in texts)
    with acting_for(ada.person_id):
        assert MemoryVersion.objects.count() == 2 * rounds * len(subjects)


def test_it_makes_an_unknown_person_once(bot, at_once):
    act = [lambda: writing_about(bot, "carol", lambda actor: propose([preference("Likes tea.")], actor=actor)[0])]
    outcomes = at_once(*act * 12)

    assert Counter(outcome.action for outcome in outcomes) == {"new": 1, "reconfirmed": 11}
    carol = User.objects.get(external_id="carol")
    with acting_for(carol.id):
        assert list(Scope.objects.values_list("name", flat=True)) == ["personal"]
        assert Memory.objects.get().seen == 12
    assert User.objects.count() == 1


def test_it_makes_a_scope_once(ada, at_once):
    def first_word(number):
        proposal = Proposal(kind="fact", subject=f"atlas.s{number}", text=f"Fact {number}.", source="so it is")
        return lambda: propose([proposal], actor=ada)[0]

    outcomes = at_once(*map(first_word, range(12)))
    assert [outcome.action for outcome in outcomes] == ["new"] * 12
    with acting_for(ada.person_id):
        assert Scope.objects.filter(name="atlas").count() == 1
        assert Memory.objects.filter(scope__name="atlas").count() == 12
