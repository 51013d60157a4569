"""Every page of the product with something on it, by the name of its address, and who opens it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

WITHOUT_A_PAGE = {
    "dashboard": {
        "bulk_undo", "hide_bars", "memory_pause", "memory_resume", "memory_pin", "memory_unpin", "memory_confirm",
        "memory_restore", "answer_report", "review_keep", "review_correct", "review_reject", "review_forget",
        "review_undo", "proposal_accept", "proposal_decline", "trash_restore", "trash_erase", "switch", "prefer", "bar",
        "lift", "key_revoke", "scope_switch", "access_end", "access_allow", "access_refuse", "question", "export",
        "memory_undispute", "bring", "bring_let_go", "retain",
    },
    "support": {"bundle", "show", "end", "second", "withdraw", "audit_csv", "audit_json", "settle"},
    "": {
        "mfa_login_webauthn", "end_session", "end_other_sessions", "mfa_download_recovery_codes",
        "openid_connect_callback",
    },
}  # fmt: skip
"""Addresses that only take a form and lead on, or that give a file or JSON."""

ELSEWHERE = {
    "socialaccount_signup": "leads on unless a provider has just sent somebody; then it is the sign-up page's form",
}
"""Pages that only a longer way leads to."""


@dataclass(frozen=True)
class Place:
    """One page. `who` is one of the people of `everybody`."""

    name: str
    address: str
    who: str = "ada"
    status: int = 200

    def at(self, **ids: Any) -> str:
        return self.address.format(**ids)


PLACES = [
    Place("dashboard:memories", "/memories/"),
    Place("dashboard:memories", "/memories/?q=nothing+like+it"),
    Place("dashboard:memories", "/memories/", "bare"),
    Place("dashboard:memory", "/memories/{id}/"),
    Place("dashboard:memory_edit", "/memories/{id}/edit/"),
    Place("dashboard:memory_forget", "/memories/{id}/forget/"),
    Place("dashboard:memory_dispute", "/memories/{id}/dispute/"),
    Place("dashboard:add", "/memories/add/"),
    Place("dashboard:bulk", "/memories/bulk/"),
    Place("dashboard:bulk_run", "/memories/bulk/{run}/"),
    Place("dashboard:merge", "/memories/merge/?keep={id}&other={other}"),
    Place("dashboard:answers", "/answers/"),
    Place("dashboard:answers", "/answers/?q=nothing+like+it"),
    Place("dashboard:answers", "/answers/", "bare"),
    Place("dashboard:answer", "/answers/{trace}/"),
    Place("dashboard:answer_again", "/answers/{trace}/again/"),
    Place("dashboard:review", "/review/"),
    Place("dashboard:review", "/review/", "bare"),
    Place("dashboard:preview", "/preview/?q=tea"),
    Place("dashboard:not_remembered", "/not-remembered/"),
    Place("dashboard:not_remembered", "/not-remembered/", "bare"),
    Place("dashboard:turn", "/not-remembered/{decision}/"),
    Place("dashboard:message_forget", "/messages/{message}/forget/"),
    Place("dashboard:trash", "/trash/"),
    Place("dashboard:trash", "/trash/", "bare"),
    Place("dashboard:activity", "/activity/"),
    Place("dashboard:settings", "/settings/"),
    Place("dashboard:scope", "/settings/scopes/atlas/"),
    Place("dashboard:scope_merge", "/settings/scopes/atlas/merge/?into=personal"),
    Place("dashboard:scope_forget", "/settings/scopes/atlas/forget/"),
    Place("dashboard:keys", "/settings/keys/"),
    Place("dashboard:privacy", "/privacy/"),
    Place("dashboard:export_page", "/privacy/export/"),
    Place("dashboard:bring_waiting", "/privacy/import/{upload}/"),
    Place("dashboard:erase", "/privacy/erase/"),
    Place("dashboard:receipt", "/receipts/{receipt}/", "stranger"),
    Place("support:lookup", "/support/", "sol"),
    Place("support:trace", "/support/traces/{trace}/", "sol"),
    Place("support:trace", "/support/traces/{trace}/", "kim"),
    Place("support:ask", "/support/traces/{trace}/grant/", "sol"),
    Place("support:again", "/support/traces/{trace}/again/", "sol"),
    Place("support:print", "/support/traces/{trace}/print/", "sol"),
    Place("support:propose", "/support/traces/{trace}/memories/{sent}/propose/", "sol"),
    Place("support:decisions", "/support/grants/{grant}/decisions/", "sol"),
    Place("support:turns", "/support/grants/{grant}/decisions/{decision}/", "sol"),
    Place("support:audit", "/support/audit/?check=chains", "vis"),
    Place("support:reports", "/support/reports/", "vis"),
    Place("account_login", "/sign-in", "stranger"),
    Place("account_confirm_login_code", "/sign-in/code", "coming in"),
    Place("account_email_verification_sent", "/sign-in/email", "new"),
    Place("mfa_authenticate", "/sign-in/second-step", "half in"),
    Place("account_inactive", "/sign-in/inactive", "stranger"),
    Place("sign_in_link", "/sign-in/link/{link}", "stranger"),
    Place("sign_in_link", "/sign-in/link/nothing", "stranger", 404),
    Place("account_signup", "/sign-up", "stranger"),
    Place("account_logout", "/sign-out"),
    Place("account_request_reauthentication_code", "/confirm/code"),
    Place("account_confirm_reauthentication_code", "/confirm/code/enter", "proving"),
    Place("mfa_reauthenticate", "/confirm/app"),
    Place("mfa_reauthenticate_webauthn", "/confirm/passkey"),
    Place("account_new_link", "/confirm/link"),
    Place("account_email", "/settings/email/"),
    Place("usersessions_list", "/settings/sessions/"),
    Place("mfa_index", "/settings/sign-in/"),
    Place("mfa_index", "/settings/sign-in/", "bare"),
    Place("mfa_activate_totp", "/settings/sign-in/app/add/", "bare"),
    Place("mfa_deactivate_totp", "/settings/sign-in/app/remove/"),
    Place("mfa_list_webauthn", "/settings/sign-in/passkeys/"),
    Place("mfa_add_webauthn", "/settings/sign-in/passkeys/add/"),
    Place("mfa_edit_webauthn", "/settings/sign-in/passkeys/{passkey}/rename/"),
    Place("mfa_remove_webauthn", "/settings/sign-in/passkeys/{passkey}/remove/"),
    Place("mfa_view_recovery_codes", "/settings/sign-in/recovery-codes/"),
    Place("mfa_generate_recovery_codes", "/settings/sign-in/recovery-codes/new/"),
    Place("socialaccount_connections", "/settings/accounts/"),
    Place("socialaccount_login_cancelled", "/sign-in/cancelled", "stranger"),
    Place("socialaccount_login_error", "/sign-in/failed", "stranger", 401),
    Place("openid_connect_login", "/sign-in/with/sso", "stranger"),
    *[Place(f"error {status}", f"/errors/{status}", "ada", status) for status in (400, 403, 404, 429, 500, 503)],
]


def names() -> set[str]:
    """Every page's address in the product, by name; the API is not for people but for its docs."""
    found = set(_walk(get_resolver().url_patterns, ""))
    known = {f"{space}:{name}".lstrip(":") for space, names in WITHOUT_A_PAGE.items() for name in names}
    return found - known


def _walk(patterns: list[Any], space: str) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            if not re.match("api/", str(pattern.pattern)):
                yield from _walk(pattern.url_patterns, pattern.namespace or space)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield f"{space}:{pattern.name}".lstrip(":")
