"""How long ago a person proved who they are in this session."""

import time

from django.conf import settings
from django.http import HttpRequest

_SIGNED_IN_AT = "signed_in_at"


def mark_signed_in(request: HttpRequest) -> None:
    request.session[_SIGNED_IN_AT] = time.time()


def signed_in_recently(request: HttpRequest) -> bool:
    """Within MEMORY_FRESH_SECONDS, by whatever way: a second proof would tell nothing more."""
    at = request.session.get(_SIGNED_IN_AT)
    return isinstance(at, float) and 0 <= time.time() - at < settings.MEMORY_FRESH_SECONDS
