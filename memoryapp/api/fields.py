"""The kinds of value that a request may carry, each with its JSON schema. Nothing is coerced into another type."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol

from memoryapp.api.faults import Faulty
from memoryapp.policy.placement import is_scope_name

JsonSchema = dict[str, Any]

_NO_NUL = r"^[^\x00]*$"
# White space, control and format characters (Unicode's Cc and Cf). Escapes where every dialect of patterns has them.
_BLANK = (
    r"\x00-\x20\x7f-\xa0\xad\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u1680\u180e\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u2064\u2066-\u206f\u3000\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
)
_ALL_BLANK = re.compile(f"[{_BLANK}]*")
_NO_NUL_NOT_BLANK = rf"^[^\x00]*[^{_BLANK}][^\x00]*$"
_INSTANT = re.compile(
    r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d):(\d\d)(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII
)  # RFC 3339, section 5.6


class RequestField(ABC):
    """A value that a request may carry; `about` is for the description."""

    always_described = False

    def __init__(self, *, required: bool = True, about: str = "") -> None:
        self.required, self.about = required, about

    @property
    def is_described_as_required(self) -> bool:
        return self.required or self.always_described

    @abstractmethod
    def read(self, given: Any) -> Any:
        """The value as the services take it. Raises Faulty. Never called with None, which equals absent."""

    @abstractmethod
    def json_schema(self) -> JsonSchema:
        """What is accepted."""


class Text(RequestField):
    """A string, counted in characters and kept as it is. Blank: without any visible character."""

    def __init__(
        self, longest: int, *, shortest: int = 1, visible: bool = False, pattern: str | None = None, **options: Any
    ) -> None:
        super().__init__(**options)
        self.shortest, self.longest, self.visible = shortest, longest, visible
        self.pattern = None if pattern is None else re.compile(pattern, re.ASCII)

    def read(self, given: Any) -> str:
        if not isinstance(given, str):
            raise Faulty.value("Must be a string.")
        if not self.shortest <= len(given) <= self.longest:
            raise Faulty.value(f"Must have {self.shortest} to {self.longest} characters.")
        if self.visible and is_blank(given):
            raise Faulty.value("Must not be blank.")
        if self.pattern is not None and not self.pattern.fullmatch(given):
            raise Faulty.value(f"Must match {self.pattern.pattern}.")
        return given

    def json_schema(self) -> JsonSchema:
        if self.pattern is not None:
            pattern = f"^{self.pattern.pattern}$"
        else:
            pattern = _NO_NUL_NOT_BLANK if self.visible else _NO_NUL
        lengths = {"minLength": self.shortest, "maxLength": self.longest}
        return {"type": "string", "pattern": pattern} | lengths


class ScopeName(RequestField):
    """A scope's name, case folded."""

    def read(self, given: Any) -> str:
        if not isinstance(given, str):
            raise Faulty.value("Must be a string.")
        if not is_scope_name(given):
            raise Faulty.value("Must begin with a letter or digit, then letters, digits, - and _; 128 at most.")
        return given.casefold()

    def json_schema(self) -> JsonSchema:
        return {"type": "string", "pattern": "^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$", "minLength": 1, "maxLength": 128}


class Choice(RequestField):
    def __init__(self, allowed: Sequence[str], **options: Any) -> None:
        super().__init__(**options)
        self.allowed = tuple(allowed)

    def read(self, given: Any) -> str:
        if not isinstance(given, str) or given not in self.allowed:
            raise Faulty.value(f"Must be one of {', '.join(self.allowed)}.")
        return given

    def json_schema(self) -> JsonSchema:
        return {"type": "string", "enum": list(self.allowed)}


class Whole(RequestField):
    """A whole number within both bounds, each included. `3.0` is one, as in JSON Schema; true is none."""

    def __init__(self, at_least: int, at_most: int, **options: Any) -> None:
        super().__init__(**options)
        self.at_least, self.at_most = at_least, at_most

    def read(self, given: Any) -> int:
        whole = isinstance(given, int) or (isinstance(given, float) and given.is_integer())
        if isinstance(given, bool) or not whole or not self.at_least <= given <= self.at_most:
            raise Faulty.value(f"Must be a whole number from {self.at_least} to {self.at_most}.")
        return int(given)

    def json_schema(self) -> JsonSchema:
        return {"type": "integer", "minimum": self.at_least, "maximum": self.at_most}


class WholeInQuery(Whole):
    """The same, written in digits in a query."""

    def read(self, given: Any) -> int:
        digits = isinstance(given, str) and given.isascii() and given.isdigit() and len(given) <= 12
        return super().read(int(given) if digits else None)


class Share(RequestField):
    """A number from 0 to 1, each included."""

    def read(self, given: Any) -> float:
        if isinstance(given, bool) or not isinstance(given, int | float) or not 0 <= given <= 1:
            raise Faulty.value("Must be a number from 0 to 1.")
        return float(given)

    def json_schema(self) -> JsonSchema:
        return {"type": "number", "minimum": 0, "maximum": 1}


class Flag(RequestField):
    def read(self, given: Any) -> bool:
        if not isinstance(given, bool):
            raise Faulty.value("Must be true or false.")
        return given

    def json_schema(self) -> JsonSchema:
        return {"type": "boolean"}


class Instant(RequestField):
    """A time as of RFC 3339, with its offset. `ahead`: how far it may lie in the future; None sets no bound."""

    def __init__(self, *, ahead: timedelta | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.ahead = ahead

    def read(self, given: Any) -> datetime:
        match = _INSTANT.fullmatch(given) if isinstance(given, str) else None
        if match is None:
            raise Faulty.value("Must be a time as of RFC 3339 with its offset, such as 2026-03-01T09:30:00Z.")
        day, minute, second, fraction, offset = match.groups()
        leap = second == "60"
        try:
            parsed = datetime.fromisoformat(
                f"{day}T{minute}:{'59' if leap else second}{fraction or ''}{offset.upper()}"
            )
            instant = parsed.astimezone(UTC) + timedelta(seconds=1 if leap else 0)
        except (ValueError, OverflowError):
            raise Faulty.value("There is no such time.") from None
        if self.ahead is not None and instant > datetime.now(UTC) + self.ahead:
            raise Faulty.value("Must not lie in the future.")
        return instant

    def json_schema(self) -> JsonSchema:
        return {"type": "string", "format": "date-time"}


class JsonObject(RequestField):
    """An object of any content; its size counts as compact JSON in UTF-8."""

    def __init__(self, largest_bytes: int, **options: Any) -> None:
        super().__init__(**options)
        self.largest_bytes = largest_bytes

    def read(self, given: Any) -> dict[str, Any]:
        if not isinstance(given, dict):
            raise Faulty.value("Must be an object.")
        if len(json.dumps(given, ensure_ascii=False, separators=(",", ":")).encode()) > self.largest_bytes:
            raise Faulty.value(f"Must have at most {self.largest_bytes} bytes.")
        return given

    def json_schema(self) -> JsonSchema:
        return {"type": "object", "description": f"At most {self.largest_bytes} bytes as compact JSON."}


class Readable(Protocol):
    """A field, or a shape of fields."""

    def read(self, given: Any) -> Any: ...

    def json_schema(self) -> JsonSchema: ...


class ListOf(RequestField):
    """A list whose items are all of one kind, read into a tuple."""

    def __init__(self, item: Readable, longest: int, *, shortest: int = 0, **options: Any) -> None:
        super().__init__(**options)
        self.item, self.shortest, self.longest = item, shortest, longest

    def read(self, given: Any) -> tuple[Any, ...]:
        if not isinstance(given, list):
            raise Faulty.value("Must be a list.")
        if not self.shortest <= len(given) <= self.longest:
            raise Faulty.value(f"Must have {self.shortest} to {self.longest} items.")
        values: list[Any] = []
        faulty = Faulty()
        for index, item in enumerate(given):
            try:
                values.append(self.item.read(item))
            except Faulty as error:
                faulty.add_item(index, error)
        faulty.raise_if_any()
        return tuple(values)

    def json_schema(self) -> JsonSchema:
        bounds = {"minItems": self.shortest, "maxItems": self.longest}
        return {"type": "array", "items": self.item.json_schema()} | bounds


def is_blank(text: str) -> bool:
    return _ALL_BLANK.fullmatch(text) is not None
