"""The table, and whether the targets hold."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import mean, median, quantiles

from tests.bench.measure import CONTEXT, EMPTY_VIEW, SELECT
from tests.bench.store import LARGE
from tests.bench.subject import Case, Figures, Subject

MOST_MS = 12.0
MOST_ABOVE_FLOORS_MS = 10.0
MOST_GROWTH = 1.2
"""Of the median from 10,000 to 1,000,000 memories."""


@dataclass(frozen=True, slots=True)
class Target:
    what: str
    figure: float
    most: float

    @property
    def holds(self) -> bool:
        return self.figure <= self.most


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
        asked = _median_ms(subject, Case(CONTEXT, 1, LARGE))
        floors = _median_ms(subject, SELECT) + _median_ms(subject, Case(EMPTY_VIEW, 1))
        name = f"context, scope of {LARGE:,}, {subject.memories:,} memories"
        yield Target(f"{name}: median ms", asked, MOST_MS)
        yield Target(f"{name}: ms above the two floors ({floors:.2f})", asked - floors, MOST_ABOVE_FLOORS_MS)
    first, last = subjects[0], subjects[-1]
    for size in first.questions:
        growth = _median_ms(last, Case(CONTEXT, 1, size)) / _median_ms(first, Case(CONTEXT, 1, size))
        yield Target(f"growth of the median, scope of {size:,}, to {last.memories:,} memories", growth, MOST_GROWTH)


def verdicts(found: Sequence[Target]) -> str:
    return "\n".join(
        f"- {one.what}: {one.figure:.2f}, at most {one.most:g}: {'holds' if one.holds else 'DOES NOT HOLD'}"
        for one in found
    )


def _median_ms(subject: Subject, case: Case) -> float:
    return median(subject.figures[case].latencies) * 1000


def _cells(figures: Figures) -> list[str]:
    latencies = figures.latencies
    middle, late = median(latencies) * 1000, quantiles(latencies, n=20)[-1] * 1000
    return [f"{middle:.2f}", f"{late:.2f}", f"{mean(figures.rates):,.0f}" if figures.rates else ""]
