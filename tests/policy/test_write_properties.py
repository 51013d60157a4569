"""What holds after any sequence of proposals."""

from itertools import permutations

from hypothesis import given, settings
from hypothesis import strategies as st

from memoryapp.policy.normal import normal_form
from memoryapp.policy.types import Said
from tests.policy.slot_store import STANDING, Store, minute

# A slow machine proves nothing about a rule.
patiently = settings(deadline=None)

TEXTS = ["Likes tea.", "Likes coffee.", "Likes water.", "Likes milk."]
FULL_WIDTH = {ordinal: ordinal + 0xFEE0 for ordinal in range(0x21, 0x7F)}


def variants(text):
    """The same value, written otherwise."""
    return st.sampled_from(
        [
            text,
            text.upper(),
            text.rstrip("."),
            text + "?! …",
            f"  {text}\n",
            "\u200b".join(text),
            text.translate(FULL_WIDTH),
            text.replace(" ", "\t\u00a0"),
            "\ufeff" + text.swapcase() + "。",
        ]
    )


SAID = st.builds(
    Said, st.integers(0, 30).map(minute), st.sampled_from([None, "s", "t"]), st.one_of(st.none(), st.integers(0, 9))
)
PROPOSAL = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["preference", "fact", "mood"]),
        "scope": st.sampled_from([None, "atlas", "personal"]),
        "subject": st.sampled_from(["drink", "Drink!", "atlas.drink", "beacon.drink", "personal.drink"]),
        "text": st.sampled_from([*TEXTS, "Always answer in German."]).flatmap(variants),
        "said": SAID,
        "origin": st.sampled_from(["stated", "stated", "inferred", "imported"]),
        "source": st.sampled_from(["said so", None]),
        "retract": st.sampled_from([False, False, False, True]),
        "valid_from": st.sampled_from([None, None, minute(-5), minute(40)]),
        "valid_to": st.sampled_from([None, None, None, minute(50), minute(20_000)]),
    }
)
IN_ONE_SLOT = PROPOSAL.map(lambda fields: {**fields, "kind": "preference", "scope": None, "subject": "drink"})
BY_PERSON = PROPOSAL.map(lambda fields: {**fields, "by_person": True, "origin": "corrected", "source": None})
STATE = st.sampled_from(["paused", "stale", "expired", "closed", "current"])
FORGET = st.tuples(st.just("forget"), st.sampled_from(TEXTS))
STEP = st.one_of(PROPOSAL, PROPOSAL, PROPOSAL, BY_PERSON, STATE, FORGET)


def take(store, step):
    """One step of a history: a proposal, a forgetting, or another state for all that stands."""
    if isinstance(step, dict):
        return store.propose(**step)
    if isinstance(step, tuple):
        store.forget(step[1], for_good=False)
    else:
        for row in (row for rows in store.slots.values() for row in rows if row.state in STANDING):
            row.state = step
    return None


@patiently
@given(st.lists(STEP, max_size=25))
def test_it_lets_one_memory_stand_in_a_slot_at_most(steps):
    store = Store()
    for step in steps:
        take(store, step)
        for rows in store.slots.values():
            assert sum(row.state in STANDING for row in rows) <= 1
            waiting = [normal_form(row.text or "") for row in rows if row.state == "pending"]
            assert len(waiting) == len(set(waiting))


WORDS = st.lists(st.sampled_from(TEXTS).flatmap(variants), min_size=1, max_size=5)


@patiently
@given(WORDS.flatmap(lambda words: st.tuples(st.just(words), st.permutations(list(enumerate(words))))), st.booleans())
def test_it_lets_the_later_word_win_in_any_order_of_arrival(words_and_order, by_turn):
    words, order = words_and_order
    store = Store()
    for number, text in order:
        # By turn the instants run the other way, and must not count.
        said = Said(minute(-number), "s", number) if by_turn else Said(minute(number))
        store.propose(kind="preference", subject="drink", text=text, said=said)
    row = store.standing(("personal", "preference", "drink"))
    assert normal_form(row.text) == normal_form(words[-1])
    assert row.state == "current"


@patiently
@given(st.lists(st.sampled_from(TEXTS[:3]), min_size=3, max_size=3))
def test_it_lets_the_later_word_win_in_all_orders_of_three(words):
    for order in permutations(enumerate(words)):
        store = Store()
        for number, text in order:
            store.propose(kind="preference", subject="drink", text=text, said=Said(minute(number)))
        assert store.standing(("personal", "preference", "drink")).text == words[-1]


@patiently
@given(
    st.lists(st.sampled_from([*TEXTS, None]), min_size=1, max_size=5).flatmap(
        lambda words: st.tuples(st.just(words), st.permutations(list(enumerate(words))))
    )
)
def test_it_lets_a_later_retraction_win_in_any_order_of_arrival(words_and_order):
    words, order = words_and_order
    store = Store()
    for number, text in order:
        store.propose(kind="preference", subject="drink", text=text, retract=text is None, said=Said(minute(number)))
    row = store.standing(("personal", "preference", "drink"))
    assert (row and row.text) == words[-1]


@patiently
@given(st.lists(STEP, max_size=25))
def test_it_counts_each_confirmation_once(steps):
    store = Store()
    seen = {}
    for step in steps:
        outcome = take(store, step)
        if outcome is None:
            continue
        decision, row = outcome
        if decision.action == "reconfirmed":
            seen[row.number] += 1
        elif decision.action in ("new", "superseded"):
            seen[row.number] = 1
        for standing in store.look().values():
            assert standing.seen == seen[standing.number]


@patiently
@given(st.lists(st.sampled_from(TEXTS).flatmap(variants), min_size=1, max_size=20))
def test_it_has_seen_a_value_as_often_as_it_was_said_since_it_stands(texts):
    store = Store()
    for number, text in enumerate(texts):
        store.propose(kind="preference", subject="drink", text=text, said=Said(minute(number)))
    values = [normal_form(text) for text in texts]
    run = next((index for index, value in enumerate(reversed(values)) if value != values[-1]), len(values))
    row = store.standing(("personal", "preference", "drink"))
    assert row.seen == run
    assert sum(len(version.confirmations) for version in row.versions) == len(texts)


@patiently
@given(st.lists(STEP, max_size=10), st.lists(st.one_of(PROPOSAL, STATE, FORGET), max_size=20))
def test_it_never_lets_a_forgotten_value_stand_again(before, after):
    store = Store()
    for step in before:
        take(store, step)
    store.forget("Likes tea.", for_good=True)
    for step in after:
        outcome = take(store, step)
        if isinstance(step, dict) and normal_form(step["text"]) == "likes tea" and not step["retract"]:
            assert outcome[0].action == "rejected"
        assert all(normal_form(row.text) != "likes tea" for row in store.look().values())


def test_it_lets_a_value_stand_that_was_not_forgotten():
    store = Store()
    store.forget("Likes tea.", for_good=True)
    store.propose(kind="preference", subject="drink", text="Likes coffee.")
    assert [row.text for row in store.look().values()] == ["Likes coffee."]


@patiently
@given(st.lists(st.one_of(IN_ONE_SLOT, STATE, FORGET), max_size=8), st.lists(IN_ONE_SLOT, min_size=1, max_size=8))
def test_it_never_lets_a_guess_change_what_stands(steps, guesses):
    store = Store()
    for step in steps:
        take(store, step)
    store.propose(kind="preference", subject="drink", text="Likes tea.", said=Said(minute(90)))
    assert store.look()
    for number, guess in enumerate(guesses):
        for retract in (False, True):
            before = store.look()
            fields = {"origin": "inferred", "retract": retract, "said": Said(minute(100 + number))}
            decision, _ = store.propose(**{**guess, **fields})
            assert decision.action in ("pending", "rejected", "recorded")
            assert store.look() == before


@patiently
@given(st.lists(st.one_of(IN_ONE_SLOT, IN_ONE_SLOT.map(lambda fields: {**fields, "by_person": True})), max_size=10))
def test_it_keeps_validities_in_order(steps):
    store = Store()
    for step in steps:
        store.propose(**step)
    for row in (row for rows in store.slots.values() for row in rows):
        for version in row.versions:
            assert version.closes is None or version.closes >= version.opens
