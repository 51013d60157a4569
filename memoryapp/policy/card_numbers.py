"""Payment card numbers: 13 to 19 digits that pass the Luhn test, grouped as people write them."""

import re
from collections.abc import Iterator
from itertools import pairwise

_RUN = re.compile(r"[0-9]+(?:[ ._/-]{1,2}[0-9]+)*")
_GROUP = re.compile(r"[0-9]+")
_GROUPINGS = (
    (4, 4, 4, 4), (4, 4, 4, 4, 1), (4, 4, 4, 4, 2), (4, 4, 4, 4, 3),
    (4, 6, 5), (4, 6, 4), (4, 4, 5), (6, 13), (8, 8), (4, 12), (6, 10),
)  # fmt: skip


def card_numbers(text: str) -> Iterator[tuple[int, int]]:
    """The half-open spans of card numbers in a folded text, in linear time. ASCII digits only."""
    for run in _RUN.finditer(text):
        if sum(letter.isdigit() for letter in run[0]) < 13:
            continue
        groups = [(run.start() + group.start(), run.start() + group.end()) for group in _GROUP.finditer(run[0])]
        for first, last in _windows(groups, text):
            start, end = groups[first][0], groups[last][1]
            if _stands_alone(text, start, end) and _is_card(re.sub(r"[^0-9]", "", text[start:end])):
                yield start, end


def _windows(groups: list[tuple[int, int]], text: str) -> Iterator[tuple[int, int]]:
    """The first and last group of what may be one number: one block, a usual grouping, or the run in even groups."""
    sizes = [end - start for start, end in groups]
    for first, size in enumerate(sizes):
        if 13 <= size <= 19:
            yield first, first
        for grouping in _GROUPINGS:
            last = first + len(grouping) - 1
            if tuple(sizes[first : last + 1]) == grouping and _is_evenly_parted(groups[first : last + 1], text):
                yield first, last
    if 1 < len(sizes) <= 19 and len(set(sizes[:-1])) == 1 and sizes[-1] <= sizes[0] and 13 <= sum(sizes) <= 19:
        yield 0, len(sizes) - 1


def _is_evenly_parted(groups: list[tuple[int, int]], text: str) -> bool:
    return len({text[left[1] : right[0]] for left, right in pairwise(groups)}) == 1


def _stands_alone(text: str, start: int, end: int) -> bool:
    """Whether it is no part of a word, of an international phone number or of a decimal fraction."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if (before and before[-1] in "+") or any(edge.isascii() and edge.isalnum() for edge in (before[-1:], after[:1])):
        return False
    is_fraction = len(before) == 2 and before[0].isdigit() and before[1] in ".,"
    return not is_fraction and not (len(after) == 2 and after[0] in ".," and after[1].isdigit())


def _is_card(digits: str) -> bool:
    """By length, issuer and check digit. Sixteen digits may be anybody's; other lengths have a card's first digit."""
    if not 13 <= len(digits) <= 19 or digits[0] == "0" or (len(digits) != 16 and digits[0] not in "23456"):
        return False
    doubled = (sum(divmod(2 * int(digit), 10)) for digit in digits[-2::-2])
    return (sum(doubled) + sum(int(digit) for digit in digits[::-2])) % 10 == 0
