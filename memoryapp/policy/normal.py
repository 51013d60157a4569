"""Normal forms: when two texts are the same value, and two subjects the same slot."""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_MARKS_IN_A_ROW = 30
_ASCII_ENDS = " " + "".join(sign for sign in map(chr, range(33, 127)) if unicodedata.category(sign).startswith("P"))
_GRAPHEME_JOINER = "\N{COMBINING GRAPHEME JOINER}"
_MARKS_FOLDED_TOGETHER = 8


def normal_form(text: str) -> str:
    """What texts are compared by, in every script: equal normal forms mean the same value, or the same slot.

    Compatibility forms, case, invisible characters, the amount of white space and trailing punctuation do not count;
    look-alikes of other scripts do. A text that is nothing but punctuation keeps it, so that `!!!` and `???` differ.
    Applying it twice changes nothing. Empty only for a text without any visible character.
    """
    while True:
        form = _one_pass(text)
        if form == text:
            return form
        text = form


def _one_pass(text: str) -> str:
    if text.isascii() and text.isprintable():
        trimmed = " ".join(text.lower().split())
        return trimmed.rstrip(_ASCII_ENDS) or trimmed
    composed = unicodedata.normalize("NFKC", _stream_safe(text))
    # Line breaks and tabs are control characters too: they part words, so they become spaces before the others go.
    visible = "".join(" " if letter.isspace() else letter for letter in composed if not _is_invisible(letter))
    trimmed = " ".join(visible.casefold().split())
    end = len(trimmed)
    while end and (trimmed[end - 1] == " " or unicodedata.category(trimmed[end - 1]).startswith("P")):
        end -= 1
    return trimmed[:end] or trimmed


def _stream_safe(text: str) -> str:
    """The text with runs of combining marks parted (UAX #15, section 13): ordering them takes quadratic time."""
    if text.isascii():
        return text
    letters: list[str] = []
    run = 0
    for letter in text:
        run = run + 1 if unicodedata.combining(letter) else 0
        if run > _MARKS_IN_A_ROW:
            letters.append(_GRAPHEME_JOINER)
            run = 1
        letters.append(letter)
    return "".join(letters)


def _is_invisible(letter: str) -> bool:
    return unicodedata.category(letter) in ("Cc", "Cf") and not letter.isspace()


@dataclass(frozen=True, slots=True)
class Folded:
    """A text as a pattern for ASCII reads it, with the way back to the original.

    Compatibility forms, digits of every script and dashes are their plain ASCII selves, invisible characters are gone;
    case and line breaks stay. `origins[i]` is where character i of `text` stems from in the original of `length`
    characters; None when both are the same.
    """

    text: str
    origins: list[int] | None
    length: int

    def span_of(self, start: int, end: int) -> tuple[int, int]:
        """The half-open span of the original that a non-empty half-open span of `text` came from."""
        if self.origins is None:
            return start, end
        first, last = self.origins[start], self.origins[end - 1]
        # Several folded characters can stem from one original character: the whole of it belongs to the span.
        while end < len(self.origins) and self.origins[end] == last:
            end += 1
        return first, self.origins[end] if end < len(self.origins) else self.length


def folded(text: str) -> Folded:
    """The folded view of a text, in linear time."""
    if text.isascii():
        return Folded(text, None, len(text))
    letters: list[str] = []
    origins: list[int] = []
    start = 0
    while start < len(text):
        end = start + 1
        while end < len(text) and end - start <= _MARKS_FOLDED_TOGETHER and unicodedata.combining(text[end]):
            end += 1
        plain = _plain(text[start:end])
        letters.append(plain)
        origins.extend([start] * len(plain))
        start = end
    return Folded("".join(letters), origins, len(text))


@lru_cache(4096)
def _plain(cluster: str) -> str:
    return "".join(_plain_letter(letter) for letter in unicodedata.normalize("NFKC", cluster))


def _plain_letter(letter: str) -> str:
    if letter.isascii():
        return letter
    if letter.isdecimal():
        return str(unicodedata.decimal(letter))
    if letter.isspace():
        return "\n" if letter in "\x85\u2028\u2029" else " "
    category = unicodedata.category(letter)
    if category in ("Cc", "Cf"):
        return ""
    return "-" if category == "Pd" or letter == "\N{MINUS SIGN}" else letter
