"""Requests made from the description: what it allows is accepted, what it rules out is refused, nothing fails."""

import re
from uuid import UUID

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis.specs.openapi.checks import missing_required_header, positive_data_acceptance

django = get_wsgi_application()


def application(environ, start_response):
    """As a server calls it, save that its end does not close the connection that holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    try:
        response = django(environ, start_response)
        body = list(response)
        response.close()
        return body
    finally:
        for signal in (request_started, request_finished):
            signal.connect(close_old_connections)


schemathesis.serializer.alias("application/zip", "application/octet-stream")
schema = schemathesis.openapi.from_wsgi("/api/v1/schema", application)


NOT_SAYABLE = {"as_of", "body", "cursor", "metadata", "occurred_at", "valid_from", "Idempotency-Key"}
"""What JSON Schema cannot say of a value: order of times, the present, what was issued, the size in bytes,
and that not everything is null."""


@pytest.fixture
def memory(remember):
    return remember("Ada prefers metric units.", subject="units")


@schema.parametrize()
@settings(
    max_examples=10,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_it_keeps_what_the_description_promises(case, bot_key, memory):
    if is_uuid(case.path_parameters.get("memory_id")):
        case.path_parameters["memory_id"] = memory["id"]
    response = case.call_and_validate(
        headers={"Authorization": f"Bearer {bot_key[1]}"},
        excluded_checks=[positive_data_acceptance, missing_required_header],
    )
    if case.meta.generation.mode.is_positive and response.status_code >= 400:
        faults = [set(re.split(r"[.\[\]]", fault["field"])) for fault in response.json()["errors"]]
        sayable = [words for words in faults if not words & NOT_SAYABLE]
        assert response.status_code in (404, 409, 412) or (faults and not sayable), response.text


def is_uuid(value):
    try:
        return str(UUID(value)) == value
    except (TypeError, ValueError, AttributeError):
        return False
