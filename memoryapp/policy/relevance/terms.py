"""Terms: what a memory is found by, and what a request asks for."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from memoryapp.policy.relevance.folding import fold
from memoryapp.policy.relevance.parts import parts_of
from memoryapp.policy.relevance.stemming import stem
from memoryapp.policy.relevance.stop_words import is_german, stop_words_here
from memoryapp.policy.relevance.when import words_of_dates
from memoryapp.policy.relevance.words import Word, split_words

MAX_REQUEST_WORDS = 200
"""A request of 8,000 characters has about 1,300 words; its first and last hundred distinct ones say what it asks."""
MAX_NAME_WORDS = 6
_DIMENSIONS = 1_000_000_000
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")

_CAPITALS = re.compile(r"\b[A-Z]{2,5}\b")
_WORD = re.compile(r"[^\W\d_]\w+")
_IN_A_SENTENCE = re.compile(r"(?<=[\w,)] )[^\W\d_]\w+")


ANALYSIS = 2
"""The version of `analyse`. Where it makes something else of the same text, the next number has what is stored made
anew.
"""


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """What one memory is found by. `words` holds stems, spellings where they differ, for near-misses, and the stems of
    proper names once more with a capital.

    `names` are its full subject, its full aliases, and its text where that is no longer than a name or of one word.
    """

    words: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class RequestTerms:
    """What a request asks for: stems in order, each once, their spellings beside them, and every word as it stood.

    `capitals` are stop words written in capitals (`IT`, `WHO`): as a name they are not stop words. `parts` are the
    stems of each part that asks for something of its own, `dates` the stems of words that only say when, `capitalized`
    the spellings, folded, of words with a capital.
    """

    words: tuple[str, ...]
    spellings: tuple[str, ...]
    sequence: tuple[Word, ...]
    capitals: frozenset[str]
    parts: tuple[frozenset[str], ...] = ()
    dates: frozenset[str] = frozenset()
    capitalized: frozenset[str] = frozenset()


def analyse(text: str, subject: str, aliases: Iterable[str]) -> DocumentTerms:
    """The terms of a memory, for storing; stop words count only in a part that has nothing else."""
    words: set[str] = set()
    names: set[str] = set()
    parts = split_words(text)
    words |= _document_words(parts) | _proper_names(text, parts)
    if len(parts) <= MAX_NAME_WORDS:
        names |= _names(parts)
    topics = {word.stem for word in _content(parts)}
    if len(topics) == 1:
        names |= topics
    for name in (subject, _CAMEL.sub(" ", subject), *aliases):
        parts = split_words(name)
        words |= _document_words(parts)
        names |= _names(parts)
    return DocumentTerms(frozenset(words), frozenset(names))


def analyse_request(query: str) -> RequestTerms:
    """The terms of a request; stop words count only where there is nothing else."""
    parts = split_words(query)
    unique: dict[str, str] = {}
    for word in _content(parts):
        unique.setdefault(word.stem, word.spelling)
    stems = list(unique)
    if len(stems) > MAX_REQUEST_WORDS:
        half = MAX_REQUEST_WORDS // 2
        stems = stems[:half] + stems[-half:]
    capitals = frozenset() if query.isupper() else frozenset(c.lower() for c in _CAPITALS.findall(query))
    own = tuple(frozenset(word.stem for word in _content(split_words(part))) for part in parts_of(query))
    spellings = tuple(unique[s] for s in stems)
    capitalized = frozenset(fold(word) for word in set(_WORD.findall(query)) if word[0].isupper())
    return RequestTerms(tuple(stems), spellings, tuple(parts), capitals, own, words_of_dates(parts), capitalized)


def proper(stem: str) -> str:
    """How the terms of a memory have a word that it writes as a proper name: no other word has a capital."""
    return stem[:1].upper() + stem[1:]


def term_index(word: str) -> int:
    """The place of a word in the sparse vector, 1 to 1,000,000,000; stable across processes and versions."""
    return _index(b"w", word)


def name_index(name: str) -> int:
    """As `term_index`, for a name; a name and a word of the same letters have different places."""
    return _index(b"n", name)


def _index(kind: bytes, term: str) -> int:
    digest = blake2b(term.encode("utf-8", "surrogatepass"), digest_size=8, person=kind).digest()
    return int.from_bytes(digest) % _DIMENSIONS + 1


def _content(parts: Sequence[Word]) -> Sequence[Word]:
    here = stop_words_here([word.spelling for word in parts])
    return [word for word in parts if not word.is_stop and word.spelling not in here] or parts


def _document_words(parts: Sequence[Word]) -> set[str]:
    content = _content(parts)
    words = {word.stem for word in content}
    words |= {w.spelling for w in content if len(w.spelling) > 4 and w.spelling.isalpha()}
    words |= {character for w in content if w.gram for character in w.stem}
    return words | set(_compounds(parts))


def _proper_names(text: str, parts: Sequence[Word]) -> set[str]:
    """The words with a capital inside a sentence, save those that say when. None where capitals tell nothing: in a text
    all in capitals, and in German, where every noun has one. `parts` are the words of the text.
    """
    if text.isupper() or is_german([word.spelling for word in parts]):
        return set()
    capital = {spelling for spelling in _IN_A_SENTENCE.findall(text) if spelling[0].isupper()}
    words = [word for spelling in capital for word in split_words(spelling) if not (word.is_stop or word.gram)]
    dates = words_of_dates(words)
    return {proper(word.stem) for word in words if word.stem not in dates}


def _compounds(parts: Sequence[Word]) -> Iterable[str]:
    """`rate-limiter` is also found as `ratelimiter`: compounds of two or three parts."""
    group: list[str] = []
    for word in [*parts, None]:
        if word is not None and word.glued:
            group.append(word.spelling)
            continue
        if 2 <= len(group) <= 3:
            yield stem("".join(group))
        group = [word.spelling] if word else []


def _names(parts: Sequence[Word]) -> set[str]:
    """The name as written, without stop words at its ends, and run together (`response_length`, `responseLength`)."""
    stems = [word.stem for word in parts]
    names = {" ".join(stems)}
    first, last = 0, len(parts)
    while first < last and parts[first].is_stop:
        first += 1
    while last > first and parts[last - 1].is_stop:
        last -= 1
    if first < last:
        names.add(" ".join(stems[first:last]))
    if 2 <= len(parts) <= 3 and not any(word.gram for word in parts):
        names.add(stem("".join(word.spelling for word in parts)))
    return names
