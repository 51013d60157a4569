"""Memory text as data: one line in which nothing can close the fence, open a role or pass for a tool call.

Angle brackets and backticks become character references; a backslash breaks what else a model could take for
structure. The text stays readable, and equal texts stay equal.
"""

import re
import unicodedata

_REFERENCES = str.maketrans(
    {**dict.fromkeys("<＜﹤", "&lt;"), **dict.fromkeys(">＞﹥", "&gt;"), **dict.fromkeys("`｀", "&#96;")}
)
# Letters that show nothing, though they are not format characters.
_BLANK_LETTERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
# Lower-case Cyrillic and Greek letters that look like Latin ones, at least as capitals: `Ѕуstеm` is read as `System`.
_LOOK_ALIKES = str.maketrans("аеіјорсухѕһԁѵвкмнтαορνιυτκχεημβ", "aeijopcyxshdvbkmhtaopviutkxehmb")
_ROLES = (
    "system", "user", "assistant", "human", "ai", "developer", "tool", "function", "model", "bot", "chatbot", "agent",
    "role", "instructions?", "prompt", "response", "answer", "final answer", "question", "thought", "action",
    "action input", "observation", "(?:tool|function)[ _-]?(?:calls?|use|result|response|output)s?", "invoke",
    "recipient", "channel", "sistema", "usuario", "usuário", "asistente", "assistente", "système", "utilisateur",
    "benutzer", "assistent", "система", "пользователь", "ассистент", "помощник", "نظام", "مستخدم", "مساعد", "系统",
    "系統", "用户", "用戶", "助手", "人类", "人類", "システム", "ユーザー", "アシスタント", "시스템", "사용자",
    "어시스턴트",
)  # fmt: skip
_QUOTES = r"[\s*_\"'’”)\]|]{0,6}"
_STRUCTURE = re.compile(
    # A role or tool header, its colon to be broken.
    rf"(?<!\w)(?:{'|'.join(_ROLES)}){_QUOTES}(?P<colon>[:：︰﹕∶꞉])".translate(_LOOK_ALIKES)
    # A heading, a rule or a fence of another make.
    + r"|(?P<heading>(?<![^\s])#+(?=\s)|#{2,})|(?P<fence>~{3,}|-{3,}|={3,}|\"{3,}|'{3,})"
    # Bracketed control words of chat templates, and the bars of others.
    + r"|(?P<bracket>\[)(?=\s*/?\s*(?:inst|sys|system|user|assistant|tool|available_tools|end|begin)\w*\s*\])"
    + r"|(?P<bar>\|)(?=\s*(?:im_|end|start|begin|system|user|assistant|tool))"
    # JSON that could be a call.
    + r"|(?P<brace>[{\[])(?=[\s{\[]{0,8}[\"'])"
    + r"|(?P<key>[\"'](?=(?:tool|function)_?(?:calls?|use|name|result)[\"']))",
)
# What every structure has; most texts have none of it.
_SIGN = re.compile(r"[:：︰﹕∶꞉#\[{|<＜﹤>＞﹥`｀]|~~~|---|===|\"\"\"|'''|[\"'](?=[tf])")


def escape(text: str) -> str:
    """The text as one line of data."""
    line = " ".join(_visible(text).split())
    if not _SIGN.search(shadow := _shadow(line)):
        return line
    pieces: list[str] = []
    end = 0
    for match in _STRUCTURE.finditer(shadow):
        start, stop = match.span(match.lastgroup or 0)
        pieces.append(line[end:start])
        # Every sign of a run is broken, so that no shorter run is left.
        pieces.append("".join("\\" + sign for sign in line[start:stop]))
        end = stop
    pieces.append(line[end:])
    return "".join(pieces).translate(_REFERENCES)


def _visible(text: str) -> str:
    """Without format characters, variation selectors and letters that show nothing; controls become spaces."""
    if text.isascii() and text.isprintable():
        return text
    out = []
    for char in text:
        category = unicodedata.category(char)
        if category in ("Cc", "Zl", "Zp") or char in _BLANK_LETTERS:
            out.append(" ")
        elif category not in ("Cf", "Cs") and not _is_selector(char):
            out.append(char)
    return "".join(out)


def _is_selector(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or "\U000e0100" <= char <= "\U000e01ef" or "\u180b" <= char <= "\u180f"


def _shadow(line: str) -> str:
    """The line as a model reads it, character for character: wide, capital and look-alike letters as plain ones."""
    if line.isascii():
        return line.lower()
    plain = [unicodedata.normalize("NFKC", char).lower() for char in line]
    return "".join(p if len(p) == 1 else c for p, c in zip(plain, line, strict=True)).translate(_LOOK_ALIKES)
