"""What a service may answer instead of doing it. Sentences carry no memory text and no identifiers."""

from typing import Any


class ServiceError(Exception):
    """`code` is a word for programs, `detail` one plain sentence for people."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code)
        self.code = code
        self.detail = detail


class NotFound(ServiceError):
    """Not there, or not open to this actor: the two are told apart nowhere."""

    def __init__(self) -> None:
        super().__init__("not_found", "There is nothing here that this key may see.")


class Conflict(ServiceError):
    """The object's state, or a person's own decision, stands against it."""


class StaleVersion(ServiceError):
    """The change was made for another version; `current` is the memory as it is."""

    def __init__(self, current: dict[str, Any]) -> None:
        super().__init__("stale_version", "The memory has changed since the version that you name.")
        self.current = current


class Refused(ServiceError):
    """The write policy said no; `rule` says which rule."""

    def __init__(self, rule: str, detail: str) -> None:
        super().__init__("refused", detail)
        self.rule = rule


class Invalid(ServiceError):
    """A value that the caller gave cannot be used."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__("invalid", message)
        self.field = field


class Malformed(ServiceError):
    """A file that cannot be read: `line` and `column` count from 1; a column is known where the JSON breaks off."""

    def __init__(self, message: str, *, line: int | None = None, column: int | None = None) -> None:
        place = "".join(f"{name} {n}, " for name, n in (("line", line), ("column", column)) if n).removesuffix(", ")
        super().__init__("malformed", f"{place.capitalize()}: {message}" if place else message)
        self.line, self.column = line, column


class TooMany(Invalid):
    """A file brings more memories than may come this way: `most`."""

    def __init__(self, most: int) -> None:
        super().__init__(
            "file",
            f"It holds more than {most} memories, which is as many as may come at once this way."
            " Whoever runs this service can bring it whole.",
        )
        self.most = most
