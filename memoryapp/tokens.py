"""How many tokens a text takes in a prompt, counted offline with real vocabularies."""

from collections.abc import Sequence

import toktok

ENCODINGS = ("o200k_base", "cl100k_base")
"""Both OpenAI vocabularies in use. The newer one alone counts up to 47 % fewer tokens than the older for a Chinese
text, 60 % for an Arabic one, 43 % for emoji: whichever model reads the block, the larger count holds."""


def count_tokens(text: str) -> int:
    """Tokens of one text: the larger count of the two vocabularies. Special-token strings count as ordinary text."""
    return count_many([text])[0]


def count_many(texts: Sequence[str]) -> list[int]:
    """As `count_tokens`, one figure per text in order."""
    # A lone surrogate cannot be encoded; a prompt would carry the replacement character in its place.
    sound = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
    counts = [toktok.batch_count(sound, encoding, threads=1) for encoding in ENCODINGS]
    return [max(pair) for pair in zip(*counts, strict=True)]
