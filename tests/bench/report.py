"""The table, and whether the targets hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean, median, quantiles

from tests.bench.clients import MANY
from tests.bench.measure import CONTEXT, CONTEXT_KNOWN, CONTEXT_WORDS, EMPTY_VIEW, SELECT
from tests.bench.store import HUGE, LARGE, SMALL
from tests.bench.subject import Case, Figures, Subject

MOST_MS = {SMALL: 8.0, LARGE: 12.0, HUGE: 35.0}
"""By size of scope, with new requests."""
MOST_KNOWN_MS = 5.0
"""In a scope of 1,000."""
MOST_ABOVE_FLOORS_MS = 10.0
LEAST_RATE = 300.0
"""Calls per second of many clients, in small scopes."""
MOST_GROWTH = 1.2
"""Of the median from 10,000 to 1,000,000 memories."""


@dataclass(frozen=True, slots=True)
class Target:
    what: str
    figure: float
    bound: float
    is_least: bool = False
    """The figure must reach the bound; otherwise it must not exceed it."""

    @property
    def holds(self) -> bool:
        return self.figure >= self.bound if self.is_least else self.figure <= self.bound


def table(subjects: Sequence[Subject]) -> str:
    """In Markdown: a line for each case, a group of columns for each store."""
    cases = list(dict.fromkeys(case for subject in subjects for case in subject.figures))
    head = ["", "clients", "scope"]
    for subject in subjects:
        head += [f"{subject.memories:,}: median ms", "p95 ms", "calls/s"]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    for case in sorted(cases, key=lambda case: (list(dict.fromkeys(c.what for c in cases)).index(case.what), case[1:])):
        line = [case.what, str(case.clients), f"{case.scope:,}" if case.scope else ""]
        for subject in subjects:
            line += _cells(subject.figures[case])
        lines.append(line)
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def targets(subjects: Sequence[Subject]) -> Iterator[Target]:
    for subject in subjects:
        name = f"context, {subject.memories:,} memories"
        for size, most in MOST_MS.items():
            yield Target(f"{name}, scope of {size:,}: median ms", _median_ms(subject, Case(CONTEXT, 1, size)), most)
        known = _median_ms(subject, Case(CONTEXT_KNOWN, 1, LARGE))
        yield Target(f"{name}, scope of {LARGE:,}, the request's vector known: median ms", known, MOST_KNOWN_MS)
        floors = _median_ms(subject, SELECT) + _median_ms(subject, Case(EMPTY_VIEW, 1))
        by_words = _median_ms(subject, Case(CONTEXT_WORDS, 1, LARGE))
        yield Target(f"{name}, scope of {LARGE:,}, by words alone: median ms", by_words, MOST_MS[LARGE])
        for how, took in (("", _median_ms(subject, Case(CONTEXT, 1, LARGE))), (", by words alone", by_words)):
            what = f"{name}, scope of {LARGE:,}{how}: ms above the two floors ({floors:.2f})"
            yield Target(what, took - floors, MOST_ABOVE_FLOORS_MS)
        rate = mean(subject.figures[Case(CONTEXT, MANY, SMALL)].rates)
        yield Target(f"{name}, scope of {SMALL}: calls a second of {MANY} clients", rate, LEAST_RATE, is_least=True)
    first, last = subjects[0], subjects[-1]
    cases = [*(Case(CONTEXT, 1, size) for size in first.questions), Case(CONTEXT_WORDS, 1, LARGE)]
    for case in cases:
        growth = _median_ms(last, case) / _median_ms(first, case)
        what = f"growth of the median, {case.what}, scope of {case.scope:,}, to {last.memories:,} memories"
        yield Target(what, growth, MOST_GROWTH)


def verdicts(found: Sequence[Target]) -> str:
    return "\n".join(
        f"- {one.what}: {one.figure:.2f}, at {'least' if one.is_least else 'most'} {one.bound:g}: "
        f"{'holds' if one.holds else 'DOES NOT HOLD'}"
        for one in found
    )


def _median_ms(subject: Subject, case: Case) -> float:
    return median(subject.figures[case].latencies) * 1000


def _cells(figures: Figures) -> list[str]:
    latencies = figures.latencies
    if not latencies:
        return ["", "", ""]
    middle, late = median(latencies) * 1000, quantiles(latencies, n=20)[-1] * 1000
    return [f"{middle:.2f}", f"{late:.2f}", f"{mean(figures.rates):,.0f}" if figures.rates else ""]
