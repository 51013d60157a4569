"""What holds for every request and response, whatever comes in between: the outermost middleware."""

import logging
from collections.abc import Callable
from time import perf_counter
from urllib.parse import unquote_to_bytes

from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponseBase

from memoryapp import metrics
from memoryapp.api.auth import KEY_PREFIX
from memoryapp.api.problems import Problem, respond
from memoryapp.api.request_ids import give_request_id

_PROBES = ("healthz", "readyz", "metrics")
_STATIC = "static"
_access = logging.getLogger("memoryapp.access")
_OUR_PATHS = ("/api/", "/healthz", "/readyz", "/metrics")
_UNKNOWN = "unknown"


class Edge:
    """Gives the request its id, refuses addresses that cannot be read, and logs route, status and time.

    The log names the route's pattern and the key's prefix, never a path, a query or an id of a person.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = perf_counter()
        request_id = give_request_id(request)
        try:
            _check_address(request)
        except Problem as problem:
            response: HttpResponseBase = respond(problem, request)
        else:
            _tolerate_trailing_slash(request)
            response = self.get_response(request)
        response["X-Request-Id"] = request_id
        if request.path_info.startswith("/api/"):
            response.setdefault("Cache-Control", "no-store")
        seconds = perf_counter() - started
        is_file = request.path_info.startswith(settings.STATIC_URL) and response.status_code < 400
        unresolved = _STATIC if is_file else _UNKNOWN
        route = request.resolver_match.route if request.resolver_match else unresolved
        metrics.count_request(route, request.method or "", response.status_code, seconds)
        # Probes come every few seconds, files with every page, and say nothing.
        _access.log(
            logging.DEBUG if route in (*_PROBES, _STATIC) else logging.INFO,
            "%s /%s %d %.1fms request_id=%s key=%s",
            request.method,
            route,
            response.status_code,
            seconds * 1000,
            request_id,
            request.META.get(KEY_PREFIX, "-"),
        )
        return response


def _check_address(request: HttpRequest) -> None:
    path = request.path_info
    try:
        request.get_host()
        # Django writes bytes that are no UTF-8 back as %XX; the raw path is gone by now.
        unquote_to_bytes(path).decode()
        query = unquote_to_bytes(request.META.get("QUERY_STRING", "").encode("latin-1")).decode()
    except (DisallowedHost, UnicodeError):
        raise Problem(400) from None
    if "\0" in path or "\0" in query:
        raise Problem(400)


def _tolerate_trailing_slash(request: HttpRequest) -> None:
    path = request.path_info
    if path.endswith("/") and path.startswith(_OUR_PATHS):
        request.path_info = path[:-1]
        request.path = request.path[:-1]
