"""The ways in and out that django-allauth does not have, or has otherwise."""

from typing import cast
from urllib.parse import urlencode

from allauth.account.internal.flows.login import record_authentication
from allauth.account.utils import perform_login
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.decorators import login_not_required
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.models import User
from memoryapp.services.links import is_usable, use_link
from memoryapp.signin.adapters import AccountAdapter, SessionAdapter
from memoryapp.signin.browsers import browser_name

_AFTER_LINK = "after_link"


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest, token: str) -> HttpResponse:
    """Opening a link uses nothing up, since programs that scan messages open links too; the button does."""
    if request.method != "POST":
        usable = is_usable(token)
        return render(request, "account/link.html", {"is_usable": usable}, status=200 if usable else 404)
    person = use_link(token)
    if person is None:
        return render(request, "account/link.html", {"is_usable": False}, status=404)
    after = request.session.get(_AFTER_LINK) if request.user.pk == person.pk else None
    # Whoever was signed in here before leaves nothing behind.
    AccountAdapter().logout(request)
    record_authentication(request, person, method="link")
    return cast(HttpResponse, perform_login(request, person, redirect_url=after))


@require_GET
def new_link(request: HttpRequest) -> HttpResponse:
    """Says how to prove who one is without an email and without a passkey. What was wanted is where that leads to."""
    to = request.GET.get(REDIRECT_FIELD_NAME, "")
    if url_has_allowed_host_and_scheme(to, allowed_hosts={request.get_host()}):
        request.session[_AFTER_LINK] = to
    to = request.session.get(_AFTER_LINK, "/")
    sign_in = f"{reverse('account_login')}?{urlencode({REDIRECT_FIELD_NAME: to})}"
    has_provider = SocialAccount.objects.filter(user=cast(User, request.user)).exists()
    return render(request, "account/new_link.html", {"sign_in": sign_in, "has_provider": has_provider})


@require_GET
def sessions(request: HttpRequest) -> HttpResponse:
    current = request.session.session_key
    found = UserSession.objects.purge_and_list(cast(User, request.user))
    found.sort(key=lambda session: (session.session_key != current, -session.created_at.timestamp()))
    rows = [
        {
            "id": session.pk,
            "browser": browser_name(session.user_agent),
            "ip": session.ip,
            "started_at": session.created_at,
            "is_current": session.session_key == current,
        }
        for session in found
    ]
    return render(request, "usersessions/usersession_list.html", {"sessions": rows})


@require_POST
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    found = _others(request).filter(pk=session_id).first()
    if found is None:
        raise Http404
    SessionAdapter().end_sessions([found])
    return _back_to_sessions()


@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    SessionAdapter().end_sessions(_others(request))
    return _back_to_sessions()


def too_many(request: HttpRequest) -> HttpResponse:
    response = render(request, "429.html", status=429)
    response["Retry-After"] = "60"
    return response


def _others(request: HttpRequest) -> QuerySet[UserSession]:
    return UserSession.objects.filter(user=request.user).exclude(session_key=request.session.session_key)


def _back_to_sessions() -> HttpResponse:
    return HttpResponseRedirect(reverse("usersessions_list"), status=303)
