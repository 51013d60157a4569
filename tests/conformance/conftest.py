"""Each cell of docs/conformance.md is a check of a test; `make conformance` writes down how they came out."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.conformance.cells import ABOUT, TABLES

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "conformance.md"


def pytest_addoption(parser):
    parser.addoption("--write-conformance", action="store_true", help="write docs/conformance.md")


@dataclass
class Column:
    """What was found of one column: by row, whether it holds."""

    table: str
    name: str
    found: dict[str, bool] = field(default_factory=dict)

    def check(self, row: str, holds: bool) -> None:
        assert row in TABLES[self.table].rows, row
        self.found[row] = self.found.get(row, True) and bool(holds)


@pytest.fixture(scope="session")
def outcomes(request):
    outcomes = {}
    yield outcomes
    if request.config.getoption("--write-conformance"):
        DOCUMENT.write_text(document(outcomes))


@pytest.fixture
def column(outcomes):
    """`column("deletion", "forget")`: the cells of it are all to be checked, and all to hold."""
    made = []

    def begin(table, name):
        assert name in TABLES[table].columns, name
        made.append(Column(table, name))
        return made[-1]

    yield begin
    for one in made:
        for row in TABLES[one.table].rows:
            if (row, one.name) not in TABLES[one.table].no:
                outcomes[one.table, row, one.name] = one.found.get(row, False)
        missing = [row for row in TABLES[one.table].rows if not outcomes.get((one.table, row, one.name), True)]
        assert missing == [], "these cells do not hold, or were not tried"


def document(outcomes):
    lines = ["# What holds", "", *ABOUT, ""]
    for name, table in TABLES.items():
        lines += [f"## {table.title}", "", table.about, ""]
        lines += ["| | " + " | ".join(table.columns) + " |", "|---" * (len(table.columns) + 1) + "|"]
        for row, says in table.rows.items():
            cells = []
            for column in table.columns:
                holds = outcomes.get((name, row, column))
                reason = table.no.get((row, column))
                cells.append(reason or ("yes" if holds else "**no**"))
            lines.append(f"| {says} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)
