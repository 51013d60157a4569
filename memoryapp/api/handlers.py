"""What Django answers by itself, in our form: addresses that lead nowhere, and failures outside any view."""

from django.http import HttpRequest, HttpResponse
from drf_spectacular.utils import extend_schema

from memoryapp.api.problems import Problem, respond
from memoryapp.api.view import PublicView


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return respond(Problem(400), request)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return respond(Problem(403), request)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return respond(Problem(404), request)


def server_error(request: HttpRequest) -> HttpResponse:
    return respond(Problem(500), request)


@extend_schema(exclude=True)
class Nowhere(PublicView):
    """Every other address below the API, so that DEBUG does not answer them with a page either."""

    def initial(self, *args: object, **kwargs: object) -> None:
        raise Problem(404)
