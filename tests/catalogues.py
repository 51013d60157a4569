"""What the catalogues of translations hold, and what the sources ask for, without gettext's own programs."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from django.utils.translation.template import templatize

ROOT = Path(__file__).parents[1]

Id = tuple[str, str, str]
"""Context, text, plural; empty where there is none."""


@dataclass
class Entry:
    context: str = ""
    text: str = ""
    plural: str = ""
    forms: dict[int, str] = field(default_factory=dict)
    flags: str = ""

    @property
    def id(self) -> Id:
        return self.context, self.text, self.plural


_LINE = re.compile(r'(?:(msgctxt|msgid_plural|msgid|msgstr)(?:\[(\d)])? )?(".*")')


def read_po(path: Path) -> list[Entry]:
    """The entries, the header first. Obsolete ones stand as one that is flagged `obsolete`."""
    entries = []
    for block in path.read_text("utf-8").split("\n\n"):
        entry, name, number = Entry(), "", 0
        for line in block.splitlines():
            if line.startswith("#~"):
                entry.flags += " obsolete"
            elif line.startswith("#"):
                entry.flags += line[2:] if line.startswith("#,") else ""
            elif match := _LINE.fullmatch(line):
                name = match[1] or name
                number = int(match[2] or 0) if match[1] else number
                said = ast.literal_eval(match[3])
                match name:
                    case "msgctxt":
                        entry.context += said
                    case "msgid":
                        entry.text += said
                    case "msgid_plural":
                        entry.plural += said
                    case "msgstr":
                        entry.forms[number] = entry.forms.get(number, "") + said
        if name or entry.flags:
            entries.append(entry)
    return entries


_CALLS = {"gettext": (1,), "gettext_lazy": (1,), "gettext_noop": (1,), "ngettext": (1, 2), "ngettext_lazy": (1, 2)}
_CALLS |= {"pgettext": (0, 1), "pgettext_lazy": (0, 1), "npgettext": (0, 1, 2), "npgettext_lazy": (0, 1, 2), "_": (1,)}
"""Where a function takes context (0), text (1) and plural (2)."""
_TEXT = r"""u?('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
_IN_TEMPLATES = re.compile(rf"(?<!\w)(n?p?gettext|_)\({_TEXT}(?:, ?{_TEXT})?(?:, ?{_TEXT})?")


def asked_for() -> set[Id]:
    """Every text that the pages, mails and Python sources mark for translation."""
    paths = [path for folder in ("memoryapp", "accounts") for path in (ROOT / folder).rglob("*.py")]
    paths += [path for path in (ROOT / "templates").rglob("*") if path.suffix in (".html", ".txt")]
    return {one for path in paths for one in texts_in(path)}


def texts_in(path: Path) -> Iterator[Id]:
    """What one file, of Python or a template, marks for translation."""
    source = path.read_text("utf-8")
    return _in_python(source) if path.suffix == ".py" else _in_template(source)


def _in_python(source: str) -> Iterator[Id]:
    if "gettext" not in source:
        return
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in _CALLS:
            values = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            yield _id(getattr(node.func, "id", ""), values)


def _in_template(source: str) -> Iterator[Id]:
    for match in _IN_TEMPLATES.finditer(templatize(source)):
        yield _id(match[1], [ast.literal_eval(one) for one in match.groups()[1:] if one])


def _id(function: str, values: list[str]) -> Id:
    parts = dict(zip(_CALLS[function], values, strict=False))
    return parts.get(0, ""), parts[1], parts.get(2, "")
