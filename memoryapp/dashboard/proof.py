"""What takes everything along, or lets somebody else in, asks for a fresh proof that it is the person."""

from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.http import HttpRequest
from django.urls import reverse


def proof_url(request: HttpRequest, *, back: str) -> str:
    """Where the person proves it, and comes back to the page of that name. Empty while their sign-in is fresh."""
    if not is_reauthentication_required(request, app="dashboard"):
        return ""
    first, *_others = get_adapter().get_reauthentication_methods(request.user)
    return f"{first['url']}?{urlencode({REDIRECT_FIELD_NAME: reverse(back)})}"
