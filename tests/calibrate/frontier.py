"""What comes back at a floor: recall, precision, answers, and false answers of each kind."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import mean

from memoryapp.policy.relevance.blended import Coefficients
from memoryapp.tokens import count_tokens
from tests.calibrate.fitting import relevances
from tests.calibrate.requests import UNKNOWN, Store

BUDGET_TOKENS = 800
_FRAME_TOKENS = 35
"""What the block has around its lines."""


def frontier(
    stores: Sequence[Store], coefficients: Coefficients, floors: Sequence[float]
) -> dict[float, dict[str, float]]:
    """Per floor. A line costs its text and a date; what does not fit the budget is skipped."""
    seen: dict[float, dict[str, list[float]]] = {floor: defaultdict(list) for floor in floors}
    best = defaultdict(list)
    for store in stores:
        costs = [count_tokens(f"- {text} (today)\n") for text in store.texts]
        for request in store.requests:
            told = relevances(request, coefficients)
            best[request.kind].append(max(told))
            order = sorted(range(len(told)), key=lambda number: -told[number])
            for floor, figures in seen.items():
                got = _fitting([number for number in order if told[number] >= floor], costs)
                figures[f"false {request.kind}" if request.kind in UNKNOWN else "answered"].append(bool(got))
                if request.kind not in UNKNOWN:
                    found = frozenset().union(*(store.evidence[number] for number in got))
                    figures["recall"].append(len(found & request.evidence) / len(request.evidence))
                    if got:
                        figures["precision"].append(mean(bool(store.evidence[n] & request.evidence) for n in got))
    aucs = {f"AUC {kind}": auc(best["known"], best[kind]) for kind in UNKNOWN}
    return {floor: {name: mean(values) for name, values in figures.items()} | aucs for floor, figures in seen.items()}


def _fitting(order: Sequence[int], costs: Sequence[int]) -> list[int]:
    got, spent = [], _FRAME_TOKENS
    for number in order:
        if spent + costs[number] <= BUDGET_TOKENS:
            got.append(number)
            spent += costs[number]
    return got


def auc(known: Sequence[float], unknown: Sequence[float]) -> float:
    """The chance that a request of the first sort scores above one of the second, a tie counting half."""
    ranked = sorted([(value, True) for value in known] + [(value, False) for value in unknown])
    total, start = 0.0, 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        total += sum(is_known for _, is_known in ranked[start:end]) * (start + 1 + end) / 2
        start = end
    return (total - len(known) * (len(known) + 1) / 2) / (len(known) * len(unknown))
