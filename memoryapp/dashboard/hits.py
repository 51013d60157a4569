"""What was searched for, marked where it occurs."""

import re
import unicodedata
from collections.abc import Sequence

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

_MOST_WORDS = 20


def hits(text: str, query: str = "") -> SafeString:
    """The text with the searched words marked, whatever their case and accents. Remembered text stays text."""
    words = {_folded(word)[0] for word in query.split()[:_MOST_WORDS]} - {""}
    if not words:
        return conditional_escape(text)
    folded, places = _folded(text)
    pattern = "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))
    pieces, at = [], 0
    for match in re.finditer(pattern, folded):
        start, end = places[match.start()], places[match.end() - 1] + 1
        if start < at:
            continue
        # Combining marks belong to the letter before them.
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        pieces += [conditional_escape(text[at:start]), format_html("<mark>{}</mark>", text[start:end])]
        at = end
    return format_html_join("", "{}", ((piece,) for piece in [*pieces, conditional_escape(text[at:])]))


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
