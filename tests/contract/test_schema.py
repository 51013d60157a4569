"""Requests made from the description: what it allows is accepted, what it rules out is refused, nothing fails."""

import re
from uuid import UUID

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import load_all_checks
from schemathesis.generation.feedback import FeedbackSources
from schemathesis.pytest._test_builder import build_operation_test
from schemathesis.python._constants.orchestrator import make_constants_value_source
from schemathesis.specs.openapi import converter
from schemathesis.specs.openapi.checks import missing_required_header, positive_data_acceptance
from schemathesis.specs.openapi.coverage import _operation as covering

from memoryapp.api.docs import schema as described

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
CALLS = [(path, method.upper()) for path, calls in described()["paths"].items() for method in calls]

NOT_SAYABLE = {"as_of", "body", "cursor", "metadata", "occurred_at", "valid_from", "Idempotency-Key"}
"""What JSON Schema cannot say of a value: order of times, the present, what was issued, the size in bytes,
and that not everything is null."""


@pytest.fixture(scope="session")
def served():
    """The description as it is served. A pattern with 100,000 characters' length written into it takes the library a
    second each time, so lengths stay beside their patterns, where they say the same."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (converter, covering):
            patch.setattr(module, "update_quantifier", lambda pattern, *lengths: pattern)
        load_all_checks()
        schema = schemathesis.openapi.from_wsgi("/api/v1/schema", application)
        yield schema, FeedbackSources(constants_value_source=make_constants_value_source(schema))


@pytest.fixture
def memory(remember):
    return remember("Ada prefers metric units.", subject="units")


@pytest.mark.parametrize(("path", "method"), CALLS)
def test_it_keeps_what_the_description_promises(path, method, served, bot_key, memory):
    """The requests of one call are thought out when it is its turn, which the library does for all before any test."""

    @settings(
        max_examples=10,
        deadline=None,
        derandomize=True,
        database=None,
        phases=(Phase.explicit, Phase.generate),
        suppress_health_check=list(HealthCheck),
    )
    def keeps_its_promise(case):
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

    schema, feedback = served
    build_operation_test(
        config=schema.config,
        operation=schema[path][method],
        test_func=keeps_its_promise,
        given_kwargs={},
        feedback=feedback,
    )()


def is_uuid(value):
    try:
        return str(UUID(value)) == value
    except (TypeError, ValueError, AttributeError):
        return False
