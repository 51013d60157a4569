"""Credentials in a text: whether it carries one, and the text without them.

A sieve, not a proof: forms of known issuers, what a sentence calls a password, and payment card numbers.
"""

import re
from collections.abc import Iterator

from memoryapp.policy.card_numbers import card_numbers
from memoryapp.policy.normal import folded
from memoryapp.policy.secret_forms import known_forms
from memoryapp.policy.spoken_secrets import spoken_secrets

MASK = "[masked]"


def find_secret(text: str) -> bool:
    """Whether the text carries a credential. Linear time in any script."""
    return bool(_spans(text))


def mask_secrets(text: str) -> str:
    """The text with every credential replaced by `[masked]`; the rest byte for byte. Masking twice changes nothing."""
    while spans := _spans(text):
        pieces = []
        kept_from = 0
        for start, end in spans:
            pieces += [text[kept_from:start], MASK]
            kept_from = end
        text = "".join(pieces) + text[kept_from:]
    return text


_IN_LINES = re.compile(r"[^\S ]")
"""White space that parts lines or columns: a credential that is spread over them is one on the line that is sent."""


def _found(text: str) -> Iterator[tuple[int, int]]:
    yield from known_forms(text)
    yield from spoken_secrets(text)
    yield from card_numbers(text)


def _spans(text: str) -> list[tuple[int, int]]:
    """The half-open spans of all credentials, in order, those that touch made one."""
    view = folded(text)
    found = {span for reading in {view.text, _IN_LINES.sub(" ", view.text)} for span in _found(reading)}
    merged: list[tuple[int, int]] = []
    for start, end in sorted(view.span_of(*span) for span in found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
