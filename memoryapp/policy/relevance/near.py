"""Near-misses: words that a slip of the keyboard away would be equal.

One edit (insert, delete, replace, swap of neighbours) from five letters, two from eight, counted on the longer word;
never across the first letter, never in words with digits.
"""

from collections.abc import Iterable

MIN_LETTERS = 5
MIN_LETTERS_FOR_TWO = 8
MAX_NEAR = 3
"""At most so many vocabulary words stand in for one request word: the closest, then in alphabetical order."""


def allowed_edits(letters: int) -> int:
    """How many edits a pair may differ by whose longer word has so many letters."""
    return 2 if letters >= MIN_LETTERS_FOR_TWO else 1 if letters >= MIN_LETTERS else 0


def length_range(spelling: str) -> tuple[int, int] | None:
    """The shortest and longest word that may be near this one; None when none may."""
    if has_digit(spelling):
        return None
    size = len(spelling)
    longest = max((n for n in (size, size + 1, size + 2) if n - size <= allowed_edits(n)), default=0)
    if not allowed_edits(longest):
        return None
    return max(2, size - allowed_edits(size)), longest


def has_digit(word: str) -> bool:
    return any(c.isdigit() for c in word)


def near_misses(word: str, vocabulary: Iterable[str]) -> list[str]:
    """The words of the vocabulary that are near this one, closest first, then alphabetical; equal ones are not near."""
    return [candidate for _, candidate in near_with_edits(word, vocabulary)]


def near_with_edits(word: str, vocabulary: Iterable[str]) -> list[tuple[int, str]]:
    """As `near_misses`, each with its number of edits."""
    reach = length_range(word)
    if reach is None:
        return []
    shortest, longest = reach
    first, letters = word[0], set(word)
    found = []
    for candidate in vocabulary:
        if candidate[:1] != first or not shortest <= len(candidate) <= longest or candidate == word:
            continue
        limit = allowed_edits(max(len(word), len(candidate)))
        # An edit takes one letter away and brings one at most: what differs by more is not compared letter by letter.
        if not limit or len(letters.symmetric_difference(candidate)) > 2 * limit:
            continue
        edits = 1 if _within_one(word, candidate) else 2 if limit > 1 and _within_two(word, candidate) else 3
        if edits <= limit and not has_digit(candidate) and not _is_short_prefix(word, candidate):
            found.append((edits, candidate))
    return sorted(found)


def _is_short_prefix(one: str, other: str) -> bool:
    """`plan` in `plane`: a prefix under five letters is another word rather than a slip."""
    short, long = sorted((one, other), key=len)
    return len(short) < MIN_LETTERS and long.startswith(short)


def _common_prefix(one: str, other: str) -> int:
    size = min(len(one), len(other))
    for i in range(size):
        if one[i] != other[i]:
            return i
    return size


def _within_one(one: str, other: str) -> bool:
    gap = len(one) - len(other)
    if gap > 1 or gap < -1:
        return False
    at = _common_prefix(one, other)
    if gap == 1:
        return one[at + 1 :] == other[at:]
    if gap == -1:
        return one[at:] == other[at + 1 :]
    return one[at + 1 :] == other[at + 1 :] or (
        one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    )


def _within_two(one: str, other: str) -> bool:
    """Whether one edit where the words first differ leaves at most one more."""
    at = _common_prefix(one, other)
    one, other = one[at:], other[at:]
    if _within_one(one[1:], other) or _within_one(one, other[1:]) or _within_one(one[1:], other[1:]):
        return True
    return one[:2] == other[:2][::-1] and _within_one(one[2:], other[2:])
