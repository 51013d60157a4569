"""The reference scorer: the share of the request's terms that the memory's text has. The simplest scorer there is."""

import re
from collections.abc import Sequence

from memoryapp.policy.relevance.scorer import Document
from memoryapp.policy.types import Score

STOP_WORDS = frozenset(
    {
        "a", "an", "and", "as", "can", "do", "does", "for", "how", "i", "in", "is", "it", "its", "me", "my", "not",
        "of", "on", "or", "our", "should", "that", "the", "this", "to", "we", "what", "which", "with", "you",
    }
)  # fmt: skip
_WORD = re.compile("[a-z0-9]+")


def terms(text: str) -> frozenset[str]:
    """Lower-case ASCII words, a final s dropped from words over three letters, then stop words left out.

    In that order, as in the reference: `does` becomes `doe` and stays.
    """
    words = (word[:-1] if len(word) > 3 and word.endswith("s") else word for word in _WORD.findall(text.lower()))
    return frozenset(words) - STOP_WORDS


class TermsOverlap:
    """Knows neither subjects, aliases, rarity, slips nor other scripts. A request without terms scores 0."""

    name = "terms_overlap-1"

    def score(self, query: str, documents: Sequence[Document], besides: Sequence[Document] = ()) -> list[Score]:
        asked = terms(query)
        return [Score(len(asked & terms(d.text)) / len(asked) if asked else 0.0) for d in documents]
