"""The signature at an export's end: whether a file was written here, and whether it is still as it was written."""

import hashlib
import hmac
import json
import os
import re
from dataclasses import dataclass
from typing import IO, Literal

from django.conf import settings

SIGNATURE = "signature"
ALGORITHM = "HMAC-SHA256"
_END = re.compile(rb',\n"signature": (\{[^{}\n]*\})\n\}\s*\Z')
_LONGEST_END = 1_024
_AT_ONCE = 1 << 16


def _key() -> bytes:
    return hashlib.sha256(b"export signature\0" + settings.SECRET_KEY.encode()).digest()


def key_id() -> str:
    """Names the key without telling it: a file with this name was written here, whatever became of it since."""
    return hmac.digest(_key(), b"key id", "sha256").hex()[:16]


class Signed:
    """Writes to a file what its signature covers, and keeps no more of it than a running digest."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._digest = hmac.new(_key(), digestmod="sha256")

    def write(self, some: bytes) -> None:
        self._file.write(some)
        self._digest.update(some)

    def signature(self) -> dict[str, str]:
        return {"algorithm": ALGORITHM, "key": key_id(), "value": self._digest.hexdigest()}


@dataclass(frozen=True, slots=True)
class Checked:
    """`ours`: as it was written here. `changed`: written here, other since. `none`: by whom is not known.

    `end` is where the signed bytes end.
    """

    verdict: Literal["ours", "changed", "none"]
    end: int


def check(file: IO[bytes]) -> Checked:
    """Reads the file once, in constant memory, and leaves it at its beginning."""
    size = file.seek(0, os.SEEK_END)
    start = file.seek(max(0, size - _LONGEST_END))
    found = _END.search(file.read())
    file.seek(0)
    try:
        signature = json.loads(found[1]) if found else {}
    except ValueError:
        signature = {}
    if found is None or signature.get("key") != key_id():
        return Checked("none", size)
    end = start + found.start()
    is_ours = hmac.compare_digest(str(signature.get("value")).encode(), _digest_of(file, end).encode())
    return Checked("ours" if is_ours else "changed", end)


def _digest_of(file: IO[bytes], end: int) -> str:
    digest = hmac.new(_key(), digestmod="sha256")
    left = end
    while left > 0 and (some := file.read(min(left, _AT_ONCE))):
        digest.update(some)
        left -= len(some)
    file.seek(0)
    return digest.hexdigest()
