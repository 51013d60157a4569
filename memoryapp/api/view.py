"""What the views of agents have in common, and the request as they see it."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, cast

from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.permissions import AllowAny, BasePermission
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from accounts.actors import Actor
from accounts.models import AgentKey
from memoryapp.api.auth import Bearer
from memoryapp.api.negotiation import Anything, OnlyJson
from memoryapp.api.problems import Problem, answer_exception
from memoryapp.services import agents, rate_limit


class AgentRequest(Request):
    """A request whose agent key was accepted. `received` are the bytes of the body, for the fingerprint of retries."""

    received: bytes = b""

    @property
    def key(self) -> AgentKey:
        return cast(AgentKey, self.auth)

    @cached_property
    def actor(self) -> Actor:
        return agents.actor_of(self.key)


class HasKey(BasePermission):
    def has_permission(self, request: Request, view: APIView) -> bool:
        return request.auth is not None


class JsonView(APIView):
    """Every answer is JSON, refusals and failures too. Methods that are not defined are 405."""

    http_method_names = ("get", "head", "post", "patch", "delete")
    renderer_classes = (JSONRenderer,)
    parser_classes = ()
    authentication_classes: Sequence[type[BaseAuthentication]] = ()
    permission_classes: Sequence[type[BasePermission]] = (AllowAny,)
    throttle_classes = ()

    def get_exception_handler(self) -> Any:
        return answer_exception


class PublicView(JsonView):
    """Open to everybody, in one form whatever the caller accepts."""

    content_negotiation_class: type[BaseContentNegotiation] = Anything


class AgentView(JsonView):
    """Open to agent keys. What a key may do is checked by `call`."""

    authentication_classes = (Bearer,)
    permission_classes = (HasKey,)
    content_negotiation_class = OnlyJson

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> AgentRequest:
        return AgentRequest(request, authenticators=self.get_authenticators(), negotiator=self.get_content_negotiator())

    def check_throttles(self, request: Request) -> None:
        wait_seconds = rate_limit.count_call(cast(AgentRequest, request).key.id)
        if wait_seconds is not None:
            raise Problem(
                429,
                "This key has made as many calls as it may in a minute.",
                headers={"Retry-After": str(wait_seconds)},
            )
