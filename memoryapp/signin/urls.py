"""Addresses of sign-in. The names are django-allauth's, which looks them up; its password pages are not offered."""

from typing import Any

from allauth.account import views as account
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as passkeys
from allauth.socialaccount import views as providers
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.urls import URLPattern, path
from django.views.decorators.cache import never_cache

from memoryapp.signin import views

_IS_OPEN = settings.MEMORY_SIGN_UP == "open"


def _page(address: str, view: Any, name: str) -> URLPattern:
    """Nothing about signing in is kept by a browser or a proxy."""
    page: URLPattern = path(address, never_cache(view), name=name)
    return page


urlpatterns = [
    _page("sign-in", account.LoginView.as_view(extra_context={"is_open": _IS_OPEN}), "account_login"),
    _page("sign-in/code", account.confirm_login_code, "account_confirm_login_code"),
    _page("sign-in/email", account.email_verification_sent, "account_email_verification_sent"),
    _page("sign-in/second-step", mfa.authenticate, "mfa_authenticate"),
    _page("sign-in/passkey", passkeys.login_webauthn, "mfa_login_webauthn"),
    _page("sign-in/inactive", account.account_inactive, "account_inactive"),
    _page("sign-in/link/<str:token>", views.link, "sign_in_link"),
    _page("sign-up", account.signup, "account_signup"),
    _page("sign-out", account.logout, "account_logout"),
    # Once more, before something that cannot be undone or changes who comes in.
    _page("confirm/code", account.request_reauthentication_code, "account_request_reauthentication_code"),
    _page("confirm/code/enter", account.confirm_reauthentication_code, "account_confirm_reauthentication_code"),
    _page("confirm/app", mfa.reauthenticate, "mfa_reauthenticate"),
    _page("confirm/passkey", passkeys.reauthenticate_webauthn, "mfa_reauthenticate_webauthn"),
    _page("confirm/link", views.new_link, "account_new_link"),
    _page("settings/email/", account.email, "account_email"),
    _page("settings/sessions/", views.sessions, "usersessions_list"),
    _page("settings/sessions/<int:session_id>/end/", views.end_session, "end_session"),
    _page("settings/sessions/end-others/", views.end_other_sessions, "end_other_sessions"),
    _page("settings/sign-in/", mfa.index, "mfa_index"),
    _page("settings/sign-in/app/add/", totp.activate_totp, "mfa_activate_totp"),
    _page("settings/sign-in/app/remove/", totp.deactivate_totp, "mfa_deactivate_totp"),
    _page("settings/sign-in/passkeys/", passkeys.list_webauthn, "mfa_list_webauthn"),
    _page("settings/sign-in/passkeys/add/", passkeys.add_webauthn, "mfa_add_webauthn"),
    _page("settings/sign-in/passkeys/<int:pk>/rename/", passkeys.edit_webauthn, "mfa_edit_webauthn"),
    _page("settings/sign-in/passkeys/<int:pk>/remove/", passkeys.remove_webauthn, "mfa_remove_webauthn"),
    _page("settings/sign-in/recovery-codes/", recovery.view_recovery_codes, "mfa_view_recovery_codes"),
    _page("settings/sign-in/recovery-codes/new/", recovery.generate_recovery_codes, "mfa_generate_recovery_codes"),
    _page("settings/sign-in/recovery-codes/download/", recovery.download_recovery_codes, "mfa_download_recovery_codes"),
    _page("settings/accounts/", providers.connections, "socialaccount_connections"),
    _page("sign-in/cancelled", providers.login_cancelled, "socialaccount_login_cancelled"),
    _page("sign-in/failed", login_not_required(providers.login_error), "socialaccount_login_error"),
    _page("sign-up/provider", providers.signup, "socialaccount_signup"),
]
if settings.SOCIALACCOUNT_PROVIDERS:
    from memoryapp.signin import provider

    urlpatterns += [
        _page("sign-in/with/<str:provider_id>", provider.leave, "openid_connect_login"),
        _page("sign-in/with/<str:provider_id>/back", provider.come_back, "openid_connect_callback"),
    ]
