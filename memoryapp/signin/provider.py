"""To the operator's OpenID Connect provider, and back. Loaded only where one is configured."""

import logging
from collections.abc import Callable

from allauth.socialaccount.providers.openid_connect import views as oidc
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET, require_http_methods
from requests import RequestException

_log = logging.getLogger("memoryapp.signin")


@login_not_required
@require_http_methods(["GET", "POST"])
def leave(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Leaves by a page instead of a redirect: a form may be answered by no other site (CSP)."""
    response = _ask(oidc.login, request, provider_id)
    if request.method == "POST" and response.status_code == 302 and "://" in response["Location"]:
        return render(request, "socialaccount/leaving.html", {"address": response["Location"]})
    return response


@login_not_required
@require_GET
def come_back(request: HttpRequest, provider_id: str) -> HttpResponse:
    return _ask(oidc.callback, request, provider_id)


def _ask(view: Callable[[HttpRequest, str], HttpResponse], request: HttpRequest, provider_id: str) -> HttpResponse:
    try:
        return view(request, provider_id)
    except RequestException as error:
        _log.warning("The provider for signing in does not answer: %s.", type(error).__name__)
        return render(request, "socialaccount/authentication_error.html", status=503)
