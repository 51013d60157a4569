"""Reading a request's body: how much of it, of what type, and which JSON."""

import json
import re
from collections.abc import Sequence
from typing import Any

from django.http import HttpRequest

from memoryapp.api.faults import Faulty
from memoryapp.api.problems import Problem

MIB = 1024 * 1024
_DRAINED = 16 * MIB
_DEEPEST = 64
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?', re.DOTALL)
_ONE_KIND = bytes.maketrans(b"{}", b"[]")
_NOT_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")
_LONGEST_NUMBER = 4_000
_NUMBERS = "A number is too large or too long."


def read_body(request: HttpRequest, limit: int) -> bytes:
    """The whole body, chunked or not. One that is larger than `limit` bytes is refused."""
    announced = request.META.get("CONTENT_LENGTH") or ""
    if announced.isdigit():
        size = int(announced)
        if size > limit:
            # A client that is still sending would meet a closed connection instead of the answer.
            _read(request.META["wsgi.input"], min(size, _DRAINED))
            raise _too_large(limit)
    elif "HTTP_TRANSFER_ENCODING" in request.META or request.META.get("SERVER_PROTOCOL", "").startswith("HTTP/2"):
        size = limit + 1
    else:
        return b""
    body = _read(request.META["wsgi.input"], size)
    if len(body) > limit:
        raise _too_large(limit)
    if announced and len(body) < size:
        raise Problem(400, "The body is shorter than announced.")
    return body


def check_content_type(request: HttpRequest, allowed: Sequence[str] = ("application/json",)) -> None:
    """Nothing but what is allowed, text in UTF-8, and not compressed on its way."""
    charset = request.content_params.get("charset", "utf-8") if request.content_params else "utf-8"
    coding = request.META.get("HTTP_CONTENT_ENCODING", "identity")
    if request.content_type not in allowed or (charset.lower(), coding.lower()) != ("utf-8", "identity"):
        raise Problem(415)


def parse_json(body: bytes) -> Any:
    """The value of a JSON text. 400 when it is none or nested too deeply, 422 for what cannot be stored."""
    if _is_too_deep(body):
        raise Problem(400, f"The JSON is nested more than {_DEEPEST} deep, or its brackets do not match.")
    try:
        value = json.loads(body.decode(), parse_constant=_no_constant, parse_float=_finite, parse_int=_short)
    except ValueError:
        raise Problem(400, "The body is not JSON in UTF-8.") from None
    # Without an escape neither can be there: a bare NUL is no JSON, a bare surrogate no UTF-8.
    if b"\\u" in body:
        _refuse_unstorable(value, "")
    return value


def _is_too_deep(body: bytes) -> bool:
    """Takes the innermost pairs of brackets away, level by level: no deep call stack on any input.

    True for brackets without a partner as well. Which kind closes which is left to the parser.
    """
    if body.count(b"[") + body.count(b"{") <= _DEEPEST:
        return False
    brackets = _STRINGS.sub(b"", body).translate(_ONE_KIND, _NOT_BRACKETS)
    for _ in range(_DEEPEST):
        if not brackets:
            return False
        brackets = brackets.replace(b"[]", b"")
    return bool(brackets)


def _refuse_unstorable(value: Any, path: str) -> None:
    if isinstance(value, str):
        if "\x00" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
            raise Faulty.field(path, "Must not hold NUL or half a surrogate pair.")
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _refuse_unstorable(item, f"{path}[{index}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            _refuse_unstorable(name, path)
            _refuse_unstorable(item, f"{path}.{name}" if path else name)


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _finite(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise Faulty.value(_NUMBERS)
    return number


def _short(digits: str) -> int:
    if len(digits) > _LONGEST_NUMBER:
        raise Faulty.value(_NUMBERS)
    return int(digits)


def _too_large(limit: int) -> Problem:
    return Problem(413, f"The body is larger than {limit // MIB} MiB.")


def _read(stream: Any, size: int) -> bytes:
    """Up to `size` bytes: a stream may hand out less than it is asked for before it ends."""
    parts = []
    while size > 0 and (part := stream.read(size)):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
