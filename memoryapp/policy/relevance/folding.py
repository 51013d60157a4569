"""Spelling variants fall together: width, case, accents, vowel points, foreign digits, invisible characters."""

import unicodedata
from functools import cache

# Letters with a stroke or ligature, which have no decomposition.
_STROKES = {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h", "ŧ": "t"}
# й is a letter of its own, not и with an accent.
_KEPT = "й"
# Nonspacing marks that readers leave out: Latin and Greek accents, Hebrew and Arabic vowel points.
_OPTIONAL_MARKS = ((0x0300, 0x036F), (0x0591, 0x05C7), (0x0610, 0x061A), (0x064B, 0x065F), (0x06D6, 0x06ED))
_OPTIONAL_SINGLE = frozenset("\u0640\u0670\ufe0e\ufe0f")  # tatweel, superscript alef, variation selectors
_SKIN_TONES = (0x1F3FB, 0x1F3FF)
_FOLDED_SCRIPTS = ("LATIN", "GREEK", "CYRILLIC", "ARABIC", "HEBREW")


def _is_optional(code: int) -> bool:
    return any(low <= code <= high for low, high in _OPTIONAL_MARKS) or chr(code) in _OPTIONAL_SINGLE


@cache
def _folded(code: int) -> str | None:
    """What a character becomes, None where it vanishes."""
    char = chr(code)
    category = unicodedata.category(char)
    if category == "Cc":
        return " "
    if category == "Cf" or _is_optional(code) or _SKIN_TONES[0] <= code <= _SKIN_TONES[1]:
        return None
    if category == "Nd":
        return str(unicodedata.digit(char))
    if char in _STROKES:
        return _STROKES[char]
    script = unicodedata.name(char, "").split(" ")[0]
    if char not in _KEPT and script in _FOLDED_SCRIPTS:
        return "".join(c for c in unicodedata.normalize("NFD", char) if not _is_optional(ord(c)))
    return char


class _Table(dict[int, str | None]):
    """A translation table that is filled as characters occur."""

    def __missing__(self, code: int) -> str | None:
        return _folded(code)


_TABLE = _Table()


def fold(text: str) -> str:
    """The text in NFKC, case folded, without accents (Latin, Greek, Cyrillic save й), vowel points, format characters.

    Marks that are vowels (Devanagari, Thai and the like) stay. Control characters become spaces.
    """
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", folded).translate(_TABLE)
