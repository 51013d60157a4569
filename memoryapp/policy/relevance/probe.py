"""A request made ready to be matched: exact words, near-misses that stand in for unknown ones, names.

The steps are the same over a store and over texts: `analyse_request`, then which of its words the scopes know, then
`wanted` for the others, then `resolve`. A store matches the probe's `terms`, texts match through `match_terms`.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from memoryapp.policy.relevance.near import MAX_NEAR, length_range, near_with_edits
from memoryapp.policy.relevance.stemming import stem
from memoryapp.policy.relevance.terms import MAX_NAME_WORDS, DocumentTerms, RequestTerms, name_index, proper, term_index
from memoryapp.policy.relevance.words import Word, lone_names

MAX_NAMES = 1_000
"""So many names are looked for, in the first and last words of a request, so many together."""
MAX_NAME_PAIRS = 12
"""A name of character pairs may run over twelve of them: thirteen characters of Chinese."""
BRIEF = 2
"""In a request of so many words at most, unknown dates left out, a proper name may stand for the memory that has it."""
SURE_LETTERS = 6
"""One slip in a word of so many letters may complete a name; in five it is too often another (`mango`, `mongo`)."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The vocabulary that may hold near-misses of a request word: same first letter, length in the range."""

    word: str
    first: str
    shortest: int
    longest: int


class Match(NamedTuple):
    """How one memory meets the request. Bit i of `exact` and `near` is word i of the probe; `names` counts names.

    `proper` are those of `exact` that the memory writes as proper names, where few words are asked; `sure` those of
    `near` that the memory has but for one slip in a long word.
    """

    exact: int = 0
    near: int = 0
    names: int = 0
    proper: int = 0
    sure: int = 0


@dataclass(frozen=True, slots=True)
class Probe:
    """A resolved request. `near` holds (word number, vocabulary word) pairs, `names` the runs that may be a name.

    `parts` are the parts of the request, as masks of its words; `dates` is the mask of those that say when and that the
    scopes do not know. `sure` is the mask of the pairs of `near` behind which a slip is nearly certain. `proper` are
    the numbers of the words that may be a proper name: known ones with a capital, where few are asked.
    """

    words: tuple[str, ...]
    near: tuple[tuple[int, str], ...] = ()
    names: tuple[str, ...] = ()
    parts: tuple[int, ...] = ()
    dates: int = 0
    sure: int = 0
    proper: tuple[int, ...] = ()

    @property
    def asked(self) -> tuple[int, ...]:
        """What may be covered: the whole, or any part."""
        return ((1 << len(self.words)) - 1, *self.parts)

    def topic(self, part: int) -> int:
        """The words of a part that say what is asked about: all but unknown dates."""
        return part & ~self.dates

    def is_brief(self, part: int) -> bool:
        """Whether so few words are asked that one of them may stand for the memory that it names."""
        return self.topic(part).bit_count() <= BRIEF

    def is_met_by(self, match: Match) -> bool:
        """Whether a memory has every word that the whole or a part is about."""
        return any(topic and not topic & ~match.exact for topic in map(self.topic, self.asked))

    @property
    def length(self) -> int:
        """Words of the longest part, of the whole where there are none, that say what is asked about."""
        return max(self.topic(part).bit_count() for part in self.parts or self.asked)

    @property
    def terms(self) -> list[int]:
        """The places of the exact words, then of the near ones, then of the proper names: bit i of a mask says whether
        a memory has the i-th.
        """
        names = (proper(self.words[number]) for number in self.proper)
        return [term_index(word) for word in (*self.words, *(word for _, word in self.near), *names)]

    @property
    def name_terms(self) -> list[int]:
        """The places of the runs that may be a name."""
        return [name_index(name) for name in self.names]

    def match(self, mask: int, names: int) -> Match:
        """The match of a memory that has these of the `terms`, and so many of the names."""
        size = len(self.words)
        exact = mask & ((1 << size) - 1)
        near, sure = self.near_words(mask >> size)
        written = mask >> (size + len(self.near))
        named = sum(1 << word for bit, word in enumerate(self.proper) if written >> bit & 1)
        return Match(exact, near & ~exact, names, named & exact, sure & ~exact)

    def near_words(self, met: int) -> tuple[int, int]:
        """The words that these of the `near` pairs stand in for, and those of them that they surely do."""
        near = sure = 0
        for bit, (word, _) in enumerate(self.near):
            if met >> bit & 1:
                near |= 1 << word
                sure |= (self.sure >> bit & 1) << word
        return near, sure


def wanted(request: RequestTerms) -> list[Wanted]:
    """What to look up for request words that are long enough for a near-miss, should the scopes not know them."""
    return [
        Wanted(word, spelling[0], *reach)
        for word, spelling in zip(request.words, request.spellings, strict=True)
        if (reach := length_range(spelling))
    ]


def resolve(request: RequestTerms, known: Collection[str], vocabulary: Iterable[str]) -> Probe:
    """The probe for scopes that know the request words `known` and, near the others, hold the words `vocabulary`."""
    by_first: dict[str, list[str]] = {}
    for candidate in vocabulary:
        by_first.setdefault(candidate[:1], []).append(candidate)
    near: list[tuple[int, str]] = []
    sure: dict[str, list[str]] = {}
    for number, (word, spelling) in enumerate(zip(request.words, request.spellings, strict=True)):
        if word in known:
            continue
        found = near_with_edits(spelling, by_first.get(spelling[:1], ()))[:MAX_NEAR]
        near.extend((number, candidate) for _, candidate in found)
        sure[word] = [c for edits, c in found if edits == 1 and max(len(c), len(spelling)) >= SURE_LETTERS]
    parts = [sum(1 << bit for bit, word in enumerate(request.words) if word in part) for part in request.parts]
    names = tuple(_names(request, known, sure))
    dates = sum(1 << bit for bit, word in enumerate(request.words) if word in request.dates and word not in known)
    slips = sum(1 << bit for bit, (word, other) in enumerate(near) if other in sure[request.words[word]])
    probe = Probe(request.words, tuple(near), names, tuple(mask for mask in parts if mask), dates, slips)
    return replace(probe, proper=_may_be_proper(probe, known, request))


def _may_be_proper(probe: Probe, known: Collection[str], request: RequestTerms) -> tuple[int, ...]:
    """The numbers of the known words of brief parts that the request writes with a capital, as names are."""
    brief = [part for part in probe.asked if probe.is_brief(part)]
    return tuple(
        bit
        for bit, (word, spelling) in enumerate(zip(probe.words, request.spellings, strict=True))
        if word in known and spelling in request.capitalized and any(part >> bit & 1 for part in brief)
    )


def match_terms(probe: Probe, terms: DocumentTerms) -> Match:
    """The match of one memory's terms: the same that `Probe.match` reads off what a store found."""
    exact = sum(1 << bit for bit, word in enumerate(probe.words) if word in terms.words)
    near, sure = probe.near_words(sum(1 << bit for bit, (_, word) in enumerate(probe.near) if word in terms.words))
    named = sum(1 << bit for bit in probe.proper if proper(probe.words[bit]) in terms.words)
    names = sum(name in terms.names for name in probe.names)
    return Match(exact, near & ~exact, names, named & exact, sure & ~exact)


def _names(request: RequestTerms, known: Collection[str], sure: Mapping[str, Sequence[str]]) -> list[str]:
    """Runs of words that may be a name: none but stop words and known words in them, unknown ones replaced if sure."""
    sequence = request.sequence
    if len(sequence) > MAX_NAMES:
        sequence = sequence[: MAX_NAMES // 2] + sequence[-MAX_NAMES // 2 :]
    forms = [_forms(word, known, sure) for word in sequence]
    # A stop word is a name on its own only in capitals, or as the whole request.
    named = request.capitals.union(request.words if len(request.words) == 1 else ())
    alone = [not word.is_stop or word.spelling in named or word.stem in named for word in sequence]
    names: dict[str, None] = {}
    for start, word in enumerate(sequence):
        names.update(dict.fromkeys(lone_names(word)))
        runs = [""]
        for end in range(start, min(len(sequence), start + MAX_NAME_PAIRS)):
            if not forms[end] or (end - start >= MAX_NAME_WORDS and not sequence[end].gram):
                break
            runs = [f"{run} {form}".lstrip() for run in runs for form in forms[end]][:MAX_NEAR]
            if end > start or alone[end]:
                names.update(dict.fromkeys(runs))
        if len(names) >= MAX_NAMES:
            break
    return list(names)[:MAX_NAMES]


def _forms(word: Word, known: Collection[str], sure: Mapping[str, Sequence[str]]) -> list[str]:
    if word.is_stop or word.stem in known:
        return [word.stem]
    return list(dict.fromkeys(form for other in sure.get(word.stem, ()) for form in (other, stem(other))))
