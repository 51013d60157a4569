"""`POST /links`: the agent's way to a person's page."""

import json
import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client

from accounts.models import SignInLink, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import IdempotencyRecord

URL = re.compile(r"http://testserver(/sign-in/link/[A-Za-z0-9_-]{43})")


def opens_page_of(url):
    browser = Client()
    browser.post(URL.fullmatch(url)[1])
    return browser.session.get("_auth_user_id")


def test_it_makes_a_link_that_opens_the_persons_page(api, remembered):
    remembered()
    response = api.post("/links", {"user": "ada"})
    assert response.status_code == 201
    body = response.json()
    assert set(body) == {"url", "expires_at"}
    left = datetime.fromisoformat(body["expires_at"]) - datetime.now(UTC)
    assert timedelta(minutes=14) < left <= timedelta(minutes=15)
    assert opens_page_of(body["url"]) == str(User.objects.get(external_id="ada").pk)
    assert response["Cache-Control"] == "no-store"


def test_it_makes_no_person(api, remembered):
    remembered()
    assert api.post("/links", {"user": "nobody-knows"}).status_code == 404
    assert not User.objects.filter(external_id="nobody-knows").exists()


def test_it_opens_nobody_of_another_namespace(api, key_of, remembered):
    remembered()
    assert key_of("stranger", namespace="other").post("/links", {"user": "ada"}).status_code == 404
    assert api.post("/links", {"user": "ada"}).status_code == 201


@pytest.mark.parametrize("options", [{"can_write": False}, {"scopes": ["atlas"]}], ids=["read-only", "one-scope-only"])
def test_it_needs_a_key_that_may_do_everything(key_of, remembered, options):
    remembered()
    assert key_of("less", **options).post("/links", {"user": "ada"}).status_code == 403


@pytest.mark.parametrize("body", [{}, {"user": "ada"}, {"user": "ben"}], ids=str)
def test_it_refuses_personal_keys(personal, body):
    response = personal.post("/links", body)
    assert response.status_code == 403
    assert "service key" in response.json()["detail"]


@pytest.mark.parametrize("body", [{}, {"user": ""}, {"user": 1}, {"user": "ada", "minutes": 60}], ids=str)
def test_it_names_what_is_wrong(api, body):
    response = api.post("/links", body)
    assert response.status_code == 422
    assert response.json()["errors"]


def test_it_gives_no_way_to_staff(api, remembered):
    remembered()
    User.objects.filter(external_id="ada").update(is_staff=True)
    assert api.post("/links", {"user": "ada"}).status_code == 404


def test_it_answers_a_retry_alike_and_keeps_no_token(api, remembered):
    person = User.objects.get(pk=_owner(remembered()))
    headers = {"Idempotency-Key": "once"}
    first, again = (api.post("/links", {"user": "ada"}, headers) for _ in range(2))
    assert (again.status_code, again.content) == (first.status_code, first.content)
    assert again["Idempotent-Replay"] == "true"
    token = URL.fullmatch(first.json()["url"])[1].rpartition("/")[2]
    with acting_for(person.pk):
        assert SignInLink.objects.count() == 1
        kept = [json.dumps(record.body) for record in IdempotencyRecord.objects.filter(key="once")]
    assert len(kept) == 1
    assert token not in kept[0]
    assert opens_page_of(first.json()["url"]) == str(person.pk)
    assert opens_page_of(again.json()["url"]) is None


def _owner(memory):
    return User.objects.values_list("pk", flat=True).get(external_id=memory["user"])
