"""`make calibrate DATA=…`: refits the coefficients of relevance on every other store, and reports on both halves."""

import argparse
import json
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from memoryapp.embedding import Embedder, MiniLM
from memoryapp.policy.relevance.blended import COEFFICIENTS, Coefficients, coefficients_of
from tests.calibrate.fitting import KNOWN_SHARE, Bin, fit, reliability
from tests.calibrate.frontier import frontier
from tests.calibrate.requests import Store, stores

_FLOORS = (0.0, 0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6)
_METHOD = (
    "Intercept, evidence and length by logistic regression (maximum likelihood) on the first, third, fifth … store, "
    "measured on the others. Coverage, standing, cut, softness and the share of known requests were chosen by hand, "
    "with all stores and a set of requests with exact answers in view."
)


def main() -> int:
    parser = argparse.ArgumentParser(prog="make calibrate", description=__doc__)
    parser.add_argument("data", type=Path, help="persons with memories and questions, as JSON")
    parser.add_argument("--dry-run", action="store_true", help="report, and leave the coefficients as they are")
    arguments = parser.parse_args()
    embedder: Embedder = MiniLM()
    everything = list(stores(arguments.data, embedder))
    fitted_on, held_back = everything[::2], everything[1::2]
    coefficients = fit(fitted_on, coefficients_of(embedder.model))
    bins, error = reliability(held_back, coefficients)
    print(f"{embedder.model}: {coefficients}\n")
    for name, half in (("fitted on", fitted_on), ("held back", held_back)):
        print(_table(name, half, coefficients))
    print(_reliability(bins), f"\nExpected calibration error, held back: {error:.3f}")
    if not arguments.dry_run:
        _write(embedder.model, coefficients, everything, error, arguments.data.name)
    return 0 if error <= 0.05 else 1


def _table(name: str, half: list[Store], coefficients: Coefficients) -> str:
    rows = frontier(half, coefficients, _FLOORS)
    names = (
        "recall",
        "precision",
        "answered",
        "false cross",
        "false renamed",
        "false offtopic",
        "AUC cross",
        "AUC renamed",
    )
    lines = [f"| {name}: floor | {' | '.join(names)} |", "|---" * (len(names) + 1) + "|"]
    lines += [f"| {floor:g} | {' | '.join(f'{row.get(one, 0):.3f}' for one in names)} |" for floor, row in rows.items()]
    return "\n".join(lines) + "\n"


def _reliability(bins: list[Bin]) -> str:
    lines = ["| told | requests | mean told | found true |", "|---|---|---|---|"]
    lines += [f"| {b.low:.1f} to {b.low + 0.1:.1f} | {b.requests} | {b.told:.2f} | {b.true:.2f} |" for b in bins]
    return "\n".join(lines)


def _write(model: str, coefficients: Coefficients, everything: list[Store], error: float, data: str) -> None:
    kept = json.loads(COEFFICIENTS.read_text(encoding="utf-8"))
    kept["models"][model] = {
        "coefficients": asdict(coefficients),
        "data": f"{data}: {len(everything)} stores, {sum(len(store.requests) for store in everything)} requests",
        "known_share": KNOWN_SHARE,
        "date": datetime.now(UTC).date().isoformat(),
        "method": _METHOD,
        "held_back_calibration_error": round(error, 3),
    }
    COEFFICIENTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
