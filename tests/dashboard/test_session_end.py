"""A session that ended: the sign-in at the top, and afterwards the same place again."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.conf import settings
from django.shortcuts import resolve_url
from django.test import Client

from tests.dashboard.conftest import FRAGMENT

pytestmark = pytest.mark.django_db

PLACE = "/memories/?q=tea&kind=fact"
NOBODYS = "/memories/019f3a52-7c1e-7d30-8a11-5f2b9c0d4e61/"


def _next(address: str) -> str:
    parts = urlsplit(address)
    assert parts.path == resolve_url(settings.LOGIN_URL)
    return parse_qs(parts.query)["next"][0]


def test_it_leads_to_the_sign_in_and_back() -> None:
    assert _next(Client().get(PLACE)["Location"]) == PLACE


def test_it_takes_the_whole_window_under_htmx() -> None:
    headers = {**FRAGMENT, "HX-Current-URL": f"http://testserver{PLACE}"}
    response = Client().post(f"{NOBODYS}forget/", headers=headers)
    assert response.status_code == 200
    assert "Location" not in response
    assert response.content == b""
    assert _next(response["HX-Redirect"]) == PLACE


def test_it_returns_from_a_form_to_its_page() -> None:
    response = Client().post(f"{NOBODYS}forget/", headers={"Referer": f"http://testserver{PLACE}"})
    assert _next(response["Location"]) == PLACE


@pytest.mark.parametrize("name", ["HX-Current-URL", "Referer"])
def test_it_leads_nowhere_else(name: str) -> None:
    headers = {name: "https://elsewhere.example/memories/", **(FRAGMENT if name.startswith("HX") else {})}
    response = Client().post(f"{NOBODYS}forget/", headers=headers)
    assert "elsewhere" not in (response.get("HX-Redirect") or response["Location"])


@pytest.mark.parametrize("path", ["/memories/", "/memories/add/", NOBODYS, f"{NOBODYS}edit/"])
def test_it_shows_nothing_to_a_stranger(path: str) -> None:
    assert Client().get(path).status_code == 302
    assert Client().head(path).status_code == 302
