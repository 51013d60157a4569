"""JSON is what there is; a caller that rules it out is told so."""

from collections.abc import Iterable
from typing import Any

from rest_framework.exceptions import NotAcceptable
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request

_OURS = ("application/json", "application/problem+json")


class OnlyJson(BaseContentNegotiation):
    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        accept = request.META.get("HTTP_ACCEPT", "")
        if accept not in ("", "*/*", "application/json") and not any(_accepts(accept, ours) for ours in _OURS):
            raise NotAcceptable
        return _the_only(renderers)


class Anything(BaseContentNegotiation):
    """For pages and probes, which have one form."""

    def select_renderer(
        self, request: Request, renderers: Iterable[Any], format_suffix: str | None = None
    ) -> tuple[Any, str]:
        return _the_only(renderers)


def _the_only(renderers: Iterable[Any]) -> tuple[Any, str]:
    renderer = next(iter(renderers))
    return renderer, renderer.media_type


def _accepts(accept: str, media_type: str) -> bool:
    """Whether the most specific range that covers the type has a quality above zero (RFC 9110, section 12.5.1)."""
    ranges = ("*/*", media_type.split("/")[0] + "/*", media_type)
    best, quality = -1, 0.0
    for item in accept.lower().split(","):
        name, *parameters = (part.strip() for part in item.split(";"))
        if name in ranges and ranges.index(name) > best:
            best, quality = ranges.index(name), _quality(parameters)
    return quality > 0


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        if parameter.startswith("q="):
            try:
                return float(parameter[2:])
            except ValueError:
                return 0.0
    return 1.0
