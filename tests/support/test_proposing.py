"""Proposing and deciding by page; from a decision to its turn and back; the audit and the reports."""

import json
import re
from uuid import UUID, uuid4

import pytest

from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Decision, Memory, MemoryVersion
from tests.alike import alike
from tests.support.conftest import CANARY

pytestmark = pytest.mark.django_db

BEFORE = ("Flies to Zanzibar in May.", "current")


@pytest.fixture
def flight(trace):
    return next(one for one in trace["memories"] if one["subject"] == "flight")


@pytest.fixture
def shown(sols, flight, open_grant):
    """The flight has been shown; the value is the grant's id."""
    grant_id = open_grant()
    sols.post(f"/support/grants/{grant_id}/show/", {"item": f"memory:{flight['id']}:{flight['version']}"})
    return grant_id


@pytest.fixture
def propose(sols, page_of, flight):
    def act(**fields):
        address = f"{page_of}memories/{flight['id']}/propose/"
        form = sols.get(address).content.decode()
        data = {name: re.search(rf'name="{name}" value="([^"]*)"', form)[1] for name in ("once", "version")}
        return sols.post(address, data | {"verb": "correct", "text": "Flies in June.", "how": "propose"} | fields)

    return act


def flight_now(ada):
    with acting_for(ada.person_id):
        head = Memory.objects.get(subject="flight")
        return head.text, head.state


def test_a_proposal_waits_on_the_review_page_and_is_accepted_there(shown, propose, hers, ada, sols, page_of):
    assert propose().status_code == 303
    assert flight_now(ada) == ("Flies to Zanzibar in May.", "current")
    assert "Waits for the person" in sols.get(page_of).content.decode()
    review = hers.get("/review/").content.decode()
    assert "Proposed by support" in review and "T-17" in review and re.search("<ins>.*June", review, re.DOTALL)
    assert '<span class="count" aria-hidden="true">1</span>' in hers.get("/memories/").content.decode()
    accept = re.search(r'formaction="(/review/proposals/[^"]+/accept/)"', review)[1]
    assert hers.get(accept).status_code == 302 and flight_now(ada)[0] == "Flies to Zanzibar in May."
    for _ in range(2):
        assert hers.post(accept).status_code == 303
    assert flight_now(ada) == ("Flies in June.", "current")
    assert "All reviewed" in hers.get("/review/").content.decode()
    assert "Accepted" in sols.get(page_of).content.decode()


@pytest.mark.parametrize("how", ["propose", "consent"])
def test_the_same_text_is_no_correction(shown, propose, hers, ada, how):
    answer = propose(text=f"{BEFORE[0]} ", how=how, consent="chat")
    assert answer.status_code == 422 and "It says that already." in answer.content.decode()
    assert "Proposed by support" not in hers.get("/review/").content.decode()
    assert flight_now(ada) == BEFORE
    assert propose().status_code == 303


@pytest.mark.parametrize(
    ("to", "after", "says"),
    [
        ("accept", "Flies in June.", "in force with the next answer"),
        ("decline", BEFORE[0], "Declined. Nothing changed."),
    ],
)
def test_under_htmx_the_answer_is_a_piece_of_the_page(shown, propose, hers, ada, to, after, says):
    propose()
    form = re.search(r"<form[^>]*/review/proposals/.*?</form>", hers.get("/review/").content.decode(), re.DOTALL)[0]
    assert 'hx-post=""' in form
    address = re.search(rf'action="(/review/proposals/[^"]+/{to}/)"', form)[1]
    once = re.search(r'name="once" value="([^"]+)"', form)[1]
    answer = hers.press(address, once=once)
    shown_now = answer.content.decode()
    assert answer.status_code == 200 and "<html" not in shown_now and says in shown_now
    assert "Proposed by support" not in shown_now and 'hx-target="#nav-review"' in shown_now
    assert flight_now(ada)[0] == after
    assert "That was answered already." in hers.press(address, once=once).content.decode()


@pytest.mark.parametrize("verb", ["correct", "forget"])
@pytest.mark.parametrize("send", ["post", "press"], ids=["plain", "htmx"])
def test_what_changed_since_it_was_shown_is_shown_first(shown, propose, hers, ada, verb, send, remember):
    propose(verb=verb)
    form = hers.get("/review/").content.decode()
    accept = re.search(r'formaction="(/review/proposals/[^"]+/accept/)"', form)[1]
    once = re.search(r'name="once" value="([^"]+)"', form)[1]
    remember("Flies to Zanzibar in July.", kind="fact", scope="zanzibar-trip", subject="flight")
    told = getattr(hers, send)(accept, **({"once": once} if send == "press" else {"data": {"once": once}}))
    assert told.status_code == 422 and "It was changed in the meantime." in told.content.decode()
    assert flight_now(ada) == ("Flies to Zanzibar in July.", "current")
    once = re.search(r'name="once" value="([^"]+)"', told.content.decode())[1]
    assert hers.press(accept, once=once).status_code == 200
    assert flight_now(ada)[verb == "forget"] == ("forgotten" if verb == "forget" else "Flies in June.")


def test_the_person_declines(shown, propose, hers, ada):
    propose(verb="forget")
    review = hers.get("/review/").content.decode()
    assert "To be forgotten" in review
    decline = re.search(r'action="(/review/proposals/[^"]+/decline/)"', review)[1]
    assert hers.post(decline).status_code == 303
    assert flight_now(ada) == ("Flies to Zanzibar in May.", "current")
    activity = hers.get("/activity/").content.decode()
    assert "Proposed to forget" in activity and "A proposal of support declined" in activity


def test_nobody_but_the_person_answers(shown, propose, hers, sols, kims, ada, ben):
    from tests.support.conftest import browser_of

    propose()
    accept = re.search(r'formaction="(/review/proposals/[^"]+/accept/)"', hers.get("/review/").content.decode())[1]
    for client in (sols, kims, browser_of(ben.person_id, with_factor=False)):
        assert client.post(accept).status_code == 404
        assert client.post(accept.replace("accept", "decline")).status_code == 404
    assert flight_now(ada) == ("Flies to Zanzibar in May.", "current")


@pytest.mark.parametrize(
    ("fields", "says", "after"),
    [
        ({"consent": "call"}, "Done, by the person&#x27;s consent", ("Flies in June.", "current")),
        ({"consent": "call", "verb": "forget"}, "Done, by", ("Flies to Zanzibar in May.", "forgotten")),
        ({"consent": ""}, "Say how the person agreed", BEFORE),
        ({"consent": "mumbled"}, "Say how the person agreed", BEFORE),
        ({"consent": "call", "text": " "}, "Write what is to be remembered", BEFORE),
        ({"consent": "call", "text": "password is hunter2-XyZ"}, "Those are never kept", BEFORE),
    ],
    ids=["correct", "forget", "no way", "strange way", "empty", "secret"],
)  # fmt: skip
def test_what_the_person_agreed_to_is_done_with_the_ticket(shown, propose, sols, hers, ada, fields, says, after):
    response = propose(how="consent", **fields)
    page = response.content.decode() if response.status_code == 422 else sols.get(response["Location"]).content.decode()
    assert says in page
    assert flight_now(ada) == after
    activity = hers.get("/activity/").content.decode()
    assert ("Agreed on the telephone. An answer was wrong, ticket T-17." in activity) == says.startswith("Done")
    with acting_for(ada.person_id):
        assert MemoryVersion.objects.filter(actor_kind="staff").exists() == says.startswith("Done")


def test_it_is_taken_back(shown, propose, sols, hers, page_of):
    propose()
    take_back = re.search(r'action="(/support/grants/[^"]+/withdraw/)"', sols.get(page_of).content.decode())[1]
    assert sols.post(take_back).status_code == 303
    assert "Proposed by support" not in hers.get("/review/").content.decode()


def test_the_form_takes_a_text_as_long_as_a_memory_may_be(shown, sols, page_of, flight):
    form = sols.get(f"{page_of}memories/{flight['id']}/propose/").content.decode()
    assert int(re.search(r'<textarea[^>]* maxlength="([^"]+)"', form)[1]) > 1_000


def test_there_is_no_form_for_what_was_not_shown(sols, page_of, trace, open_grant, flight):
    open_grant()
    assert sols.get(f"{page_of}memories/{flight['id']}/propose/").status_code == 404
    assert sols.get(f"{page_of}memories/{uuid4()}/propose/").status_code == 404


def test_an_outdated_proposal_says_so(shown, propose, hers, remember):
    propose()
    remember("Flies to Zanzibar in August.", kind="fact", scope="zanzibar-trip", subject="flight")
    assert "It was changed after support had looked at it." in hers.get("/review/").content.decode()


def test_from_the_log_to_a_turn_and_back(sols, open_grant, ada, page_of):
    grant_id = open_grant(reach="conversation")
    assert f"/support/grants/{grant_id}/decisions/" in sols.get(page_of).content.decode()
    log = sols.get(f"/support/grants/{grant_id}/decisions/?answered=rejected").content.decode()
    assert "Not remembered" in log and "It was not something lasting" in log and "tired" not in log
    decision = re.search(rf"/support/grants/{grant_id}/decisions/([0-9a-f-]+)/", log)[1]
    turns = sols.get(f"/support/grants/{grant_id}/decisions/{decision}/").content.decode()
    assert f"/support/grants/{grant_id}/decisions/#d-{decision}" in turns
    assert turns.count("<li") >= 2 and "Turn 2 on" not in turns
    message = re.search(r'value="(message:[0-9a-f-]+)"', turns)[1]
    data = {"item": message, "decision": decision}
    assert sols.post(f"/support/grants/{grant_id}/show/", data)["Location"].startswith(
        f"/support/grants/{grant_id}/decisions/{decision}/"
    )
    assert "Turn 1 on Zanzibar." in sols.get(f"/support/grants/{grant_id}/decisions/{decision}/").content.decode()
    data = {"item": f"decision:{decision}", "log": ""}
    assert sols.post(f"/support/grants/{grant_id}/show/", data).status_code == 303
    assert "Is tired of Zanzibar." in sols.get(f"/support/grants/{grant_id}/decisions/").content.decode()


@pytest.mark.parametrize("query", ["?answered=nothing", "?older=x"])
def test_a_strange_filter_is_none(sols, open_grant, query):
    grant_id = open_grant(reach="person")
    address = f"/support/grants/{grant_id}/decisions/"
    assert sols.get(address + query)["Location"] == address


def test_filters_survive_in_the_address(sols, open_grant):
    grant_id = open_grant(reach="person")
    page = sols.get(f"/support/grants/{grant_id}/decisions/?answered=rejected&session=zanzibar-talk").content.decode()
    assert '<option value="zanzibar-talk" selected>' in page and "?answered=pending&amp;session=zanzibar-talk" in page


def test_the_person_goes_from_what_was_refused_to_its_turn_and_back(hers, trace, ada, ben):
    from tests.support.conftest import browser_of

    with acting_for(ada.person_id):
        decision = Decision.objects.get(action="rejected")
    assert f"/not-remembered/{decision.pk}/" in hers.get("/not-remembered/").content.decode()
    turn = hers.get(f"/not-remembered/{decision.pk}/").content.decode()
    assert "Turn 1 on Zanzibar." in turn and "Turn 2 on Zanzibar." in turn
    assert f'href="/not-remembered/#d-{decision.pk}"' in turn
    with acting_for(ada.person_id):
        loved = Memory.objects.get(text="Loves Zanzibar.")
    assert f'href="/memories/{loved.pk}/"' in turn
    assert browser_of(ben.person_id, with_factor=False).get(f"/not-remembered/{decision.pk}/").status_code == 404


def test_the_audit_is_filtered_by_address_and_exported(sols, vis, shown, kims, open_grant):
    page = vis.get("/support/audit/").content.decode()
    assert "sol@example.org" in page and "Read a memory" in page and "An answer was wrong, ticket T-17." in page
    assert CANARY not in page.casefold()
    assert "Read a memory" not in vis.get("/support/audit/?sort=grants").content.decode()
    assert "Nothing of this sort has happened" in vis.get("/support/audit/?ticket=T-99").content.decode()
    assert "sol@example.org" not in kims.get("/support/audit/").content.decode()
    assert "Nothing has happened yet" in kims.get("/support/audit/").content.decode()
    rows = vis.get("/support/audit/accesses.csv?ticket=T-17").content.decode().splitlines()
    assert len(rows) == 3 and rows[0].startswith("at,staff,verb")
    exported = json.loads(vis.get("/support/audit/accesses.json?sort=views").content)["accesses"]
    assert "view_memory" in [one["verb"] for one in exported]
    assert "Took the record of accesses along" in vis.get("/support/audit/").content.decode()
    assert "Every chain holds." in vis.get("/support/audit/?check=chains").content.decode()


@alike(
    "query",
    ["staff=x", "person=x", "ticket=%3D1", "since=2026-99-99", "until=x", "sort=x", "older=x", "since=0001-01-01"],
)
def test_a_filter_that_means_nothing_is_left_out(vis, shown, query):
    response = vis.get(f"/support/audit/?{query}", follow=True)
    assert response.status_code == 200 and "Read a memory" in response.content.decode()


def test_a_questioned_access_is_taken_up_and_closed(sols, vis, hers, shown, ada):
    with acting_for(ada.person_id):
        event = AuditEvent.objects.get(person_id=ada.person_id, verb="view_memory")
    hers.post(f"/activity/{event.pk}/question/")
    assert sols.get("/support/reports/").status_code == 404
    page = vis.get("/support/reports/").content.decode()
    assert "Read a memory" in page and "sol@example.org" in page and CANARY not in page.casefold()
    take = re.search(r'action="(/support/reports/R-[^"]+/taken/)"', page)[1]
    assert sols.post(take).status_code == 404
    assert vis.post(take).status_code == 303
    assert vis.post(take.replace("taken", "closed")).status_code == 303
    assert "Nothing is open" in vis.get("/support/reports/").content.decode()
    assert vis.post(take.replace("taken", "lost")).status_code == 404


def test_a_supervisor_looks_up_nothing(vis, page_of):
    assert vis.get("/support/")["Location"] == "/support/audit/"
    assert vis.get(page_of).status_code == 404
    assert vis.get(f"{page_of}grant/").status_code == 404


def test_ids_are_of_the_kind_that_is_asked_for(sols, shown):
    assert sols.post(f"/support/grants/{UUID(shown)}/show/", {"item": "memory:1"}).status_code == 404
