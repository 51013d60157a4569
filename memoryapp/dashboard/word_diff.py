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


@dataclass(frozen=True, slots=True)
class Piece:
    change: Literal["same", "out", "in"]
    text: str


def word_diff(before: str, after: str) -> tuple[Piece, ...]:
    """Pieces that give `before` without the `in` ones and `after` without the `out` ones."""
    old, new = _TOKENS.findall(before), _TOKENS.findall(after)
    pieces: list[Piece] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            pieces.append(Piece("same", "".join(old[i1:i2])))
            continue
        pieces += [Piece("out", "".join(old[i1:i2]))] if i2 > i1 else []
        pieces += [Piece("in", "".join(new[j1:j2]))] if j2 > j1 else []
    return tuple(pieces)
