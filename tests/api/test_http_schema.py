"""Requests made from the description itself: what it allows is accepted, what it rules out is refused, nothing fails."""

import pytest
import schemathesis
from django.core.wsgi import get_wsgi_application
from hypothesis import HealthCheck, Phase, settings

schema = schemathesis.openapi.from_wsgi("/api/v1/schema", get_wsgi_application())


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
    for name in ("memory_id",):
        if name in case.path_parameters:
            case.path_parameters[name] = memory["id"]
    case.call_and_validate(headers={"Authorization": f"Bearer {api.secret}"})
