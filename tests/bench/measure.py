"""In which order it is measured: floors and subjects take turns, so that a noisy minute troubles all alike."""

import time
from collections.abc import Iterator, Sequence
from itertools import cycle, islice

from tests.bench.clients import MANY, Call, Client, Crowd, healthz
from tests.bench.store import HUGE, LARGE
from tests.bench.subject import Case, Subject

ROUNDS = 16
MOST_SECONDS = 60
"""After so long no further round begins."""
CALLS_A_ROUND = 12
HUGE_CALLS_A_ROUND = 4
UNSEEN_CALLS_A_ROUND = 2
CROWD_CALLS = 80
"""For each of many clients: more than it makes in a slice, so that none comes twice."""
SLICES = 2
SLICE_SECONDS = 1.5

SELECT = Case("`SELECT` by key (floor)", 1)
EMPTY_VIEW = "empty view, `GET /healthz` (floor)"
CONTEXT = "`POST /context`, new requests"
CONTEXT_UNSEEN = "`POST /context`, first of its scope"
CONTEXT_KNOWN = "`POST /context`, the request's vector known"
CONTEXT_WORDS = "`POST /context`, new requests, by words alone"
CONTEXT_START = "`POST /context`, a session's start"
SPREAD = "`POST /memories`, over 32 persons"
ONE_PERSON = "`POST /memories`, all for one person"


def measure_one_client(subjects: Sequence[Subject]) -> None:
    """Every round goes once through all floors, stores and sizes of scope."""
    clients = {subject.memories: Client(subject.service) for subject in subjects}
    by_words = {subject.memories: Client(subject.by_words) for subject in subjects}
    began = time.monotonic()
    for _ in range(ROUNDS):
        if time.monotonic() > began + MOST_SECONDS:
            break
        for subject in subjects:
            client = clients[subject.memories]
            _select(subject)
            _call(subject, client, Case(EMPTY_VIEW, 1), cycle([healthz()]))
            for size, questions in subject.questions.items():
                calls = HUGE_CALLS_A_ROUND if size == HUGE else CALLS_A_ROUND
                _call(subject, client, Case(CONTEXT, 1, size), questions, least=calls)
            unseen = [client.seconds_for(call) for call in islice(subject.unseen, UNSEEN_CALLS_A_ROUND)]
            subject.figures[Case(CONTEXT_UNSEEN, 1, LARGE)].latencies += unseen
            known = list(islice(subject.questions[LARGE], CALLS_A_ROUND))
            for call in known:
                client.answer(call)
            _call(subject, client, Case(CONTEXT_KNOWN, 1, LARGE), cycle(known))
            _call(subject, client, Case(CONTEXT_START, 1, LARGE), cycle(subject.starts))
            _call(subject, by_words[subject.memories], Case(CONTEXT_WORDS, 1, LARGE), subject.questions[LARGE])
    for _ in range(SLICES):
        for subject in subjects:
            client = clients[subject.memories]
            _call(subject, client, Case(SPREAD, 1), cycle(subject.proposals), seconds=SLICE_SECONDS)
            _call(subject, client, Case(ONE_PERSON, 1), cycle(subject.proposals[:1]), seconds=SLICE_SECONDS)


def measure_many_clients(subjects: Sequence[Subject], crowd: Crowd) -> None:
    for subject in subjects:
        crowd.run(subject.service, [[healthz()]] * MANY, 0.5)
    for _ in range(SLICES):
        for subject in subjects:
            _crowd(subject, crowd, Case(EMPTY_VIEW, MANY), [healthz()])
            for size, questions in subject.questions.items():
                asked = list(islice(questions, MANY * CROWD_CALLS))
                _crowd(subject, crowd, Case(CONTEXT, MANY, size), asked)
                if size == LARGE:
                    _crowd(subject, crowd, Case(CONTEXT_KNOWN, MANY, size), asked[:MANY])
    for _ in range(SLICES):
        for subject in subjects:
            _crowd(subject, crowd, Case(SPREAD, MANY), subject.proposals)
            _crowd(subject, crowd, Case(ONE_PERSON, MANY), subject.proposals[:1])


def _select(subject: Subject) -> None:
    """By primary key, with nothing else in the way: no policy on the table, no transaction."""
    figures = subject.figures[SELECT]
    (person,) = subject.database.execute("select id from accounts_user limit 1").fetchone() or (None,)
    for _ in range(CALLS_A_ROUND):
        began = time.perf_counter()
        subject.database.execute("select external_id from accounts_user where id = %s", [person]).fetchone()
        figures.latencies.append(time.perf_counter() - began)


def _call(
    subject: Subject,
    client: Client,
    case: Case,
    calls: Iterator[Call],
    *,
    least: int = CALLS_A_ROUND,
    seconds: float = 0.0,
) -> None:
    """So many calls after one that is not counted, or as many as fit the time."""
    client.answer(next(calls))
    latencies = []
    began = time.perf_counter()
    while len(latencies) < least or time.perf_counter() < began + seconds:
        latencies.append(client.seconds_for(next(calls)))
    subject.figures[case].latencies += latencies
    subject.figures[case].rates.append(len(latencies) / (time.perf_counter() - began))


def _crowd(subject: Subject, crowd: Crowd, case: Case, calls: Sequence[Call]) -> None:
    """Each client starts at another of the calls."""
    step = max(1, len(calls) // MANY)
    mine = [[*calls[i * step % len(calls) :], *calls[: i * step % len(calls)]] for i in range(MANY)]
    latencies, rate = crowd.run(subject.service, mine, SLICE_SECONDS)
    subject.figures[case].latencies += latencies
    subject.figures[case].rates.append(rate)
