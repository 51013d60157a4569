"""Reads the environment. Each function takes one kind of value; an empty variable counts as absent.

A wrong value ends the process with one sentence that names the variable, and exit code 1.
"""

import os
from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

_TRUE = ("1", "true", "yes", "on")
_FALSE = ("0", "false", "no", "off")


class WrongSetting(SystemExit):
    """One sentence for the operator. Uncaught, it goes to stderr and the process exits with code 1."""


def text(name: str, default: str = "") -> str:
    return os.environ.get(name, "").strip() or default


def flag(name: str, *, default: bool = False) -> bool:
    value = text(name).lower()
    if not value:
        return default
    if value not in _TRUE + _FALSE:
        raise WrongSetting(f"{name} must be one of {', '.join(_TRUE + _FALSE)}; it is {value!r}.")
    return value in _TRUE


def choice(name: str, allowed: Sequence[str], *, default: str) -> str:
    value = text(name, default).lower()
    if value not in allowed:
        raise WrongSetting(f"{name} must be one of {', '.join(allowed)}; it is {value!r}.")
    return value


def whole(name: str, *, default: int, at_least: int, at_most: int) -> int:
    """A whole number within both bounds, each included."""
    value = text(name, str(default))
    if not (value.isascii() and value.isdigit() and len(value) < 12 and at_least <= int(value) <= at_most):
        raise WrongSetting(f"{name} must be a whole number from {at_least} to {at_most}; it is {value!r}.")
    return int(value)


def number(name: str, *, default: float, at_least: float, at_most: float) -> float:
    """A number within both bounds, each included."""
    value = text(name, str(default))
    try:
        parsed = float(value)
    except ValueError:
        parsed = float("nan")
    if not at_least <= parsed <= at_most:
        raise WrongSetting(f"{name} must be a number from {at_least:g} to {at_most:g}; it is {value!r}.")
    return parsed


def items(name: str, default: str = "") -> list[str]:
    """A list that commas separate, without blanks."""
    return [item.strip() for item in text(name, default).split(",") if item.strip()]


def folder(name: str, *, default: str, base: Path) -> Path:
    """An absolute path; a relative one counts from `base`."""
    path = Path(text(name, default)).expanduser()
    if path.is_file():
        raise WrongSetting(f"{name} must be a folder; {path} is a file.")
    return Path(os.path.abspath(base / path))


def file(name: str, *, default: Path, base: Path) -> Path:
    """An absolute path; a relative one counts from `base`."""
    path = Path(text(name, str(default))).expanduser()
    if path.is_dir():
        raise WrongSetting(f"{name} must be a file; {path} is a folder.")
    return Path(os.path.abspath(base / path))


def token_or_networks(name: str, *, default: str) -> tuple[str | None, tuple[IPv4Network | IPv6Network, ...]]:
    """`token:` and a secret of 16 characters or more, or addresses and networks that commas separate."""
    value = text(name, default)
    if value.startswith("token:"):
        token = value.removeprefix("token:")
        if len(token) < 16:
            raise WrongSetting(f"{name} must have a token of at least 16 characters after 'token:'.")
        return token, ()
    try:
        return None, tuple(ip_network(item) for item in items(name, default))
    except ValueError:
        raise WrongSetting(
            f"{name} must be 'token:' and a secret, or addresses such as 127.0.0.1,10.0.0.0/8."
        ) from None
