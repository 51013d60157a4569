"""From a text to its words, in order and in every script.

Scripts that write spaces give words. Han, kana, Thai, Lao, Khmer, Burmese and Tibetan give overlapping pairs of
characters (a lone one stands alone), Korean gives pairs of syllables of the word without its particle, every emoji is
a word. The same path serves requests and memories.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from memoryapp.policy.relevance.folding import fold
from memoryapp.policy.relevance.stemming import stem, strip_particle
from memoryapp.policy.relevance.stop_words import ELIDED, HAN_BREAKS, STOP_WORDS, THAI_BREAKS

MAX_WORD = 64
"""Longer words (keys, base64) are shortened to a head and a digest, so that any text fits an index."""


def _marks() -> str:
    """A regex class body of combining marks, which `\\w` leaves out; all lie below U+1E950."""
    codes = [c for c in range(0x0300, 0x1E950) if unicodedata.category(chr(c)) in ("Mn", "Mc")]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


_MARKS = _marks()
_HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_HAN_CHARACTER = re.compile(f"[{_HAN}]")
_HIRAGANA = "\u3041-\u309f"
_KATAKANA = "\u30a0-\u30ff\u31f0-\u31ff"
_HANGUL = "\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3"
_UNSPACED = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\ua9e0-\ua9ff\uaa60-\uaa7f"  # Thai to Khmer
_EMOJI = "[\U0001f1e6-\U0001f1ff]{2}|[\u2190-\u21ff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
_WORD = re.compile(
    rf"(?P<word>(?:[^\W_]|[{_MARKS}])+(?:\+\+|#(?!\w))?)(?:(?P<tail>['’ʼ](?:s|t|d|m|ll|re|ve))(?!\w))?|(?P<emoji>{_EMOJI})"
)
# The same where no character is beyond ASCII: one class instead of a choice per letter, a quarter of the time.
_ASCII_WORD = re.compile(r"(?P<word>[a-z0-9]+(?:\+\+|#(?!\w))?)(?:(?P<tail>'(?:s|t|d|m|ll|re|ve))(?!\w))?")
# Most texts have nothing that joins words: what takes a third of the time for them gives the same.
_ASCII_RUN, _ASCII_JOINED = re.compile("[a-z0-9]+"), re.compile(r"[a-z0-9](?:[-._/'][a-z0-9]|[+#])")
_RUNS = re.compile(
    f"(?P<han>[{_HAN}]+)|(?P<hiragana>[{_HIRAGANA}]+)|(?P<katakana>[{_KATAKANA}]+)|(?P<hangul>[{_HANGUL}]+)"
    f"|(?P<unspaced>[{_UNSPACED}]+)|(?P<other>[^{_HAN}{_HIRAGANA}{_KATAKANA}{_HANGUL}{_UNSPACED}]+)"
)
_HAN_BREAK = re.compile("|".join(sorted(HAN_BREAKS, key=len, reverse=True)))
_THAI_BREAK = re.compile("|".join(sorted(THAI_BREAKS, key=len, reverse=True)))
_CLUSTER = re.compile(f"[^{_MARKS}][{_MARKS}]*|[{_MARKS}]+")
_KANA_ENDING = re.compile(
    "(?:について|ください|でしょう|ました|ません|ている|ています|ていま|として|という|ですか|ますか|です|ます|でし|まし|から|まで|"
    "より|こと|もの|する|した|して|いる|ある|ない|では|には|とは|って|どの|どれ|どこ|どう|いつ|だれ|なに|なん|この|その|これ|それ|"
    "か|は|が|を|に|で|と|の|も|へ|や|よ|ね|な|だ|た|て|い|る|く|し|っ)$"
)
_LONGEST_KANA_ENDING = 4
_APOSTROPHES = frozenset("'’ʼ")
_GLUE = frozenset("-._‐‑/")


class Word(NamedTuple):
    """One word of a text: its stem, how it was spelled, and how it stands to the word before it.

    `glued`: joined to the former word by a hyphen, dot, slash or underscore. `gram`: a character pair, not a word.
    """

    stem: str
    spelling: str
    glued: bool = False
    gram: bool = False

    @property
    def is_stop(self) -> bool:
        return self.spelling in STOP_WORDS


def split_words(text: str) -> list[Word]:
    """The words of a text in order, stop words included. A text of nothing but signs gives those signs."""
    folded = fold(text)
    if folded.isascii() and not _ASCII_JOINED.search(folded):
        return [_plain(spelling, False) for spelling in _ASCII_RUN.findall(folded)] or _signs(folded)
    words: list[Word] = []
    end = -1
    for match in (_ASCII_WORD if folded.isascii() else _WORD).finditer(folded):
        glued = match.start() - end == 1 and end > 0 and folded[end] in _GLUE
        spelling = match["word"]
        end = match.end()
        if spelling is None:
            words.append(Word(match["emoji"], match["emoji"]))
        elif spelling in ELIDED and folded[end : end + 1] in _APOSTROPHES and folded[end + 1 : end + 2].isalpha():
            words.append(_plain(f"{spelling}'", glued))
        elif spelling.isascii():
            words.append(_plain(spelling + ("t" if match["tail"] and match["tail"][1:] == "t" else ""), glued))
        else:
            words.extend(_by_script(spelling, glued))
    words = _joined_initials(words)
    return words or _signs(folded)


def _signs(folded: str) -> list[Word]:
    return [_plain(sign, False) for sign in folded.split()]


def lone_names(word: Word) -> list[str]:
    """The characters of a Han pair: no space tells where a word of one begins, each may be a name (`猫` in `猫叫`)."""
    return _HAN_CHARACTER.findall(word.stem) if word.gram else []


def _plain(spelling: str, glued: bool) -> Word:
    if len(spelling) > MAX_WORD:
        spelling = (
            spelling[: MAX_WORD // 2] + blake2b(spelling.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
        )
    return _stemmed(spelling, glued)


# Only what was cut short is kept, so that no text of one endless word stays in memory.
@lru_cache(maxsize=65_536)
def _stemmed(spelling: str, glued: bool) -> Word:
    return Word(stem(spelling), spelling, glued)


def _joined_initials(words: list[Word]) -> list[Word]:
    """`e-mail`, `t-shirt`, `u.s.` are one word: a single letter is never a word of its own beside a hyphen or dot."""
    out: list[Word] = []
    for word in words:
        before = out[-1] if out else None
        if word.glued and before and any(len(w.spelling) == 1 and w.spelling.isalpha() for w in (before, word)):
            out[-1] = _plain(before.spelling + word.spelling, before.glued)
        else:
            out.append(word)
    return out


def _by_script(run: str, glued: bool) -> Iterator[Word]:
    for match in _RUNS.finditer(run):
        text = match.group()
        match match.lastgroup:
            case "han":
                for part in _HAN_BREAK.split(text):
                    yield from _pairs(list(part))
            case "hiragana":
                content = _without_kana_endings(text)
                if len(content) > 1:
                    yield from _pairs(list(content))
            case "unspaced":
                for part in _THAI_BREAK.split(text):
                    yield from _pairs(_CLUSTER.findall(part))
            case "katakana":
                yield from _pairs(list(text))
            case "hangul":
                if text in STOP_WORDS:
                    yield Word(text, text)
                else:
                    yield from _pairs(list(strip_particle(text)))
            case _:
                yield _plain(text, glued)
                glued = False


def _without_kana_endings(run: str) -> str:
    """Hiragana carries Japanese grammar: what is left when particles and verb endings are taken off, maybe nothing."""
    end = len(run)
    while end and (ending := _KANA_ENDING.search(run, max(0, end - _LONGEST_KANA_ENDING), end)):
        end = ending.start()
    return run[:end]


def _pairs(characters: list[str]) -> Iterator[Word]:
    if len(characters) == 1:
        yield Word(characters[0], characters[0], gram=True)
    for first, second in pairwise(characters):
        yield Word(first + second, first + second, gram=True)
