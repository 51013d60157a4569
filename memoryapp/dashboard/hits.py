"""What was searched for, marked where it occurs."""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from django.utils.safestring import SafeString

_MOST_WORDS = 20


def hits(text: str, query: str = "") -> SafeString:
    """The text with the searched words marked, whatever their case and accents. Remembered text stays text."""
    pattern = _pattern(query)
    if not pattern:
        return SafeString(escape(text))
    folded, places = _folded(text)
    pieces, at = [], 0
    for match in pattern.finditer(folded):
        start, end = places[match.start()], places[match.end() - 1] + 1
        if start < at:
            continue
        # Combining marks belong to the letter before them.
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        pieces += [escape(text[at:start]), "<mark>", escape(text[start:end]), "</mark>"]
        at = end
    return SafeString("".join([*pieces, escape(text[at:])]))


@lru_cache(maxsize=1)
def _pattern(query: str) -> re.Pattern[str] | None:
    """The same for all texts of a page."""
    words = {_folded(word)[0] for word in query.split()[:_MOST_WORDS]} - {""}
    return re.compile("|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))) if words else None


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """The text without case and accents, and for each of its letters the place that it came from."""
    if text.isascii():
        return text.lower(), range(len(text))
    letters, places = [], []
    for place, letter in enumerate(text):
        for plain in unicodedata.normalize("NFKD", letter.casefold()):
            if not unicodedata.combining(plain):
                letters.append(plain)
                places.append(place)
    return "".join(letters), places
