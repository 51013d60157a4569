"""Every refusal and failure as `application/problem+json` (RFC 9457), never HTML, never a traceback."""

import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.db import IntegrityError, InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from psycopg.errors import ForeignKeyViolation
from rest_framework.exceptions import APIException, AuthenticationFailed, NotAuthenticated
from rest_framework.request import Request

from memoryapp.api.faults import Faulty
from memoryapp.api.request_ids import request_id_of
from memoryapp.services import errors

FieldErrors = list[dict[str, Any]]

_log = logging.getLogger("memoryapp.api")
_RETRY_AFTER_SECONDS = 2
_DETAILS = {
    400: "The request cannot be read.",
    401: "A valid agent key is needed, as Authorization: Bearer.",
    403: "This key may not write.",
    404: "There is nothing here that this key may see.",
    405: "This method is not allowed here.",
    406: "The answer is JSON, which the Accept header rules out.",
    415: "The body must be application/json in UTF-8.",
    422: "Some values cannot be used; `errors` says which.",
    500: "Something went wrong here. It was recorded under the request id.",
    503: "The database cannot be reached. Try again shortly.",
}


class Problem(Exception):
    """An answer other than success. `extra` are further members, `headers` further headers."""

    def __init__(
        self,
        status: int,
        detail: str | None = None,
        *,
        errors: FieldErrors | None = None,
        headers: Mapping[str, str] | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(status)
        self.status = status
        self.detail = detail or _DETAILS.get(status, "The request cannot be answered.")
        self.errors = errors or []
        self.headers = headers or {}
        self.extra = extra or {}


def invalid(field: str, message: str) -> Problem:
    return Problem(422, errors=[{"field": field, "message": message}])


def respond(problem: Problem, request: HttpRequest | Request) -> HttpResponse:
    body = {
        "type": "about:blank",
        "title": HTTPStatus(problem.status).phrase,
        "status": problem.status,
        "detail": problem.detail,
        "request_id": request_id_of(request),
        "errors": problem.errors,
        **problem.extra,
    }
    return HttpResponse(
        json.dumps(body, ensure_ascii=False, separators=(",", ":")),
        status=problem.status,
        content_type="application/problem+json",
        headers=dict(problem.headers),
    )


def answer_exception(error: Exception, context: Mapping[str, Any]) -> HttpResponse:
    """What DRF asks of an exception handler."""
    return respond(problem_of(error, context.get("view")), context["request"])


def problem_of(error: Exception, view: Any = None) -> Problem:
    match error:
        case Problem():
            return error
        case errors.NotFound():
            return Problem(404)
        case errors.Conflict():
            return Problem(409, error.detail, extra={"code": error.code})
        case errors.StaleVersion():
            return Problem(412, error.detail, extra={"current": error.current})
        case errors.Refused():
            return Problem(422, error.detail, extra={"rule": error.rule})
        case errors.Malformed():
            fault = {"field": "body", "message": error.detail, "line": error.line, "column": error.column}
            return Problem(400, error.detail, errors=[{k: v for k, v in fault.items() if v is not None}])
        case errors.Invalid():
            return invalid(error.field, error.detail)
        case Faulty():
            return Problem(422, errors=[{**fault, "field": fault["field"] or "body"} for fault in error.faults])
        case NotAuthenticated() | AuthenticationFailed():
            return Problem(401, headers={"WWW-Authenticate": "Bearer"})
        case APIException():
            allowed = {"Allow": ", ".join(view.allowed_methods)} if error.status_code == 405 and view else {}
            return Problem(error.status_code, _DETAILS.get(error.status_code), headers=allowed)
        case Http404():
            return Problem(404)
        case PermissionDenied():
            return Problem(403)
        case SuspiciousOperation():
            return Problem(400)
        case IntegrityError() if isinstance(error.__cause__, ForeignKeyViolation):
            # What the call was about was erased while the call was under way.
            return Problem(404)
        case OperationalError() | InterfaceError():
            _log.warning("The database does not answer: %s.", type(error.__cause__ or error).__name__)
            return Problem(503, headers={"Retry-After": str(_RETRY_AFTER_SECONDS)})
    _log.error("A request failed.", exc_info=error)
    return Problem(500)
