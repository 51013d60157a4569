"""One-time links: who opens one comes in, once."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from accounts.actors import Actor
from accounts.models import SignInLink, User
from memoryapp.database.isolation import acting_for
from memoryapp.services.errors import NotFound
from memoryapp.services.links import forget_links, make_link, use_link

SYSTEM = Actor("system")


@pytest.fixture
def person(ada, person_of):
    return person_of(ada)


@pytest.fixture
def path(person):
    return make_link(person, actor=SYSTEM).path


def test_it_signs_in_by_the_button_and_not_by_looking(browser, person, path):
    for _ in range(3):
        page = browser.get(path)
        assert page.status_code == 200
        assert b"Open my page" in page.content
        assert browser.head(path).status_code == 200
    assert browser.whoami is None
    response = browser.post(path)
    assert (response.status_code, response["Location"]) == (302, "/memories/")
    assert browser.whoami == str(person.pk)


def test_it_opens_nothing_a_second_time(browser_of, person, path):
    first, second = browser_of(), browser_of()
    assert first.post(path).status_code == 302
    assert first.whoami == str(person.pk)
    for response in (second.get(path), second.post(path), second.post(path)):
        assert response.status_code == 404
        assert b"does not open anything" in response.content
    assert second.whoami is None


@pytest.mark.parametrize(
    ("minutes", "status"),
    [pytest.param(-14, 302, id="after-14-minutes"), pytest.param(-15, 404, id="after-15-minutes")],
)
def test_it_lasts_fifteen_minutes(browser, person, path, minutes, status):
    with acting_for(person.pk):
        for link in SignInLink.objects.all():
            link.expires_at += timedelta(minutes=minutes)
            link.save()
    assert browser.post(path).status_code == status


@pytest.mark.parametrize(
    "token",
    ["", "x", "x" * 43, "x" * 44, "é" * 43, "../" * 14 + "x", "%00" * 14, "x" * 5000],
    ids=["empty", "short", "unknown", "long", "script", "dots", "escaped", "very-long"],
)
def test_it_knows_no_other_token(browser, path, token):
    for response in (browser.get(f"/sign-in/link/{token}"), browser.post(f"/sign-in/link/{token}")):
        assert response.status_code in (302, 400, 404)
    assert browser.whoami is None
    assert browser.post(path).status_code == 302


def test_it_lets_a_person_in_who_has_no_email(browser, person, path):
    browser.post(path)
    assert person.email is None
    assert browser.get("/settings/email/").status_code == 200
    assert browser.get("/settings/sessions/").status_code == 200


def test_it_ends_what_another_person_left_in_the_browser(browser, person, path, ben, person_of, events_of):
    other = person_of(ben)
    browser.post(make_link(other, actor=SYSTEM).path)
    browser.session["left"] = "something"
    former = browser.session.session_key
    browser.post(path)
    assert browser.whoami == str(person.pk)
    assert browser.session.session_key != former
    assert "left" not in browser.session
    assert events_of(other)[-1][0] == "sign_out"


def test_it_needs_the_token_of_the_form(browser_of, path):
    browser = browser_of(enforce_csrf_checks=True)
    page = browser.get(path)
    assert browser.post(path).status_code == 403
    token = page.context["csrf_token"]
    assert browser.post(path, {"csrfmiddlewaretoken": str(token)}).status_code == 302


def test_it_is_kept_by_nobody_on_the_way(browser, path):
    page = browser.get(path)
    assert "no-store" in page["Cache-Control"]
    assert page["Referrer-Policy"] == "same-origin"


def test_it_stores_no_token(person, path):
    token = path.rpartition("/")[2]
    with acting_for(person.pk), connection.cursor() as cursor:
        cursor.execute("select row_to_json(link)::text from accounts_signinlink link")
        (row,) = cursor.fetchone()
    assert str(person.pk) in row
    assert token not in row


def test_it_is_seen_by_its_person_only(person, path, ben):
    with acting_for(ben.person_id):
        assert not SignInLink.objects.exists()
    assert not SignInLink.objects.exists()
    with acting_for(person.pk):
        assert SignInLink.objects.count() == 1


@pytest.mark.parametrize("change", [{"is_active": False}, {"is_staff": True}, {"is_superuser": True}], ids=str)
def test_it_opens_no_page_of_wider_rights(browser, person, path, change):
    User.objects.filter(pk=person.pk).update(**change)
    assert browser.get(path).status_code == 404
    assert browser.post(path).status_code == 404
    assert browser.whoami is None
    person.refresh_from_db()
    with pytest.raises(NotFound):
        make_link(person, actor=SYSTEM)


def test_it_is_told_on_the_activity_page(browser, person, path, events_of):
    browser.post(path)
    browser.post("/sign-out")
    assert browser.whoami is None
    assert events_of(person)[-3:] == [("make_link", None), ("sign_in", "link"), ("sign_out", None)]


def test_it_is_removed_when_its_time_is_over(person, path):
    now = datetime.now(UTC)
    forget_links(now + timedelta(minutes=14))
    with acting_for(person.pk):
        assert SignInLink.objects.count() == 1
    forget_links(now + timedelta(minutes=16))
    with acting_for(person.pk):
        assert not SignInLink.objects.exists()
    assert use_link(path.rpartition("/")[2]) is None
