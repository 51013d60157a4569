"""The document that is published says what the tests here try, cell by cell."""

import pytest

from tests.conformance.cells import TABLES
from tests.conformance.conftest import DOCUMENT, document


def test_the_document_is_of_these_tables(request):
    """A cell that does not hold fails its own test, so all that are tried stand there as yes."""
    if request.config.getoption("--write-conformance"):
        pytest.skip("it is being written")
    hold = {
        (name, row, column): True for name, table in TABLES.items() for row in table.rows for column in table.columns
    }
    assert DOCUMENT.read_text() == document(hold), "make conformance writes it anew"


def test_a_cell_that_does_not_hold_would_be_seen():
    assert "**no**" in document({}) and "**no**" not in DOCUMENT.read_text()
