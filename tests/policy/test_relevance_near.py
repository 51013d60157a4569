"""Near-misses: one edit from five letters, two from eight, never across a first letter."""

import random
import string

import pytest

from memoryapp.policy.relevance import analyse_request, resolve, wanted
from memoryapp.policy.relevance.near import length_range, near_misses

NEAR = {
    "insert": ("databbase", "database"),
    "delete": ("databse", "database"),
    "replace": ("databane", "database"),
    "swap": ("databaes", "database"),
    "five_letters": ("tabel", "table"),
    "the_longer_one_counts": ("eror", "error"),
    "six_letters": ("doker", "docker"),
    "two_edits_of_eight": ("databsae", "databases"),
    "two_swaps_of_ten": ("tpyescritp", "typescript"),
    "two_inserts": ("typescript", "typescriptss"),
    "two_deletes": ("kubrnets", "kubernetes"),
    "last_letter_missing": ("fastif", "fastify"),
    "cyrillic": ("превет", "привет"),
    "greek": ("βασηις", "βασης"),
}
FAR = {
    "equal": ("table", "table"),
    "four_letters": ("kube", "kuba"),
    "three_letters": ("cat", "car"),
    "first_letter_replaced": ("batabase", "database"),
    "first_letter_missing": ("atabase", "database"),
    "first_letters_swapped": ("adtabase", "database"),
    "two_edits_of_seven": ("fasstfi", "fastify"),
    "three_edits": ("kbrnets", "kubernetes"),
    "prefix": ("go", "google"),
    "prefix_of_four": ("plan", "plane"),
    "long_prefix": ("kube", "kubernetes"),
    "prefix_java": ("java", "javascript"),
    "digits": ("10000", "10001"),
    "name_with_digits": ("python3", "python2"),
    "characters": ("数据", "数库"),
}


@pytest.mark.parametrize(("word", "other"), [pytest.param(*pair, id=name) for name, pair in NEAR.items()])
def test_it_finds_what_a_slip_away(word, other):
    assert near_misses(word, [other, "zebra"]) == [other]
    assert near_misses(other, [word, "zebra"]) == [word]


@pytest.mark.parametrize(("word", "other"), [pytest.param(*pair, id=name) for name, pair in FAR.items()])
def test_it_does_not_find_other_words(word, other):
    assert near_misses(word, [other]) == []
    assert near_misses(other, [word]) == []


def test_it_lists_the_closest_first_then_alphabetically():
    assert near_misses("conection", ["connections", "connection", "confection"]) == [
        "confection",
        "connection",
        "connections",
    ]


def _distance(one, other):
    """Optimal string alignment, the textbook way."""
    d = {(i, j): i + j for i in range(len(one) + 1) for j in range(len(other) + 1) if not i or not j}
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and b == one[i - 2]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[len(one), len(other)]


def test_it_agrees_with_the_textbook_distance():
    rng = random.Random(0)
    for _ in range(3000):
        word = "".join(rng.choices("abc", k=rng.randint(5, 11)))
        letters = list(word)
        for _ in range(rng.randint(0, 3)):
            at = rng.randint(1, len(letters) - 1)
            match rng.randint(0, 3):
                case 0:
                    letters.insert(at, rng.choice("abc"))
                case 1 if len(letters) > 5:
                    del letters[at]
                case 2:
                    letters[at] = rng.choice("abc")
                case _:
                    letters[at - 1 : at + 1] = letters[at - 1 : at + 1][::-1]
        other = "".join(letters)
        longer = max(len(word), len(other))
        expected = word[0] == other[0] and 0 < _distance(word, other) <= (2 if longer >= 8 else 1)
        assert bool(near_misses(word, [other])) == expected, (word, other)


def test_it_names_a_length_range_that_holds_every_near_miss():
    rng = random.Random(1)
    for _ in range(300):
        word = "".join(rng.choices("ab", k=rng.randint(3, 10)))
        others = {"".join(rng.choices("ab", k=rng.randint(2, 12))) for _ in range(200)} - {word}
        found = near_misses(word, others)
        reach = length_range(word)
        assert not found or reach
        assert all(reach[0] <= len(other) <= reach[1] for other in found)


@pytest.mark.parametrize("word", ["cat", "2024", "python3", "数据"])
def test_it_looks_for_nothing_near_short_words_and_numbers(word):
    assert length_range(word) is None


def test_it_asks_the_vocabulary_only_for_words_long_enough_for_a_slip():
    request = analyse_request("which databse does Atlas use on k8s?")
    assert [(one.first, one.shortest, one.longest) for one in wanted(request)] == [("d", 6, 9), ("a", 4, 6)]


def test_it_resolves_unknown_words_only():
    request = analyse_request("databse tables")
    probe = resolve(request, {"tabl"}, ["database", "tables", "tabler", *string.ascii_lowercase])
    assert probe.near == ((0, "database"),)
