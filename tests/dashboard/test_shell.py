"""What all pages share: budgets, static files, languages, error pages."""

import gzip
import re
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import settings
from django.db import OperationalError
from django.test import Client

from accounts.actors import Actor
from accounts.models import User
from tests.dashboard.conftest import FRAGMENT

STATIC = Path(settings.BASE_DIR) / "static"
TEMPLATES = Path(settings.BASE_DIR) / "templates"


def test_it_stays_within_its_budget() -> None:
    sent = [*STATIC.glob("css/*.css"), STATIC / "js/app.js", STATIC / "vendor/htmx/htmx.min.js"]
    assert len(sent) >= 6
    assert sum(len(gzip.compress(one.read_bytes())) for one in sent) <= 60_000
    assert len((STATIC / "js/app.js").read_text().splitlines()) < 200


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/memories/", "/sign-in"])
def test_it_is_light_on_the_wire(browser: Client, address: str) -> None:
    """Styles and scripts as they are sent: 60 KB, with htmx."""
    page = (browser if address != "/sign-in" else Client()).get(address).content.decode()
    wanted = re.findall(r'(?:<link rel="stylesheet" href|<script src)="([^"]+)"', page)
    assert len(wanted) >= 10
    sizes = {}
    for one in wanted:
        sent = browser.get(one, headers={"Accept-Encoding": "gzip"})
        assert sent.status_code == 200 and sent["Content-Encoding"] == "gzip", one
        sizes[one] = len(sent.getvalue())
    assert 10_000 < sum(sizes.values()) <= 60_000, sizes


def test_it_names_its_licences() -> None:
    for folder in (STATIC / "vendor").iterdir():
        assert (folder / "LICENSE").read_text().strip(), folder.name


def test_it_places_things_by_logical_properties() -> None:
    physical = re.compile(
        r"(?:margin|padding|border|inset)-(?:left|right|top|bottom)|(?:^|[\s;{])(?:left|right|width):"
    )
    for sheet in STATIC.glob("css/*.css"):
        found = [line for line in sheet.read_text().splitlines() if physical.search(line) and "@media" not in line]
        assert not found, sheet.name


def test_it_writes_no_script_and_no_style_into_a_template() -> None:
    forbidden = re.compile(r"\|safe\b|\sstyle=|<style|hx-on|<[a-z][^>{]*\son[a-z]+=|<script>|\"js:|autoescape off")
    templates = [path for path in TEMPLATES.rglob("*.html") if "api" not in path.parts]
    assert len(templates) > 10
    for template in templates:
        assert not forbidden.search(template.read_text()), template.name


@pytest.mark.django_db
def test_it_sends_styles_compressed(browser: Client) -> None:
    page = browser.get("/memories/", headers={"Accept-Encoding": "gzip"})
    assert page["Content-Encoding"] == "gzip"
    assert "Content-Encoding" not in browser.get("/memories/")


@pytest.mark.django_db
@pytest.mark.parametrize(("language", "direction"), [("en", "ltr"), ("de", "ltr"), ("ar", "rtl")])
def test_it_speaks_the_chosen_language(browser: Client, herself: Actor, language: str, direction: str) -> None:
    User.objects.filter(pk=herself.opened).update(language=language)
    response = browser.get("/memories/", headers={"Accept-Language": "en"})
    assert f'<html lang="{language}" dir="{direction}"' in response.content.decode()
    assert response["Content-Language"] == language
    assert 'lang="en"' in Client().get("/nowhere", headers={"Accept-Language": "en"}).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("theme", ["light", "dark", "system"])
def test_it_takes_the_chosen_theme(browser: Client, herself: Actor, theme: str) -> None:
    User.objects.filter(pk=herself.opened).update(theme=theme)
    shown = browser.get("/memories/").content.decode()
    assert (f'data-theme="{theme}"' in shown) == (theme != "system")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("error", "status", "words"),
    [
        (OperationalError("gone"), 503, "Could not load"),
        (ValueError("secret words"), 500, "Something went wrong here"),
    ],
    ids=["database", "bug"],
)
def test_it_tells_a_failure_from_an_empty_list(herself: Actor, error: Exception, status: int, words: str) -> None:
    client = Client(raise_request_exception=False)
    client.force_login(User.objects.get(pk=herself.opened), backend="django.contrib.auth.backends.ModelBackend")
    with patch("memoryapp.dashboard.memories.find", side_effect=error):
        whole = client.get("/memories/")
        part = client.get("/memories/", headers=FRAGMENT)
    for response in (whole, part):
        assert response.status_code == status
        assert words in response.content.decode()
        assert response["X-Request-Id"] in response.content.decode()
        assert "Nothing is remembered yet" not in response.content.decode()
        assert "secret words" not in response.content.decode()
        assert response["Cache-Control"] == "no-store"
    assert part["HX-Retarget"] == "#alert"
    assert "<html" not in part.content.decode()


@pytest.mark.django_db
def test_it_answers_pages_with_pages_and_the_api_with_json(client: Client) -> None:
    assert client.get("/nowhere")["Content-Type"].startswith("text/html")
    assert client.get("/api/v1/nowhere")["Content-Type"] == "application/problem+json"


@pytest.mark.django_db
def test_it_shows_the_persons_own_days(browser: Client, herself: Actor, remember: Any) -> None:
    remember("Likes green tea.", occurred_at=_instant("2020-01-01T05:00:00+00:00"))
    for zone, day in (("UTC", "1 January 2020"), ("America/Los_Angeles", "31 December 2019")):
        User.objects.filter(pk=herself.opened).update(time_zone=zone)
        assert day in browser.get("/memories/").content.decode()


def _instant(text: str) -> Any:
    from datetime import datetime

    return datetime.fromisoformat(text)
