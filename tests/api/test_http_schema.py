"""Requests made from the description itself: what it allows is accepted, what it rules out is refused, nothing fails."""

import schemathesis
from django.core.signals import request_finished, request_started
from django.core.wsgi import get_wsgi_application
from django.db import close_old_connections
from hypothesis import HealthCheck, Phase, settings

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


schema = schemathesis.openapi.from_wsgi("/api/v1/schema", application)


@schema.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
def test_it_keeps_what_the_description_promises(case, api, remembered):
    memory = remembered()
    if "memory_id" in case.path_parameters:
        case.path_parameters["memory_id"] = memory["id"]
    case.call_and_validate(headers={"Authorization": f"Bearer {api.secret}"})
