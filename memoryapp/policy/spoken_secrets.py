"""Credentials that a sentence betrays: `password is …`, `pwd=…`, `PIN: …`, in a dozen languages."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from memoryapp.policy.patterns import Pattern
from memoryapp.policy.spoken_words import (
    CODE_MARKS,
    COUNTED,
    JOINING,
    KEY_MARKS,
    KEYS,
    LANGUAGES,
    PREPOSITIONS,
    PRODUCTS,
    PROSE,
    PROSE_ENDINGS,
    TYPES,
)

_Link = Literal["copula", "sign", "beside"]

_QUALIFIER = (
    rf"(?:[ \t]{{1,4}}\([^()\n]{{0,40}}\))?"
    rf"(?:[ \t]{{1,4}}(?:{PREPOSITIONS})(?:[ \t]{{1,4}}[^\s:=]{{1,40}}){{1,6}}?)?"
)
_SIGN = r"[\"'`*_]{0,3}[ \t]{0,8}(?::=|=>|->|→|[:=>])[*_]{0,3}[ \t]{0,8}[*_]{0,3}"
_AFTER_COPULA = r"(?:[ \t]{0,4}:)?[ \t\n]{0,8}"


def _spoken(names: str, copulas: str, *, spaced: bool) -> str:
    """The pattern of a credential's name and what links it to its value."""
    gap = r"[ \t]{1,4}" if spaced else r"[ \t]{0,4}"
    end = r"(?![^\W\d_])" if spaced else ""
    still = r"(?:[ \t]{1,4}(?:now|still|currently|jetzt))?"
    copula = rf"(?:{gap}(?:{copulas}){still}{end}|['’]s\b|[ \t]{{1,4}}-{{1,2}}(?=[ \t])){_AFTER_COPULA}"
    link = rf"{_QUALIFIER}(?:(?P<copula>{copula})|(?P<sign>{_SIGN}))|(?P<beside>[ \t]{{1,4}})"
    return rf"(?:{names}){end}(?:{link})"


_PASSWORDS = tuple(
    (
        tuple(language.marks.split()),
        Pattern(r"(?<![0-9])" + _spoken(language.names, language.copulas, spaced=language.is_spaced), re.IGNORECASE),
    )
    for language in LANGUAGES
)
_IS_ENGLISH_OR_SO = "is|are|was|ist|lautet|est|es|è|é|to"
_KEYS = Pattern(r"(?<![A-Za-z])" + _spoken(KEYS, _IS_ENGLISH_OR_SO, spaced=True), re.IGNORECASE)
_LINK = r"[\"']?[ \t]{0,4}(?:(?:is|are|was|ist|lautet|est|es|è|é|jest|:|=|#|-|是|为|は|은|는)[ \t]{0,4}){0,2}"
_PIN = Pattern(
    rf"(?<![A-Za-z])(?:pin|пин|nip)(?:[ -]?(?:code|number|nummer|kod|код))?(?![A-Za-z]){_QUALIFIER}{_LINK}"
    r"(?P<secret>[0-9]{4,8})(?![0-9A-Za-z]|[-.,/][0-9])",
    re.IGNORECASE,
)
_CARD_CODE = Pattern(
    rf"(?<![A-Za-z])(?:cvv2?|cvc2?|csc|cvn|security code|prüfziffer|安全码)(?![A-Za-z]){_QUALIFIER}{_LINK}"
    r"(?P<secret>[0-9]{3,4})(?![0-9A-Za-z])",
    re.IGNORECASE,
)
_POSTAL_PIN = Pattern(r"pin[ -]?code.{0,60}?[0-9]{6}", re.IGNORECASE)
_SAID_FIRST = Pattern(
    r"(?P<secret>[^\s\"'`]{4,64})[\"'`]?[ \t]{1,4}(?:is|ist|est|es|è)[ \t]{1,4}(?:my|the|our|his|her|their|mein|mon|mi)"
    r"[ \t]{1,4}(?:[a-z-]{1,20}[ \t]{1,4}){0,2}?(?:password|passwort|passphrase|passcode|mot de passe|contraseña)"
    r"(?![A-Za-z]|[ \t]manager)",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"'`“„«‘「『]([^\"'`”“»’」』\n]{1,200})[\"'`”“»’」』]")
# CJK letters end a value: "密码是hunter2吗" says hunter2.
_TOKEN = re.compile(r"[^\s<\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff00-\uffef]{1,200}")
_WORDS = re.compile(r"[a-z]{3,12}(?: [a-z]{3,12}){3,24}(?![^.,;!?)\"'\n])")
_NEXT = re.compile(r"[ \t]*([^\s.,;:!?]{0,30})([:=]?)")
_PLACEHOLDER = re.compile(
    r"\[masked\].*|\$\W?\w*.*|[{<%(\[].*|[*•._-]+|[xX]{3,}|\w+(?:\.\w+)*[(\[].*|[A-Z]+(?:_[A-Z]+)+"
)
_SIZE = re.compile(r"[0-9]+(?:-[a-z]+.*|st|nd|rd|th|h|d|s|ms|min|kb|x)", re.IGNORECASE)


def spoken_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The half-open spans of the values that a folded text calls a password, key, PIN or card code."""
    lowered = text.lower()
    for marks, pattern in _PASSWORDS:
        if any(mark in lowered for mark in marks):
            for match in pattern.finditer(text):
                yield from _password(text, match)
    if any(mark in lowered for mark in KEY_MARKS):
        yield from _keys(text)
    if any(mark in lowered for mark in CODE_MARKS):
        yield from _codes(text)
    if "pass" in lowered or "contrase" in lowered:
        for match in _SAID_FIRST.finditer(text):
            if _is_mixed(match["secret"]):
                yield match.span("secret")


def _keys(text: str) -> Iterator[tuple[int, int]]:
    for match in _KEYS.finditer(text):
        value = _value_at(text, match.end())
        if not match["beside"] and value and _is_key_like(value.text):
            yield value.span


def _codes(text: str) -> Iterator[tuple[int, int]]:
    for match in _PIN.finditer(text):
        is_postal = len(match["secret"]) == 6 and _POSTAL_PIN.match(match[0])
        if not is_postal and not _is_counted(text, match.end()):
            yield match.span("secret")
    for match in _CARD_CODE.finditer(text):
        if not _is_counted(text, match.end()):
            yield match.span("secret")


@dataclass(frozen=True, slots=True)
class _Value:
    text: str
    span: tuple[int, int]
    is_quoted: bool


def _value_at(text: str, start: int) -> _Value | None:
    if quoted := _QUOTED.match(text, start):
        return _Value(quoted[1], quoted.span(1), True)
    token = _TOKEN.match(text, start)
    bare = token[0].rstrip(".,;:!?)\"'`]}»”’") if token else ""
    # "[masked]" loses its bracket above, and is no value.
    return _Value(bare, (start, start + len(bare)), False) if bare and not bare.startswith("[masked") else None


def _password(text: str, match: re.Match[str]) -> Iterator[tuple[int, int]]:
    link: _Link = "sign" if match["sign"] else "copula" if match["copula"] else "beside"
    value = _value_at(text, match.end())
    if value is None or _PLACEHOLDER.fullmatch(value.text):
        return
    if value.is_quoted:
        is_secret = link != "beside" and not _is_prose(value.text)
    elif link == "beside":
        is_secret = _is_code_beside(value.text, name=match[0]) and not _is_counted(text, value.span[1])
    elif _is_strong(value.text):
        is_secret = not _is_counted(text, value.span[1])
    else:
        words = _WORDS.match(text, value.span[0]) if "phrase" in match[0].casefold() else None
        if words and _are_random(words[0].split()):
            yield words.span()
            return
        is_assigned = "=" in (match["sign"] or "") and value.text.casefold() not in TYPES
        is_alone = len(value.text) > 2 and _ends_a_clause(text, value.span[1])
        is_secret = is_assigned or (is_alone and not _is_prose(value.text))
    if is_secret:
        yield value.span


def _are_random(words: list[str]) -> bool:
    """Whether hardly any of them is one that sentences are made of."""
    return 6 * sum(len(word) < 6 and _is_prose(word) for word in words) <= len(words)


def _is_code_beside(value: str, *, name: str) -> bool:
    """Whether what follows the bare name ("password hunter2", "passcode 4821") can only be the credential."""
    if value.isdigit():
        return len(value) >= (4 if "code" in name.casefold() else 6)
    return _is_mixed(value) and len(value) >= 6


def _is_strong(value: str) -> bool:
    """Whether it is no ordinary word: it has digits, or signs within."""
    if PRODUCTS.fullmatch(value) or _SIZE.fullmatch(value):
        return False
    has_digit = any(letter.isdigit() for letter in value)
    has_letter = any(letter.isalpha() for letter in value)
    return (len(value) >= 4 and has_digit) or (has_letter and re.search(r"[!@#$%^&*_+=?~|\\]", value) is not None)


def _is_mixed(value: str) -> bool:
    return _is_strong(value) and any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def _is_key_like(value: str) -> bool:
    if _PLACEHOLDER.fullmatch(value) or "://" in value or not re.fullmatch(r"[A-Za-z0-9+/_.~=-]{12,}", value):
        return False
    return _is_mixed(value) or (len(value) >= 24 and value.lower() != value and "-" not in value)


def _is_prose(value: str) -> bool:
    word = value.casefold()
    return word in PROSE or (value.islower() and word.endswith(PROSE_ENDINGS)) or PRODUCTS.fullmatch(value) is not None


def _is_counted(text: str, end: int) -> bool:
    """Whether the value is a number of something: "12 characters"."""
    following = _NEXT.match(text, end)
    return following is not None and following[1].casefold() in COUNTED


def _ends_a_clause(text: str, end: int) -> bool:
    following = _NEXT.match(text, end)
    if following is None or end >= len(text) or text[end] in ".,;!?)\"'`]}»”’\n" or not following[1]:
        return not text[end : end + 1].isalnum()
    return bool(following[2]) or (text[end].isspace() and following[1].casefold() in JOINING)
