"""If-Match: which version a change was made for (RFC 9110, section 13.1.1)."""

import re

from memoryapp.api.problems import Problem, invalid
from memoryapp.api.view import AgentRequest

_TAG = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_TAGS = re.compile(rf"{_TAG}(?:[ \t]*,[ \t]*{_TAG})*")
_VERSION = re.compile(r"[1-9][0-9]{0,8}", re.ASCII)
_NO_VERSION = 0


def expected_version(request: AgentRequest, current: int) -> int:
    """The version that the change may be made to; one that no memory has when nothing named matches.

    Only strong tags match. `current` is the memory's version, for `*` and for several tags.
    """
    header = request.META.get("HTTP_IF_MATCH")
    if header is None:
        raise Problem(428, 'Name the version that you change: If-Match: "<version>".')
    if header.strip() == "*":
        return current
    if not _TAGS.fullmatch(header.strip()):
        raise invalid("If-Match", 'Must be a version in double quotes, such as "3".')
    tags = [tag[1:-1] for tag in re.findall(_TAG, header) if not tag.startswith("W/")]
    versions = [int(tag) for tag in tags if _VERSION.fullmatch(tag)]
    if len(versions) > 1:
        return current if current in versions else _NO_VERSION
    return versions[0] if versions else _NO_VERSION
