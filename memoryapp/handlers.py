"""What Django answers by itself: JSON below the API, pages everywhere else."""

from django.http import HttpRequest, HttpResponse

from memoryapp.api import handlers as api
from memoryapp.dashboard import failures as pages
from memoryapp.dashboard.middleware import is_page


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return pages.bad_request(request, exception) if is_page(request) else api.bad_request(request, exception)


def forbidden(request: HttpRequest, exception: Exception) -> HttpResponse:
    return pages.forbidden(request, exception) if is_page(request) else api.forbidden(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return pages.not_found(request, exception) if is_page(request) else api.not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    return pages.server_error(request) if is_page(request) else api.server_error(request)
