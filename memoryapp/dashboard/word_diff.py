"""What changed from one text to the next, word by word."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

# Scripts that write no spaces between words are compared letter by letter.
_TOKENS = re.compile(
    r"\s+|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]"
    r"|[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+|."
)


Change = Literal["same", "out", "in"]


@dataclass(frozen=True, slots=True)
class Piece:
    change: Change
    text: str


def word_diff(before: str, after: str) -> tuple[Piece, ...]:
    """Pieces that give `before` without the `in` ones and `after` without the `out` ones.

    Words that changed one after the other are one change, with the spaces between them.
    """
    old, new = _TOKENS.findall(before), _TOKENS.findall(after)
    runs: list[tuple[str, str, bool]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        runs.append(("".join(old[i1:i2]), "".join(new[j1:j2]), tag == "equal"))
    pieces: list[Piece] = []
    out = into = ""
    for number, (was, now, is_equal) in enumerate(runs):
        is_between = is_equal and was.isspace() and 0 < number < len(runs) - 1
        if is_equal and not is_between:
            pieces += [*_change(out, into), Piece("same", was)]
            out = into = ""
        else:
            out, into = out + was, into + now
    return (*pieces, *_change(out, into))


def _change(out: str, into: str) -> list[Piece]:
    changes: tuple[tuple[Change, str], ...] = (("out", out), ("in", into))
    return [Piece(change, text) for change, text in changes if text]
