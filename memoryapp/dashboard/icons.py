"""The pictures of `static/icons.svg`."""

from functools import cache

from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.safestring import SafeString

from memoryapp.dashboard import wording


@cache
def icon(name: str) -> SafeString:
    """A picture from `static/icons.svg`. It stands beside a word and is silent."""
    return format_html('<svg class="icon" aria-hidden="true"><use href="{}#{}"/></svg>', static("icons.svg"), name)


def kind_icon(kind: str) -> SafeString:
    """The kind's picture; kinds that agents make up have one in common."""
    return icon(kind if kind in wording.KINDS else "other")
