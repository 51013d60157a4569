"""Believable memories and requests: few words are common and many rare, as in any language (Zipf's law)."""

import random
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from memoryapp.embedding import word_pieces
from memoryapp.policy.normal import normal_form
from memoryapp.policy.relevance.terms import analyse, name_index, term_index

PREFERENCES = 997
OTHERS = 20_011
MOST_PREFERENCES = 12
"""In one scope; a tenth of a small one."""

_SHIFT = 10
"""Added to a word's rank, as Mandelbrot does: the commonest word then stands in about one memory of eight."""

_RARE = 5_000
_NAME_EVERY = 20
"""Of the rare words one in twenty is a made-up name; the others are English. A model of meaning reads a word in 1.04
pieces then, as it does the 786 questions to long conversations of the development set, and not in 1.3.
"""
_COMMON = """
project server database release deploy customer invoice meeting team budget report backup staging contract office
schedule review ticket branch migration account payment model query index cluster region domain certificate vendor
license training travel hotel train flight garden kitchen school doctor birthday coffee tea breakfast dinner weekend
morning evening summer winter phone laptop screen keyboard printer camera bicycle car insurance bank tax pension rent
language English German French Spanish Dutch Japanese metric imperial currency format template header footer colour
font logo draft chapter article newsletter podcast video lecture workshop exam thesis grant proposal deadline
milestone sprint backlog feature bug crash timeout latency cache queue worker cron container image registry network
firewall proxy gateway token session password policy audit role permission group owner manager director assistant
engineer designer analyst lawyer accountant nurse teacher neighbour sister brother mother father daughter son dog cat
weekly monthly quarterly yearly daily nightly stable slow fast
small large internal external shared private public legacy temporary default primary secondary final early late
"""
_VERBS = """
uses runs moved chose keeps prefers replaced shipped agreed planned paused renamed merged signed booked ordered
cancelled approved rejected measured limited doubled needs wants plays reads drives speaks teaches writes sells
"""
_LINKS = ("the", "for", "with", "and", "on", "to", "of", "in", "from", "by", "at", "after", "is", "its")
_ONSETS = "b br c d dr f g gl h j k l m n p pr r s st t v z"
_CORES = ("a", "e", "i", "o", "u", "ai", "ea", "io", "or", "an", "el", "in")
_ENDS = ("", "n", "r", "s", "t", "x", "la", "ma", "ric", "dor", "vik", "ton", "mer")
_ASKED = (
    "What did we decide about {}?",
    "Which {} should I use?",
    "Remind me how {} works with us, please",
    "I am writing to a colleague about {}; what do they need to know?",
)


@dataclass(frozen=True, slots=True)
class Statement:
    kind: str
    subject: str
    text: str
    spoken: tuple[str, ...]
    """The words of the subject and of the text that carry meaning, as they stand there."""
    terms: str
    """What the store finds it by, as a sparse vector in pgvector's text form."""
    words: list[str]
    """What the scope's vocabulary counts of it."""


class Speech:
    """The same statements for the same seed."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        rare = self._random.sample(_rare_words(), _RARE)
        rare[::_NAME_EVERY] = [self._name() for _ in rare[::_NAME_EVERY]]
        self._vocabulary = list(dict.fromkeys([*_COMMON.split(), *rare]))
        self._weights = list(accumulate(1 / (rank + _SHIFT) for rank in range(len(self._vocabulary))))
        self._subjects: set[str] = set()
        kinds = ("fact", "fact", "fact", "decision", "decision", "identifier")
        self.statements = [
            *(self._statement("preference") for _ in range(PREFERENCES)),
            *(self._statement(self._random.choice(kinds)) for _ in range(OTHERS)),
        ]

    def question(self, statement: Statement, number: int, chance: random.Random) -> str:
        """Words of the statement; of three questions one has a slip in a word, one a word from elsewhere."""
        words = chance.sample(statement.spoken, k=min(len(statement.spoken), chance.randint(2, 4)))
        if number % 3 == 1:
            words[0] = _with_slip(max(words, key=len))
        elif number % 3 == 2:
            words.append(chance.choice(self._vocabulary))
        return _ASKED[number % len(_ASKED)].format(" and ".join(words))

    def _statement(self, kind: str) -> Statement:
        subject = self._words(2)
        while normal_form(" ".join(subject)) in self._subjects:
            subject = self._words(2)
        self._subjects.add(normal_form(" ".join(subject)))
        length = self._random.randint(6, 14)
        verb = self._random.choice(_VERBS.split())
        text = [*subject, verb]
        words = [*text]
        while len(text) < length:
            if self._random.random() < 0.4 and text[-1] not in _LINKS and len(text) < length - 1:
                text.append(self._random.choice(_LINKS))
            else:
                words += self._words(1)
                text.append(words[-1])
        sentence = " ".join(text)
        sentence = f"{sentence[0].upper()}{sentence[1:]}."
        return Statement(
            kind, " ".join(subject), sentence, tuple(dict.fromkeys(words)), *_search_terms(sentence, " ".join(subject))
        )

    def _words(self, count: int) -> list[str]:
        return self._random.choices(self._vocabulary, cum_weights=self._weights, k=count)

    def _name(self) -> str:
        onsets = self._random.choices(_ONSETS.split(), k=self._random.choice((1, 2, 2)))
        syllables = (onset + self._random.choice(_CORES) for onset in onsets)
        return "".join(syllables) + self._random.choice(_ENDS)


def _rare_words() -> list[str]:
    """The whole English words that the built-in model knows."""
    known = Path(word_pieces.__file__).with_name("vocabulary.txt").read_text(encoding="utf-8").split()
    return [word for word in known if len(word) > 3 and word.isascii() and word.isalpha()]


def statements_of(person: int, size: int) -> list[int]:
    """The numbers of the statements that a person's scope of this size holds, each once; preferences come first."""
    preferences = min(MOST_PREFERENCES, size // 10)
    return [
        *((person * 31 + i) % PREFERENCES for i in range(preferences)),
        *(PREFERENCES + (person * 7_919 + i * 13) % OTHERS for i in range(size - preferences)),
    ]


def _search_terms(text: str, subject: str) -> tuple[str, list[str]]:
    terms = analyse(text, subject, ())
    indices = sorted({*map(term_index, terms.words), *map(name_index, terms.names)})
    return "{" + ",".join(f"{index}:1" for index in indices) + "}/1000000000", sorted(terms.words)


def _with_slip(word: str) -> str:
    """Two neighbouring letters in the middle change places."""
    middle = len(word) // 2
    return word[: middle - 1] + word[middle] + word[middle - 1] + word[middle + 1 :] if len(word) > 4 else word
