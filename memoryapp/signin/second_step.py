"""Whether somebody has proved in this session that they hold a second factor."""

from typing import Literal

from allauth.account.authentication import get_authentication_records
from allauth.mfa.models import Authenticator
from django.http import HttpRequest

from accounts.models import User

Proof = Literal["used", "unused", "missing"]
Kind = Literal["app", "passkey"]


def second_factor(request: HttpRequest) -> Proof:
    """Of the factors that the person has now: an authenticator app or a passkey. Recovery codes prove nothing here.

    `used`: proved in this session. `unused`: there is one. One read.
    """
    if not isinstance(request.user, User):
        return "missing"
    kinds = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)
    held = set(Authenticator.objects.filter(user=request.user, type__in=kinds).values_list("pk", flat=True))
    if not held:
        return "missing"
    records = get_authentication_records(request, request.user)
    proved = {record.get("id") for record in records if record["method"] == "mfa"}
    return "used" if held & proved else "unused"


def kinds_of(user: User) -> frozenset[Kind]:
    """Which of the two the person has."""
    kinds = set(Authenticator.objects.filter(user=user).values_list("type", flat=True))
    names: dict[str, Kind] = {Authenticator.Type.TOTP: "app", Authenticator.Type.WEBAUTHN: "passkey"}
    return frozenset(name for kind, name in names.items() if kind in kinds)
