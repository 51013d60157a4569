"""What holds for every page and not for the API: privacy, the person's language and time, redirects under htmx."""

import zoneinfo
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.middleware.gzip import GZipMiddleware
from django.shortcuts import resolve_url
from django.utils import timezone, translation
from django.utils.cache import patch_vary_headers

from memoryapp.rendering import is_htmx, keep_private

GetResponse = Callable[[HttpRequest], HttpResponseBase]

_NO_PAGES = ("/api/", "/healthz", "/readyz", "/metrics")
ZONE_COOKIE = "zone"
_REDIRECTS = (301, 302, 303, 307, 308)


def is_page(request: HttpRequest) -> bool:
    return not request.path_info.startswith(_NO_PAGES)


class Pages:
    """Stands behind authentication and before the demand for a sign-in."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not is_page(request):
            return self.get_response(request)
        language = _language(request)
        with translation.override(language), timezone.override(_zone(request)):
            response = self.get_response(request)
        response.setdefault("Content-Language", language)
        patch_vary_headers(response, ["Accept-Language"])
        keep_private(response)
        if response.status_code in _REDIRECTS and is_htmx(request):
            # The browser would follow a redirect by itself and put that page into the list.
            return _whole_page(request, response)
        if response.status_code in _REDIRECTS and request.method == "POST" and _demands_sign_in(request, response):
            response["Location"] = _sign_in(request.headers.get("Referer", ""), request.get_host())
        return response


class CompressedPages(GZipMiddleware):
    """Pages, styles and scripts; Django pads them at random, so that their size does not give secrets away."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        return super().process_response(request, response) if is_page(request) else response


def _language(request: HttpRequest) -> str:
    chosen: str = getattr(request.user, "language", "")
    known = dict(settings.LANGUAGES)
    return chosen if chosen in known else translation.get_language_from_request(request)


def _zone(request: HttpRequest) -> zoneinfo.ZoneInfo:
    """The person's own, else the one that the script of the pages wrote down of the browser, else UTC."""
    chosen: str = getattr(request.user, "time_zone", "")
    try:
        return zoneinfo.ZoneInfo(chosen or request.COOKIES.get(ZONE_COOKIE, "UTC"))
    except (ValueError, OSError, zoneinfo.ZoneInfoNotFoundError):
        return zoneinfo.ZoneInfo("UTC")


def _whole_page(request: HttpRequest, response: HttpResponseBase) -> HttpResponse:
    to = response["Location"]
    if _demands_sign_in(request, response):
        to = _sign_in(request.headers.get("HX-Current-URL", ""), request.get_host())
    answer = HttpResponse(headers={"HX-Redirect": to})
    answer.cookies = response.cookies
    keep_private(answer)
    return answer


def _demands_sign_in(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whether the page demanded a sign-in, which would then lead back to it. Signing out leads there too, and on."""
    address = urlsplit(response["Location"])
    back = QueryDict(address.query).get(REDIRECT_FIELD_NAME)
    return address.path == resolve_url(settings.LOGIN_URL) and back == request.get_full_path()


def _sign_in(current: str, host: str) -> str:
    """The sign-in page, which afterwards leads back to the page that was looked at, with its filters."""
    address = urlsplit(current)
    after = QueryDict(mutable=True)
    if address.netloc == host:
        after[REDIRECT_FIELD_NAME] = address.path + (f"?{address.query}" if address.query else "")
    to = resolve_url(settings.LOGIN_URL)
    return f"{to}?{urlencode(after)}" if after else to
