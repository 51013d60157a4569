import logging
import sys
from types import SimpleNamespace

from memoryapp.logs import DiscreetFormatter


def line(message, *arguments, name="memoryapp", **extra):
    record = logging.LogRecord(name, logging.ERROR, __file__, 1, message, arguments, extra.pop("exc_info", None))
    record.__dict__.update(extra)
    return DiscreetFormatter().format(record)


def test_it_names_an_error_and_its_place_but_not_its_values():
    try:
        try:
            raise ValueError("Likes tea")
        except ValueError as error:
            raise RuntimeError("Likes tea very much") from error
    except RuntimeError:
        text = line("it failed", exc_info=sys.exc_info())
    assert "it failed" in text
    assert "builtins.RuntimeError" in text
    assert "builtins.ValueError" in text
    assert "test_logs.py" in text
    assert "tea" not in text


def test_it_names_a_route_but_not_its_path():
    request = SimpleNamespace(
        method="GET", path="/api/v1/memories/forty-two", resolver_match=SimpleNamespace(route="api/v1/memories/<id>")
    )
    text = line("%s: %s", "Failed", request.path, name="django.request", request=request, status_code=500)
    assert "500 GET /api/v1/memories/<id>" in text
    assert "forty-two" not in text
