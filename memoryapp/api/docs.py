"""The OpenAPI description, and a page for people that shows it."""

from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.csp import CSP
from django.utils.decorators import method_decorator
from django.views.decorators.csp import csp_override
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from memoryapp.api.negotiation import OnlyJson
from memoryapp.api.reply import reply
from memoryapp.api.view import PublicView

_PAGE_CSP: dict[str, list[str]] = {
    "default-src": [CSP.NONE],
    "script-src": [CSP.SELF],
    "connect-src": [CSP.SELF],
    "style-src": [CSP.SELF, CSP.UNSAFE_INLINE],  # the viewer sets style attributes
    "img-src": [CSP.SELF, "data:"],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}


@extend_schema(exclude=True)
class Schema(PublicView):
    content_negotiation_class = OnlyJson

    def get(self, request: Request) -> HttpResponse:
        return reply(schema())


@extend_schema(exclude=True)
class Docs(PublicView):
    @method_decorator(csp_override(_PAGE_CSP))
    def get(self, request: Request) -> HttpResponse:
        django_request: HttpRequest = request._request
        return render(django_request, "api/docs.html")


@cache
def schema() -> dict[str, Any]:
    """Built once: the description does not depend on the request."""
    description: dict[str, Any] = SchemaGenerator().get_schema(request=None, public=True)  # type: ignore[no-untyped-call]
    return description
