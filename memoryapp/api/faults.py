"""What is wrong with the values of a request, and where."""

from typing import Any, Self


class Faulty(Exception):
    """`faults` are (path, message) pairs; a path is `name`, `name.inner` or `name[3].inner`, empty for the whole.

    `index` is the place in the outermost list, for callers that send many at once.
    """

    def __init__(self) -> None:
        super().__init__()
        self.faults: list[dict[str, Any]] = []

    @classmethod
    def value(cls, message: str) -> Self:
        return cls.field("", message)

    @classmethod
    def field(cls, path: str, message: str) -> Self:
        faulty = cls()
        faulty.faults.append({"field": path, "message": message})
        return faulty

    def add_field(self, name: str, inner: "Faulty") -> None:
        self.faults += [{**fault, "field": _joined(name, fault["field"])} for fault in inner.faults]

    def add_item(self, index: int, inner: "Faulty") -> None:
        self.faults += [
            {**fault, "field": _joined(f"[{index}]", fault["field"]), "index": index} for fault in inner.faults
        ]

    def raise_if_any(self) -> None:
        if self.faults:
            raise self


def _joined(outer: str, inner: str) -> str:
    return f"{outer}.{inner}" if inner and not inner.startswith("[") else outer + inner
