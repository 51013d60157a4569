"""One store with its service, the calls that are made to it, and what came of them."""

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, cycle, islice
from typing import Any, NamedTuple

import psycopg

from tests.bench.clients import Call, Client, Service, context, proposal
from tests.bench.statements import Speech
from tests.bench.store import HUGE, LARGE, SCOPE, SMALL, Person

_ASKED = {SMALL: 16, LARGE: 5, HUGE: 1}
"""Persons who are asked about: as many as the smallest store has, so that every store answers the same questions."""
_WARM_UP = {SMALL: 240, LARGE: 240, HUGE: 80}
"""Questions, so that each connection has planned each statement for good."""
_WRITERS = 32
_MINUTES = "Keeps the minutes of the release meeting with the vendor"


class Case(NamedTuple):
    what: str
    clients: int
    scope: int = 0
    """Memories in the scope; 0 where that does not matter."""


@dataclass(slots=True)
class Figures:
    """Latencies in seconds, and the calls per second of each slice of time."""

    latencies: list[float] = field(default_factory=list)
    rates: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Subject:
    memories: int
    service: Service
    by_words: Service
    """The same store, where words alone decide."""
    database: psycopg.Connection[Any]
    questions: dict[int, Iterator[Call]]
    """By size of scope; none comes twice, so that no vector is known."""
    unseen: Iterator[Call]
    """To large scopes that nobody asked about before, each once; none in the smallest store."""
    starts: list[Call]
    """Of sessions, in large scopes."""
    proposals: list[Call]
    """One for each of some persons who are not asked about."""
    figures: dict[Case, Figures] = field(default_factory=lambda: defaultdict(Figures))


def make_subject(
    memories: int,
    people: Sequence[Person],
    speech: Speech,
    services: tuple[Service, Service],
    database: psycopg.Connection[Any],
) -> Subject:
    of_size = {size: [person for person in people if person.size == size] for size in _ASKED}
    writers = of_size[SMALL][-_WRITERS:]
    others = of_size[LARGE][_ASKED[LARGE] :]
    unseen = list(islice(_questions(others, speech), len(others))) if others else []
    return Subject(
        memories=memories,
        service=services[0],
        by_words=services[1],
        database=database,
        questions={size: _questions(of_size[size][:asked], speech) for size, asked in _ASKED.items()},
        unseen=iter(unseen),
        starts=[context(person.external_id, SCOPE, None) for person in of_size[LARGE][: _ASKED[LARGE]]],
        proposals=[proposal(person.external_id, SCOPE, _MINUTES) for person in writers],
    )


def warm_up(subject: Subject) -> None:
    """Asks on a few connections, and looks that answers come.

    Vectors at random mean nothing, so only what words alone settle is found: about a quarter.
    """
    for service in (subject.by_words, subject.service):
        _warm_up(subject, [Client(service) for _ in range(8)])


def _warm_up(subject: Subject, clients: Sequence[Client]) -> None:
    for call in islice(cycle(subject.starts), _WARM_UP[LARGE]):
        clients[0].answer(call)
    for size, questions in subject.questions.items():
        asked = islice(questions, _WARM_UP[size])
        answers = [json.loads(clients[i % 8].answer(question)) for i, question in enumerate(asked)]
        relevant = sum(any(one["why"] == "relevant" for one in answer["memories"]) for answer in answers)
        if relevant < len(answers) / 10:
            raise RuntimeError(f"Only {relevant} of {len(answers)} questions to scopes of {size} found something.")


def _questions(people: Sequence[Person], speech: Speech) -> Iterator[Call]:
    """In an order in which the same person is not asked twice in a row, where there are several."""
    chance = random.Random(len(people))
    for number in count():
        person = people[number % len(people)]
        statement = speech.statements[chance.choice(person.statements)]
        yield context(person.external_id, SCOPE, speech.question(statement, number, chance))
