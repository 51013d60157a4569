"""Credentials that betray themselves by their form: the tokens and keys of known issuers."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from memoryapp.policy.patterns import Pattern


@dataclass(frozen=True, slots=True, eq=False)
class SecretForm:
    """One form. It is looked for only where one of `marks` (lower case) occurs in the text.

    The named group `secret`, or else the whole match, is the credential; `is_credible` may still refuse it.
    """

    name: str
    marks: tuple[str, ...]
    pattern: Pattern
    is_credible: Callable[[str], bool] = lambda _: True


def _has_digit(text: str) -> bool:
    return any(letter.isdigit() for letter in text)


def _is_random(text: str) -> bool:
    return _has_digit(text) and any(letter.isalpha() for letter in text)


def _is_bearer_token(text: str) -> bool:
    return (
        _is_random(text)
        or text.startswith("eyJ")
        or (len(text) >= 12 and text[1:].lower() != text[1:] != text[1:].upper())
    )


def _is_no_placeholder(login: str) -> bool:
    password = login.partition(":")[2]
    return re.fullmatch(r"[*.xX]+|\$.*|<.*>|\{.*\}|%.*|\[.*\]", password) is None


def _form(name: str, marks: str, pattern: str, is_credible: Callable[[str], bool] = lambda _: True) -> SecretForm:
    return SecretForm(name, tuple(marks.split()), Pattern(pattern, re.ASCII), is_credible)


# A letter or digit right before means another word; a letter of another script may stand there, as in "密钥AKIA…".
# Every part that something else has to follow is bounded, so that the time stays linear on any input.
_START = r"(?<![A-Za-z0-9])"
_END = r"(?![A-Za-z0-9])"
_ISSUED = {
    "age": ("age-secret-key-1", r"AGE-SECRET-KEY-1[A-Z0-9]{50,}"),
    "anthropic": ("sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,}"),
    "atlassian": ("atatt3", r"ATATT3[A-Za-z0-9_=-]{40,}"),
    "aws_key_id": ("akia asia abia acca", r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}" + _END),
    "azure_client_secret": ("q~", r"[A-Za-z0-9_~.]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}" + _END),
    "databricks": ("dapi", r"dapi[a-f0-9]{32}"),
    "digitalocean": ("do", r"do[opr]_v1_[a-f0-9]{64}"),
    "discord_bot": (".", r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}"),
    "discord_webhook": ("/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/[0-9]{15,22}/[A-Za-z0-9_-]{40,}"),
    "doppler": ("dp.", r"dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}"),
    "github": ("gh", r"gh[opsur]_[A-Za-z0-9]{30,}"),
    "github_fine_grained": ("github_pat_", r"github_pat_[A-Za-z0-9_]{22,}"),
    "gitlab": ("gl", r"gl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|imt|agent|oas|ffct)-[A-Za-z0-9_.-]{16,}"),
    "google_api": ("aiza", r"AIza[A-Za-z0-9_-]{35}"),
    "google_oauth": ("ya29. gocspx-", r"(?:ya29\.|GOCSPX-)[A-Za-z0-9_-]{20,}"),
    "grafana": ("glsa_ glc_", r"(?:glsa|glc)_[A-Za-z0-9+/=_]{32,}"),
    "groq": ("gsk_", r"gsk_[A-Za-z0-9]{32,}"),
    "hashicorp_vault": ("hv", r"hv[sbr]\.[A-Za-z0-9_-]{20,}"),
    "hugging_face": ("hf_", r"hf_[A-Za-z0-9]{30,}"),
    "jwt": ("eyj", r"eyJ[A-Za-z0-9_-]{8,2000}\.[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]*"),
    "linear": ("lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    "mailgun": ("key-", r"key-[a-f0-9]{32}" + _END),
    "memory_key": ("mem_", r"mem_[a-z0-9]{6,16}_[A-Za-z0-9_-]{32,}"),
    "new_relic": ("nrak-", r"NRAK-[A-Z0-9]{20,}"),
    "notion": ("ntn_", r"ntn_[A-Za-z0-9]{40,}"),
    "npm": ("npm_", r"npm_[A-Za-z0-9]{30,}"),
    "openai_plain": ("sk-", r"sk-[A-Za-z0-9]{20,}"),
    "openrouter": ("sk-or-", r"sk-or-v1-[a-f0-9]{32,}"),
    "postman": ("pmak-", r"PMAK-[A-Za-z0-9-]{40,}"),
    "pypi": ("pypi-age", r"pypi-AgE[A-Za-z0-9_-]{40,}"),
    "replicate": ("r8_", r"r8_[A-Za-z0-9]{30,}"),
    "sendgrid": ("sg.", r"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    "shopify": ("shp", r"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    "slack": ("xox", r"xox[abceoprs]-(?:[0-9]-)?[A-Za-z0-9-]{10,}"),
    "slack_app": ("xapp-", r"xapp-[0-9]-[A-Za-z0-9-]{20,}"),
    "slack_webhook": ("hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}"),
    "square": ("sq0", r"sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}"),
    "stripe": ("k_live_ k_test_", r"[rs]k_(?:live|test)_[A-Za-z0-9]{10,}"),
    "stripe_webhook": ("whsec_", r"whsec_[A-Za-z0-9+/=]{24,}"),
    "tailscale": ("tskey-", r"tskey-[a-z]{2,12}-[A-Za-z0-9-]{16,}"),
    "telegram_bot": (":", r"[0-9]{8,10}:[A-Za-z0-9_-]{35}" + _END),
    "twilio": ("sk", r"SK[0-9a-f]{32}" + _END),
    "xai": ("xai-", r"xai-[A-Za-z0-9]{40,}"),
}
_FORMS = (
    *(_form(name, marks, _START + pattern) for name, (marks, pattern) in _ISSUED.items()),
    _form("openai", "sk-", _START + r"sk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}", _has_digit),
    _form("bearer", "bearer", _START + r"(?i:bearer)[ \t]{1,8}(?P<secret>[A-Za-z0-9._~+/=-]{10,})", _is_bearer_token),
    _form(
        "basic", "basic", r"(?i:authorization['\"]?[ \t]{0,8}:[ \t]{0,8}basic)[ \t]{1,8}(?P<secret>[A-Za-z0-9+/=]{8,})"
    ),
    _form("azure_key", "key=", r"(?i:(?:Account|SharedAccess|Shared)Key)=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    _form("azure_signature", "sig=", r"[?&]sig=(?P<secret>[A-Za-z0-9%+/=]{40,})"),
    _form("url_login", "://", r"://(?P<secret>[^\s/?#@:]{0,200}:[^\s/]{1,300})@", _is_no_placeholder),
    _form(
        "private_key",
        "private",
        # Without its end the key is taken to run to the end of the text.
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?s:.*?-----END [A-Z0-9 ]{0,60}-----|.*)",
    ),
    _form("putty_key", "putty-user-key-file-", r"PuTTY-User-Key-File-[0-9]:(?s:.*)"),
)

_BY_MARK: dict[str, list[SecretForm]] = {}
for _one in _FORMS:
    for _mark in _one.marks:
        _BY_MARK.setdefault(_mark, []).append(_one)


def known_forms(text: str) -> Iterator[tuple[int, int]]:
    """The half-open spans of all credentials of a known form; those of different forms may overlap."""
    lowered = text.lower()
    for form in dict.fromkeys(form for mark, forms in _BY_MARK.items() if mark in lowered for form in forms):
        group = "secret" if "secret" in form.pattern.groupindex else 0
        for match in form.pattern.finditer(text):
            if form.is_credible(match[group]):
                yield match.span(group)
