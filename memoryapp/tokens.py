"""How many tokens a text takes in a prompt, counted offline with real vocabularies."""

import sys

import toktok

ENCODINGS = ("o200k_base", "cl100k_base")
"""Both OpenAI vocabularies in use. The newer one alone counts up to 47 % fewer tokens than the older for a Chinese
text, 60 % for an Arabic one, 43 % for emoji: whichever model reads the block, the larger count holds."""


def count_tokens(text: str) -> int:
    """Tokens of one text: the larger count of the two vocabularies. Special-token strings count as ordinary text."""
    # A lone surrogate cannot be encoded; a prompt would carry the replacement character in its place.
    sound = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    # Cut at no length: it counts where it is called, while a batch, even of one, starts threads (3 µs against 37).
    counts: list[int] = [toktok.truncate(sound, sys.maxsize, encoding)[1] for encoding in ENCODINGS]
    return max(counts)
