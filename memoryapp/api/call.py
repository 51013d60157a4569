"""One declaration per call: what it takes, what it gives, and the page of the OpenAPI description that says so.

The order of checks is the same everywhere: key, permission, then the values, then whether the object is there.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from memoryapp.api.body import check_content_type, parse_json, read_body
from memoryapp.api.describing import FILE_TYPES, UUID_SCHEMA, Call, describe
from memoryapp.api.problems import Problem, invalid
from memoryapp.api.queries import NoQuery
from memoryapp.api.shape import Given, Shape
from memoryapp.api.view import AgentRequest

_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII | re.IGNORECASE)
_NO_QUERY = NoQuery()

View = Callable[..., HttpResponseBase]


def call(declared: Call) -> Callable[[View], View]:
    """Hands the checked values to the method as its second argument, and a path's ids as UUIDs."""
    query = declared.query() if declared.query else _NO_QUERY
    body = declared.body() if declared.body else None
    ids = [name for name, schema in (declared.path or {}).items() if schema == UUID_SCHEMA]

    def decorate(method: View) -> View:
        @wraps(method)
        def checked(view: Any, request: AgentRequest, **path: Any) -> HttpResponseBase:
            if declared.writes and not request.actor.can_write:
                raise Problem(403)
            given: Given = {}
            if declared.takes_file:
                _file(request, declared.limit)
            elif request.method not in ("GET", "HEAD"):
                given = _body(request, body, declared.limit)
            given |= query.read_query(request.query_params)
            path |= {name: _uuid(path[name]) for name in ids}
            return method(view, request, given, **path)

        return cast(View, describe(declared)(checked))

    return decorate


def _body(request: AgentRequest, shape: Shape | None, limit: int) -> Given:
    django_request: HttpRequest = request._request
    request.received = read_body(django_request, limit)
    if not request.received:
        if shape is None:
            return {}
        raise Problem(400, "The body is empty; a JSON object is expected.")
    check_content_type(django_request)
    value = parse_json(request.received)
    if shape is None:
        if value != {}:
            raise invalid("body", "This call takes no body.")
        return {}
    return shape.read(value)


def _file(request: AgentRequest, limit: int) -> None:
    """A file that a service reads: it is left in `request.received`."""
    request.received = read_body(request._request, limit)
    if not request.received:
        raise Problem(400, "The body is empty; a file is expected.")
    check_content_type(request._request, FILE_TYPES)


def _uuid(text: str) -> UUID:
    if not _ID.fullmatch(text):
        raise Problem(404)
    return UUID(text)
