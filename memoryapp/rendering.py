"""One template for a page and its fragments: which of them a request gets."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers
from django.utils.html import escape, format_html
from django.utils.safestring import mark_safe

_PARTIAL = "partial"


def is_htmx(request: HttpRequest) -> bool:
    return request.headers.get("HX-Request") == "true"


def wants_fragment(request: HttpRequest) -> bool:
    """True when htmx will put the answer into a part of the page; Back inside a page asks for the whole of it."""
    return is_htmx(request) and request.headers.get("HX-Request-Type") == _PARTIAL


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    partial: str | None = None,
    also: Iterable[str] = (),
    said: str = "",
    focus: str = "",
    status: int = 200,
) -> HttpResponse:
    """The whole page, or the inline partial that is named after the element it fills.

    `also` are further partials that go along with a fragment, each into the element of its name. `said` is the one
    sentence for the status region; it must hold no memory text. `focus` is the id of what gets the focus after a
    fragment; without it the focus stays where it is, or goes to the next row.
    """
    given = dict(context or {})
    if partial is None or not wants_fragment(request):
        if said:
            messages.success(request, said)
        return private(HttpResponse(render_to_string(template, given, request), status=status))
    parts: list[str] = [render_to_string(f"{template}#{partial}", given, request)]
    for name in also:
        inner = mark_safe(render_to_string(f"{template}#{name}", given, request))  # noqa: S308 - rendered by a template
        parts.append(_partial(name, inner))
    if said:
        parts.append(_partial("status", escape(said)))
    response = private(HttpResponse("".join(parts), status=status))
    if focus:
        response["X-Focus"] = focus
    return response


def _partial(name: str, inner: str) -> str:
    # Tables lose out-of-band rows, so that only htmx's own element is used.
    return format_html('<hx-partial hx-target="#{}" hx-swap="innerMorph">{}</hx-partial>', name, inner)


def leave(request: HttpRequest, to: str, *, said: str = "") -> HttpResponse:
    """To another page, after a change. `said` is shown there; it must hold no memory text.

    Without htmx a redirect with 303. With it the middleware makes HX-Redirect of it.
    """
    if said:
        messages.success(request, said)
    return private(HttpResponseRedirect(to, status=303))


def private(response: HttpResponse) -> HttpResponse:
    keep_private(response)
    return response


def keep_private(response: HttpResponseBase) -> None:
    """Nothing personal stays in a cache. A fragment is never taken for the page of the same address."""
    response["Cache-Control"] = "no-store"
    patch_vary_headers(response, ["HX-Request", "Cookie"])
