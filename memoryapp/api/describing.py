"""The OpenAPI description, written from the same declarations that check the requests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiRequest, OpenApiResponse, extend_schema

from memoryapp.api.body import MIB
from memoryapp.api.components import COMPONENTS, ref
from memoryapp.api.fields import JsonSchema
from memoryapp.api.shape import QueryShape, Shape

FILE_TYPES = ("application/json", "application/zip")
_PROBLEM = "application/problem+json"
_ALWAYS = (400, 401, 404, 406, 422, 429, 503)
_WITH_BODY = (413, 415)
_IDEMPOTENCY_KEY = {
    "type": "string",
    "pattern": r"^[\x21-\x7E]([\x20-\x7E]{0,126}[\x21-\x7E])?$",
    "minLength": 1,
    "maxLength": 128,
}
UUID_SCHEMA: JsonSchema = {"type": "string", "format": "uuid"}
_request_components: dict[str, JsonSchema] = {}


@dataclass(frozen=True, slots=True)
class Call:
    """What a call takes and gives.

    `returns` maps a status to a component's name and an example; `problems` are further statuses that may come.
    `path` are the schemas of the path's parameters, `limit` the largest body in bytes. `takes_file`: the body is handed
    on as it came, whatever of `FILE_TYPES` it is.
    """

    name: str
    summary: str
    returns: Mapping[int, tuple[str, Any]]
    body: type[Shape] | None = None
    takes_file: bool = False
    example: Any = None
    query: type[QueryShape] | None = None
    path: Mapping[str, JsonSchema] | None = None
    problems: Sequence[int] = ()
    writes: bool = False
    limit: int = MIB
    retries: bool = False
    if_match: bool = False


def describe(call: Call) -> Callable[[Any], Any]:
    request: dict[str, OpenApiRequest] | None = None
    if call.takes_file:
        given = OpenApiExample("Example", call.example, media_type="application/json")
        request = {
            "application/json": OpenApiRequest({"type": ["object", "array"]}, examples=[given]),
            "application/zip": OpenApiRequest({"type": "string", "format": "binary", "minLength": 1}),
        }
    elif call.body is not None:
        _request_components[call.body.__name__] = call.body().json_schema()
        example = OpenApiExample("Example", call.example, media_type="application/json")
        request = {"application/json": OpenApiRequest(ref(call.body.__name__), examples=[example])}
    return extend_schema(
        operation_id=call.name,
        summary=call.summary,
        description=call.summary,
        request=request,
        parameters=list(_parameters(call)),
        responses=_responses(call),
    )


def complete(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """Adds what the declarations refer to. A postprocessing hook of drf-spectacular."""
    result["components"]["schemas"] = dict(sorted((COMPONENTS | _request_components).items()))
    for operations in result["paths"].values():
        for operation in operations.values():
            if "requestBody" in operation:
                operation["requestBody"]["required"] = True
    return result


def only_agents_calls(endpoints: list[Any]) -> list[Any]:
    """A preprocessing hook of drf-spectacular."""
    return [endpoint for endpoint in endpoints if endpoint[0].startswith("/api/v1/")]


def _parameters(call: Call) -> list[OpenApiParameter]:
    found = [
        OpenApiParameter(name, schema, OpenApiParameter.PATH, required=True)
        for name, schema in (call.path or {}).items()
    ]
    if call.query is not None:
        found += [
            OpenApiParameter(
                name,
                field.json_schema(),
                OpenApiParameter.QUERY,
                required=field.is_described_as_required,
                description=field.about,
            )
            for name, field in call.query().fields.items()
        ]
    if call.retries:
        found.append(OpenApiParameter("Idempotency-Key", _IDEMPOTENCY_KEY, OpenApiParameter.HEADER))
    if call.if_match:
        form = {"type": "string", "pattern": '^"[1-9][0-9]{0,8}"$', "example": '"3"'}
        found.append(OpenApiParameter("If-Match", form, OpenApiParameter.HEADER, required=True))
    return found


def _responses(call: Call) -> dict[Any, OpenApiResponse]:
    responses: dict[Any, OpenApiResponse] = {
        (status, "application/json"): OpenApiResponse(
            ref(component),
            HTTPStatus(status).phrase,
            examples=[OpenApiExample("Example", example, media_type="application/json", status_codes=[str(status)])],
        )
        for status, (component, example) in call.returns.items()
    }
    statuses = {
        *_ALWAYS,
        *call.problems,
        *(_WITH_BODY if call.body or call.takes_file else ()),
        *((403,) if call.writes else ()),
        *((412, 428) if call.if_match else ()),
    }
    for status in sorted(statuses):
        responses[status, _PROBLEM] = OpenApiResponse(ref("Problem"), HTTPStatus(status).phrase)
    return responses
