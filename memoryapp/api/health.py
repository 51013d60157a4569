"""For probes and collectors: alive, ready to serve, and what was counted."""

import hmac
from functools import cache
from ipaddress import ip_address

from django.conf import settings
from django.db import DatabaseError, InterfaceError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse
from drf_spectacular.utils import extend_schema
from prometheus_client import CONTENT_TYPE_LATEST
from rest_framework.request import Request

from memoryapp import metrics
from memoryapp.api.problems import Problem
from memoryapp.api.reply import reply
from memoryapp.api.view import PublicView
from memoryapp.services.leaks import leak_figures


@extend_schema(exclude=True)
class Healthz(PublicView):
    def get(self, request: Request) -> HttpResponse:
        return reply({"status": "alive"})


@extend_schema(exclude=True)
class Readyz(PublicView):
    def get(self, request: Request) -> HttpResponse:
        with connection.cursor() as cursor:
            cursor.execute("select 1")
        _require_migrations()
        return reply({"status": "ready"})


@extend_schema(exclude=True)
class Metrics(PublicView):
    def get(self, request: Request) -> HttpResponse:
        if not _may_read_metrics(request._request):
            raise Problem(404)
        return HttpResponse(metrics.exposition() + _of_leaks(), content_type=CONTENT_TYPE_LATEST)


def _of_leaks() -> bytes:
    """While the database is away these figures are missing, and the others are not."""
    try:
        figures = leak_figures()
    except (DatabaseError, InterfaceError):
        return b""
    return metrics.leak_exposition(figures.found, figures.checked_at)


@cache
def _require_migrations() -> None:
    """Remembered once they are applied: a failure is not cached."""
    executor = MigrationExecutor(connection)
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise Problem(503, "The tables are not up to date.", headers={"Retry-After": "2"})


def _may_read_metrics(request: HttpRequest) -> bool:
    if settings.MEMORY_METRICS_TOKEN is not None:
        scheme, _, token = request.META.get("HTTP_AUTHORIZATION", "").partition(" ")
        given, expected = token.strip().encode(), settings.MEMORY_METRICS_TOKEN.encode()
        return scheme.lower() == "bearer" and hmac.compare_digest(given, expected)
    try:
        address = ip_address(request.META.get("REMOTE_ADDR", ""))
    except ValueError:
        return False
    return any(address in network for network in settings.MEMORY_METRICS_NETWORKS)
