"""BERT's word pieces (uncased): the tokens that MiniLM reads.

After `BasicTokenizer` and `WordpieceTokenizer` of google-research/bert (Apache-2.0); the vocabulary is the one of
`bert-base-uncased`, under the same licence.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

MOST_TOKENS = 256
"""MiniLM was made for 256 tokens at most, the two at the ends included; what follows is not read."""
_LONGEST_WORD = 100
_START, _END, _UNKNOWN = "[CLS]", "[SEP]", "[UNK]"
_ASCII_SIGNS = frozenset("$+<=>^`|~")
"""Signs that Unicode does not count as punctuation; those of other blocks stay within their word."""
_CHINESE = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002ceaf\U0002f800-\U0002fa1f]")
_IS_PLAIN = re.compile(r"[\t\n\r -~]*").fullmatch
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[^a-z0-9\s]")


class WordPieces:
    def __init__(self, vocabulary: Path) -> None:
        self._ids = {piece: number for number, piece in enumerate(vocabulary.read_text(encoding="utf-8").splitlines())}
        self._pieces = lru_cache(maxsize=50_000)(self._split)

    def read(self, text: str) -> tuple[list[int], float]:
        """The ids of the text's tokens between the two end marks, and how many pieces a word has on average.

        A language that the vocabulary was made for has about 1.2 pieces a word.
        """
        ids = [self._ids[_START]]
        words = of_words = 0
        for word in _words(text):
            pieces = self._pieces(word)
            if len(ids) + len(pieces) >= MOST_TOKENS:
                break
            ids += pieces
            if word.isalnum():
                words, of_words = words + 1, of_words + len(pieces)
        ids.append(self._ids[_END])
        return ids, of_words / max(1, words)

    def _split(self, word: str) -> tuple[int, ...]:
        """The longest piece that the word starts with, then the longest of the rest, and so on."""
        pieces: list[int] = []
        start = 0
        while start < len(word):
            end = len(word)
            while end > start and (("##" if start else "") + word[start:end]) not in self._ids:
                end -= 1
            if end == start or len(word) > _LONGEST_WORD:
                return (self._ids[_UNKNOWN],)
            pieces.append(self._ids[("##" if start else "") + word[start:end]])
            start = end
        return tuple(pieces)


def _words(text: str) -> Iterator[str]:
    """Lower case, without accents; every sign and every Chinese character is a word of its own."""
    return iter(_ASCII_WORDS.findall(text.lower())) if _IS_PLAIN(text) else _words_of_any_script(text)


def _words_of_any_script(text: str) -> Iterator[str]:
    word: list[str] = []
    for character in unicodedata.normalize("NFD", text.lower()):
        category = unicodedata.category(character)
        if category == "Mn" or (category[0] == "C" and character not in "\t\n\r") or character == "\ufffd":
            continue
        is_alone = category[0] == "P" or character in _ASCII_SIGNS or _CHINESE.match(character)
        if is_alone or character.isspace():
            if word:
                yield "".join(word)
                word = []
            if is_alone:
                yield character
        else:
            word.append(character)
    if word:
        yield "".join(word)
