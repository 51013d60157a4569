"""JSON from elsewhere: read with the line where it breaks off, and with nothing in it that cannot be stored."""

import json
import math
from datetime import UTC, datetime
from typing import Any

from memoryapp.services.errors import Malformed

DEEPEST = 64
"""Levels of lists and objects in a memory: as many as in what agents send, since it is sent to them."""


def parse(content: bytes, *, line: int | None = None) -> Any:
    """The value of a JSON text. `line` is given where the text is one line of a file."""
    try:
        text = content.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except UnicodeDecodeError as error:
        raise Malformed("It is not UTF-8.", line=line or content.count(b"\n", 0, error.start) + 1) from None
    except json.JSONDecodeError as error:
        raise Malformed("It is not JSON.", line=line or error.lineno, column=error.colno) from None
    except (ValueError, RecursionError):
        raise Malformed("A number in it is too large, or it is nested too deeply.", line=line) from None
    return value


def line_of_item(content: bytes, index: int, part: str | None) -> int | None:
    """Where the list's item begins: of the list itself, or of that member of an object. None when it is not found."""
    try:
        return _line_of_item(content.decode("utf-8-sig"), index, part)
    except (ValueError, IndexError, RecursionError):
        return None


def _line_of_item(text: str, index: int, part: str | None) -> int | None:
    decoder = json.JSONDecoder()
    at = _after_space(text, 0)
    if part is not None:
        at = _after_space(text, at + 1)
        while True:
            name, at = decoder.raw_decode(text, at)
            at = _after_space(text, _after_space(text, at) + 1)
            if name == part:
                break
            _, at = decoder.raw_decode(text, at)
            at = _after_space(text, at)
            if text[at] != ",":
                return None
            at = _after_space(text, at + 1)
    at = _after_space(text, at + 1)
    for _ in range(index):
        _, at = decoder.raw_decode(text, at)
        at = _after_space(text, _after_space(text, at) + 1)
    return text.count("\n", 0, at) + 1


def _after_space(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n":
        at += 1
    return at


def is_storable(value: Any, *, levels: int = DEEPEST) -> bool:
    """False when a NUL or half a surrogate pair is in it, however deep. RecursionError beyond so many levels."""
    if isinstance(value, str):
        return "\x00" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    if isinstance(value, dict):
        return all(map(is_storable, value)) and is_storable(list(value.values()), levels=levels)
    if isinstance(value, list):
        if levels == 0:
            raise RecursionError
        return all(is_storable(one, levels=levels - 1) for one in value)
    return True


def time_of(given: Any) -> datetime | None:
    """An ISO 8601 text or seconds since 1970; without an offset it is UTC. ValueError when it is none."""
    if given is None or given == "":
        return None
    if isinstance(given, bool) or not isinstance(given, str | int | float):
        raise ValueError
    try:
        instant = datetime.fromisoformat(given) if isinstance(given, str) else datetime.fromtimestamp(given, UTC)
        return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).astimezone(UTC)
    except (OverflowError, OSError):
        raise ValueError from None


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError
    return number
