"""The desk in a browser: nothing before a grant, one thing at a time under it, and nothing after it in an open tab."""

import re
from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.utils import timezone
from playwright.sync_api import expect

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Grant
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.traces import join_answer
from tests.browser.steps import focused
from tests.browser.test_accessible import _violations
from tests.staffing import hire, prove_second_factor

pytestmark = pytest.mark.django_db(transaction=True)

CANARY = re.compile("zanzibar", re.IGNORECASE)


@pytest.fixture
def trace(remember, propose_one, ada):
    remember("Loves Zanzibar.", subject="zanzibar", source="I love zanzibar", session="sess-1", turn=1)
    remember("Packs for Zanzibar lightly.", subject="luggage")
    propose_one("Is tired of Zanzibar.", kind="mood", scope="personal", session="sess-1", turn=2)
    found = recall(ContextRequest(query="Where to, Zanzibar?", session="sess-1"), actor=ada)
    join_answer(UUID(found["trace_id"]), answer_id="ans-1", model="m", text="To Zanzibar.", actor=ada)
    return found


@pytest.fixture
def desk_of(new_context, home):
    """A tab of somebody who works at the desk, with the second factor used."""

    def make(staff, **options):
        user = User.objects.get(pk=staff.id)
        session = SessionStore()
        session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        prove_second_factor(session, user)
        context = new_context(signed_in=False, **options)
        context.add_cookies([{"name": "sessionid", "value": session.session_key, "url": home}])
        return context.new_page()

    return make


@pytest.fixture
def sol():
    return hire("sol")


@pytest.fixture
def desk(desk_of, sol):
    return desk_of(sol)


def look_up(desk):
    desk.goto("/support/")
    desk.get_by_label("The exact name").fill("ans-1")
    desk.get_by_role("main").get_by_role("button", name="Look up").click()
    expect(desk.locator("h1")).to_contain_text("Asked on")


def ask(desk, *, reason="An answer was wrong", ticket="T-17", reach="This answer"):
    desk.get_by_role("link", name="Ask to read").click()
    desk.get_by_label(reason).check()
    desk.get_by_label("Ticket").fill(ticket)
    desk.get_by_label(reach, exact=False).first.check()
    desk.get_by_role("main").get_by_role("button", name="Ask to read").click()
    expect(desk.locator("#access")).to_have_class(re.compile("access-(open|waits|bad)"))


def leave_seconds(ada, seconds):
    """The grant ends so soon."""
    with acting_for(ada.person_id):
        now = timezone.now()
        Grant.objects.update(starts_at=now - timedelta(minutes=20), ends_at=now + timedelta(seconds=seconds))


def row(desk, number):
    return desk.locator("#case .ledger > li").nth(number)


def test_from_the_ticket_to_one_memory_and_the_person_sees_it(desk, page, trace, guard):
    look_up(desk)
    assert not CANARY.search(desk.content())
    assert not CANARY.search(desk.request.get(f"{desk.url}bundle.json").text())
    assert not CANARY.search(desk.request.get(f"{desk.url}print/").text())
    ask(desk)
    assert not CANARY.search(desk.content())
    row(desk, 0).get_by_role("button", name="Show").click()
    expect(row(desk, 0).locator("[data-content]").first).to_contain_text(CANARY)
    assert len(CANARY.findall(row(desk, 1).inner_text())) == 0
    assert focused(desk)["tag"] != "BODY"
    bundle = desk.request.get(f"{desk.url}bundle.json").text()
    assert len(re.findall('"text": "[^"]*anzibar', bundle)) == 1
    page.goto("/activity/")
    expect(page.locator("#activity")).to_contain_text("Read a memory")
    expect(page.locator("#activity")).to_contain_text("An answer was wrong, ticket T-17.")
    expect(page.locator(".access")).to_contain_text("Support may read here now")
    page.locator(".access").get_by_role("button", name="End it").click()
    expect(page.locator(".access")).to_have_count(0)
    expect(desk.locator("#access")).to_contain_text("The person ended your access.", timeout=20_000)
    assert not CANARY.search(desk.content())


def test_it_ends_at_its_minute_in_an_open_tab(desk, trace, ada):
    look_up(desk)
    ask(desk)
    row(desk, 0).get_by_role("button", name="Show").click()
    expect(row(desk, 0)).to_contain_text(CANARY)
    leave_seconds(ada, 4)
    desk.reload()
    expect(row(desk, 0)).to_contain_text(CANARY)
    expect(desk.locator("#left")).to_have_text(re.compile("^0:0[0-4]$"))
    expect(desk.locator("#access")).to_contain_text("Your access is over.")
    assert not CANARY.search(desk.content())
    desk.go_back()
    assert not CANARY.search(desk.content())


def test_it_ends_at_its_minute_without_the_server(desk, trace, ada):
    look_up(desk)
    ask(desk)
    row(desk, 0).get_by_role("button", name="Show").click()
    expect(row(desk, 0)).to_contain_text(CANARY)
    leave_seconds(ada, 4)
    desk.reload()
    desk.context.set_offline(True)
    desk.wait_for_timeout(5_500)
    assert not CANARY.search(desk.content())
    desk.context.set_offline(False)


def test_it_ends_at_its_minute_without_scripts(desk_of, sol, trace, ada):
    desk = desk_of(sol, java_script_enabled=False)
    look_up(desk)
    ask(desk)
    row(desk, 0).get_by_role("button", name="Show").click()
    expect(row(desk, 0)).to_contain_text(CANARY)
    leave_seconds(ada, 3)
    desk.reload()
    expect(row(desk, 0)).to_contain_text(CANARY)
    expect(desk.locator("#access")).to_contain_text("Your access is over.")
    assert not CANARY.search(desk.content())


def test_a_colleague_sees_no_more_than_before(desk, desk_of, trace, guard):
    look_up(desk)
    ask(desk, reach="Its conversation too")
    grant = re.search(r"/support/grants/([0-9a-f-]{36})/", desk.content())[1]
    other = desk_of(hire("kim"))
    guard.expect("status of 404")
    for address in (f"/support/grants/{grant}/decisions/", f"{desk.url}memories/{trace['memories'][0]['id']}/propose/"):
        assert other.goto(address).status == 404
        assert not CANARY.search(other.content())
    assert other.goto(desk.url).status == 200
    assert not CANARY.search(other.content())
    desk.get_by_role("link", name="What was remembered and refused").click()
    expect(desk.locator("h1")).to_have_text("What was remembered and refused")


def test_an_emergency_alone_is_red(desk, page, trace):
    look_up(desk)
    desk.get_by_role("link", name="Ask to read").click()
    desk.get_by_role("radio", name="An emergency").check()
    expect(desk.locator("#seen")).to_contain_text("confirmed by a second staff member")
    desk.get_by_label("do not wait for a second staff member").check()
    expect(desk.locator("#seen")).to_contain_text("opened by one staff member alone")
    desk.get_by_role("main").get_by_role("button", name="Ask to read").click()
    expect(desk.locator("#access")).to_contain_text("flagged to the person")
    page.goto("/activity/")
    red = page.locator("#activity b.is-bad")
    expect(red).to_contain_text("opened by one staff member alone")
    assert red.evaluate("(e) => getComputedStyle(e).color") == "rgb(156, 47, 28)"


def test_from_a_refused_proposal_to_its_turn_and_back(desk, trace):
    look_up(desk)
    ask(desk, reach="Its conversation too")
    desk.get_by_role("link", name="What was remembered and refused").click()
    desk.get_by_role("link", name="Refused").click()
    expect(desk.locator("#case .ledger > li")).to_have_count(1)
    desk.get_by_role("link", name="To turn 2").click()
    expect(desk.locator("h1")).to_have_text("The turn it came from")
    desk.locator("#back").click()
    assert re.search("#d-[0-9a-f-]{36}$", desk.url)


def test_a_proposal_is_accepted_by_the_person(desk, page, trace, remember, ask):
    look_up(desk)
    ask_to_read(desk)
    row(desk, 0).get_by_role("button", name="Show").click()
    row(desk, 0).get_by_role("link", name="Propose a change").click()
    desk.get_by_label("Corrected").fill("Loves Pemba.")
    desk.get_by_role("button", name="Go ahead").click()
    expect(row(desk, 0)).to_contain_text("Waits for the person")
    page.goto("/review/")
    page.evaluate("window.stays = true")
    page.get_by_role("button", name="Correct it like this").click()
    expect(page.locator("#review")).to_contain_text("All reviewed")
    expect(page.locator("#status")).to_have_text("The correction is in force with the next answer.")
    assert page.evaluate("window.stays") and focused(page)["tag"] == "H1"
    assert "Loves Pemba." in ask("pemba")["context"]


ask_to_read = ask


def test_by_keyboard_alone(desk, trace):
    desk.goto("/support/")
    assert focused(desk)["id"] == "name"
    desk.keyboard.type("ans-1")
    desk.keyboard.press("Enter")
    expect(desk.locator("h1")).to_contain_text("Asked on")
    assert focused(desk)["tag"] == "H1"
    press_until(desk, "ask")
    desk.keyboard.press("Enter")
    expect(desk.locator("h1")).to_have_text("Ask to read")
    desk.keyboard.press("Tab")
    desk.keyboard.press("Space")
    press_until(desk, "ticket")
    desk.keyboard.type("T-17")
    desk.keyboard.press("Enter")
    expect(desk.locator("#access")).to_have_class(re.compile("access-open"))
    show = row(desk, 0).get_by_role("button", name="Show").get_attribute("id")
    press_until(desk, show)
    desk.keyboard.press("Enter")
    expect(row(desk, 0)).to_contain_text(CANARY)
    assert focused(desk)["tag"] != "BODY"


def press_until(page, element_id, at_most=60):
    for _ in range(at_most):
        if focused(page)["id"] == element_id:
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{element_id} is not reached by Tab")


def test_on_paper_there_is_the_case_and_nothing_to_press(desk, trace):
    look_up(desk)
    desk.get_by_role("link", name="Case to print").click()
    expect(desk.locator("h1")).to_contain_text("Case: asked on")
    desk.emulate_media(media="print")
    for gone in (".top", ".crumb", ".skip"):
        assert not desk.locator(gone).first.is_visible()
    assert desk.locator(".case-table tbody tr").first.is_visible()
    assert desk.evaluate("getComputedStyle(document.body).backgroundColor") in (
        "rgb(255, 255, 255)",
        "rgba(0, 0, 0, 0)",
    )


def test_the_desk_says_how_to_get_in(new_context, home, sol, trace, guard):
    user = User.objects.get(pk=sol.id)
    session = SessionStore()
    session[SESSION_KEY], session[HASH_SESSION_KEY] = str(user.pk), user.get_session_auth_hash()
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session.save()
    context = new_context(signed_in=False)
    context.add_cookies([{"name": "sessionid", "value": session.session_key, "url": home}])
    page = context.new_page()
    guard.expect("status of 403")
    assert page.goto("/support/").status == 403
    expect(page.locator("h1")).to_have_text("The desk needs your second step")
    assert _violations(page) == []


def test_two_quick_presses_show_two_things(desk, trace):
    look_up(desk)
    ask_to_read(desk)
    desk.evaluate("() => document.querySelectorAll('#case .ledger [id^=show-]').forEach((button) => button.click())")
    for number in (0, 1):
        expect(row(desk, number)).to_contain_text(CANARY)
