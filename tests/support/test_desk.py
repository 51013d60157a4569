"""The desk: who gets in, what is found, what is seen with and without a grant."""

import json
import re
from uuid import UUID, uuid4

import pytest
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.test import Client
from django.urls import get_resolver

from accounts.models import User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Memory
from memoryapp.services.grants import own_grant
from memoryapp.services.reports import report_answer
from tests.alike import alike
from tests.staffing import run_out
from tests.support.conftest import CANARY, FRAGMENT, browser_of

pytestmark = pytest.mark.django_db

ADDRESSES = ["/support/", "/support/audit/", "/support/audit/accesses.csv", "/support/audit/accesses.json"]


def words(response):
    return response.content.decode().casefold()


def pages(page_of, grant_id=None):
    """Every address of the desk that could show something of the trace."""
    yield from (page_of, f"{page_of}?poll=1", f"{page_of}grant/", f"{page_of}bundle.json", f"{page_of}print/")
    yield from ADDRESSES
    yield f"{page_of}again/"
    if grant_id:
        yield f"/support/grants/{grant_id}/decisions/"


def test_a_stranger_is_asked_to_sign_in(page_of):
    for address in pages(page_of):
        assert Client().get(address)["Location"].startswith("/sign-in?next=/support/")


def test_to_everybody_else_there_is_no_desk(hers, page_of, trace):
    for address in (*pages(page_of, uuid4()), "/support/reports/"):
        assert hers.get(address).status_code == 404, address
    assert hers.post("/support/", {"name": "ans-1"}).status_code == 404


@pytest.mark.parametrize(
    ("has_factor", "says"),
    [(False, "Add a passkey"), (True, "Enter a code from the app")],
    ids=["has none", "has not used it"],
)
def test_without_a_second_factor_the_desk_says_how_to_get_in(sol, page_of, has_factor, says):
    client = browser_of(sol.id, with_factor=False)
    if has_factor:
        Authenticator.objects.create(user_id=sol.id, type=Authenticator.Type.TOTP, data={})
    for address in pages(page_of):
        response = client.get(address)
        assert response.status_code == 403 and says in response.content.decode(), address
        assert CANARY not in words(response)
    assert client.post("/support/", {"name": "ans-1"}).status_code == 403
    assert client.get(page_of, headers=FRAGMENT)["HX-Redirect"] == "/support/"


@pytest.mark.parametrize("kind", [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN], ids=["app", "passkey"])
def test_a_factor_counts_while_it_is_there(sol, kind):
    client = browser_of(sol.id)
    Authenticator.objects.filter(user_id=sol.id).update(type=kind)
    assert client.get("/support/").status_code == 200
    Authenticator.objects.filter(user_id=sol.id).update(type=Authenticator.Type.RECOVERY_CODES)
    assert client.get("/support/").status_code == 403
    Authenticator.objects.all().delete()
    assert client.get("/support/").status_code == 403


def test_a_role_taken_away_closes_the_desk_at_once(sol, sols, open_grant, page_of):
    from accounts.actors import Actor
    from memoryapp.services.staff import set_role

    open_grant()
    assert sols.get(page_of).status_code == 200
    set_role(User.objects.get(pk=sol.id), None, actor=Actor("system"))
    assert sols.get(page_of).status_code == 404


def test_one_find_leads_there_and_more_are_listed(sols, trace, page_of, herself):
    report = report_answer(UUID(trace["trace_id"]), wrong="untrue", actor=herself)
    for name in ("ans-1", trace["trace_id"], report.reference, "zanzibar-talk", " ans-1 "):
        assert sols.post("/support/", {"name": name})["Location"] == page_of, name
    assert sols.post("/support/", {"name": "ada"})["Location"] == page_of
    for name in ("ans", "zanzibar", str(uuid4()), "R-0000-0000", "", "'; --"):
        response = sols.post("/support/", {"name": name})
        assert response.status_code == 200 and "Nothing of that name" in response.content.decode(), name
        assert re.search(r"/support/traces/", response.content.decode()) is None


def test_several_are_listed_without_a_word(sols, trace, ada):
    from memoryapp.services.recall import ContextRequest, recall

    recall(ContextRequest(query="Zanzibar again", session="zanzibar-talk"), actor=ada)
    response = sols.post("/support/", {"name": "zanzibar-talk"})
    assert response.content.decode().count("/support/traces/") == 2
    assert CANARY not in words(response).replace('value="zanzibar-talk"', ""), "but for what was typed"


def test_what_does_not_exist_and_what_is_not_hers_are_one_answer(sols, kims, open_grant, page_of, trace, sol):
    grant_id = open_grant()
    unknown = sols.get(f"/support/traces/{uuid4()}/")
    for address in ("decisions/", f"decisions/{uuid4()}/"):
        theirs = kims.get(f"/support/grants/{grant_id}/{address}")
        nowhere = kims.get(f"/support/grants/{uuid4()}/{address}")
        assert theirs.status_code == nowhere.status_code == unknown.status_code == 404
        assert strip_reference(theirs) == strip_reference(nowhere)
    item = f"request:{trace['trace_id']}"
    for act, data in (("show", {"item": item}), ("end", {})):
        assert kims.post(f"/support/grants/{grant_id}/{act}/", data).status_code == 404
    assert kims.get(f"{page_of}memories/{trace['memories'][0]['id']}/propose/").status_code == 404
    assert own_grant(UUID(grant_id), staff=sol)[0].ended_at is None


def strip_reference(response):
    return re.sub(r"[0-9a-f-]{32,}|\b[0-9a-zA-Z]{32,}\b", "", response.content.decode())


def test_without_a_grant_no_word_is_anywhere(sols, kims, trace, page_of, open_grant):
    for client in (sols, kims):
        for address in pages(page_of):
            assert CANARY not in words(client.get(address)), address
        for name in ("ans-1", "zanzibar-talk", "ada"):
            assert CANARY not in words(client.post("/support/", {"name": name}, follow=True))
    grant_id = open_grant(reach="conversation")
    shown = [page_of, f"{page_of}bundle.json", f"{page_of}print/"]
    bare = [address for address in pages(page_of, grant_id) if address not in shown]
    # A running grant names its scopes; beyond that nothing is seen that was not asked for.
    for address in [*bare, *shown]:
        assert "loves zanzibar" not in words(sols.get(address)) and "flies" not in words(sols.get(address)), address
    show_all(sols, trace, grant_id)
    for address in shown:
        assert "loves zanzibar." in words(sols.get(address)), address
        assert "notes from earlier conversations" in words(sols.get(address)), address
        assert "flies to zanzibar in may." in words(sols.get(address)), address
    for address in pages(page_of):
        assert CANARY not in words(kims.get(address)), address


def show_all(client, trace, grant_id):
    items = [f"{what}:{trace['trace_id']}" for what in ("request", "answer", "block")]
    items += [f"memory:{one['id']}:{one['version']}" for one in trace["memories"]]
    response = client.post(f"/support/grants/{grant_id}/show/", {"item": ",".join(items)})
    assert response.status_code == 303


def test_it_shows_one_thing_and_no_other(sols, trace, page_of, open_grant):
    grant_id = open_grant()
    first, second = trace["memories"]
    response = sols.press(f"/support/grants/{grant_id}/show/", item=f"memory:{first['id']}:{first['version']}")
    assert response.status_code == 200 and first["text"] in response.content.decode()
    assert second["text"] not in response.content.decode()
    assert "When do we fly" not in response.content.decode()


@pytest.mark.parametrize("how", ["over", "ended by staff", "ended by the person"])
def test_what_was_shown_is_gone_with_the_grant(sols, hers, sol, trace, page_of, open_grant, how):
    grant_id = open_grant(reach="conversation")
    show_all(sols, trace, grant_id)
    assert "loves zanzibar." in words(sols.get(page_of))
    if how == "over":
        run_out(own_grant(UUID(grant_id), staff=sol)[0], sol)
    elif how == "ended by staff":
        assert sols.post(f"/support/grants/{grant_id}/end/").status_code == 303
    else:
        assert hers.post(f"/activity/grants/{grant_id}/end/").status_code == 303
    for address in pages(page_of):
        assert CANARY not in words(sols.get(address)), address
    fragment = sols.fragment(page_of, poll="1")
    assert CANARY not in words(fragment) and "Ask to read" in fragment.content.decode()
    assert 'id="watch"' not in fragment.content.decode()
    for address in (f"/support/grants/{grant_id}/decisions/", f"{page_of}again/"):
        response = sols.get(address, follow=True)
        assert response.redirect_chain[-1][0].startswith(page_of) and CANARY not in words(response)
    refused = sols.post(f"/support/grants/{grant_id}/show/", {"item": f"request:{trace['trace_id']}"}, follow=True)
    assert "The access is over" in refused.content.decode() and CANARY not in words(refused)


def test_the_person_sees_who_by_role_what_why_and_when(sols, hers, trace, open_grant, sol):
    grant_id = open_grant()
    show_all(sols, trace, grant_id)
    activity = hers.get("/activity/").content.decode()
    for said in ("Access opened", "Read a memory", "Read a request", "Read an answer"):
        assert said in activity, said
    assert "An answer was wrong, ticket T-17." in activity
    assert "Support" in activity and "sol" not in activity.casefold().replace("solid", "")
    assert f"/activity/grants/{grant_id}/end/" in activity
    views = hers.get("/activity/?what=views").content.decode()
    assert views.count("Read a memory") == 2


def test_a_look_at_the_record_is_seen_too(sols, hers, page_of):
    sols.get(page_of)
    sols.fragment(page_of, poll="1")
    assert hers.get("/activity/").content.decode().count("Looked at the record of an answer, without its words") == 1


@alike(
    ("fields", "says"),
    [
        ({"ticket": ""}, "Name the ticket"),
        ({"ticket": "call Ada"}, "Name the ticket"),
        ({"reason": ""}, "Choose why."),
        ({"minutes": "61"}, "From 1 to 60 minutes."),
        ({"minutes": "-1"}, "From 1 to 60 minutes."),
        ({"scope": []}, "Choose at least one scope."),
        ({"reach": "all"}, "Choose how much."),
    ],
)
def test_the_form_says_what_is_missing_and_keeps_what_was_typed(sols, page_of, fields, says):
    data = {"grant": str(uuid4()), "reason": "privacy", "ticket": "T-9", "minutes": "10", "reach": "answer"}
    response = sols.post(f"{page_of}grant/", data | {"scope": ["personal"]} | fields)
    assert response.status_code == 422 and says in response.content.decode()
    if "ticket" not in fields:
        assert 'value="T-9"' in response.content.decode()


def test_the_form_shows_what_the_person_will_see(sols, page_of):
    data = {"look": "1", "reason": "security", "ticket": "T-9", "minutes": "10", "reach": "person", "scope": "personal"}
    response = sols.press(f"{page_of}grant/", **data)
    seen = response.content.decode()
    assert "A suspicion of misuse" in seen and "T-9" in seen and "for 10 minutes at most" in seen
    assert "<form" not in seen
    flagged = sols.press(f"{page_of}grant/", **(data | {"reason": "emergency", "alone": "1"})).content.decode()
    assert "opened by one staff member alone" in flagged and "is-bad" in flagged


def test_an_emergency_alone_is_red_for_the_person_and_in_the_audit(sols, hers, vis, page_of, open_grant):
    open_grant(reason="emergency", ticket="", alone="1")
    assert "access-bad" in sols.get(page_of).content.decode()
    for address in ("/activity/", "/privacy/"):
        assert re.search(r'class="[^"]*access-bad', hers.get(address).content.decode()), address
    activity = hers.get("/activity/").content.decode()
    assert re.search(r'is-bad[^<]*">.*?Emergency access, opened by one staff member alone', activity, re.DOTALL)
    assert "is-flagged" in vis.get("/support/audit/").content.decode()


def test_a_colleague_confirms_an_emergency(sols, kims, hers, page_of, open_grant):
    grant_id = open_grant(reason="emergency", ticket="")
    assert "Waits for a second staff member" in sols.get(page_of).content.decode()
    assert grant_id not in sols.get("/support/").content.decode()
    assert f"/support/grants/{grant_id}/second/" in kims.get("/support/").content.decode()
    assert sols.post(f"/support/grants/{grant_id}/second/").status_code == 404
    assert kims.post(f"/support/grants/{grant_id}/second/").status_code == 303
    assert "access-open" in sols.get(page_of).content.decode()
    assert "access-bad" not in hers.get("/activity/").content.decode()


def test_the_person_allows_first_where_the_deployment_says_so(sols, hers, trace, page_of, open_grant, settings):
    settings.MEMORY_SUPPORT_APPROVAL = True
    grant_id = open_grant()
    assert "Waits for the person" in sols.get(page_of).content.decode()
    item = {"item": f"request:{trace['trace_id']}"}
    assert CANARY not in words(sols.post(f"/support/grants/{grant_id}/show/", item, follow=True))
    assert f"/activity/grants/{grant_id}/allow/" in hers.get("/activity/").content.decode()
    assert hers.post(f"/activity/grants/{grant_id}/allow/").status_code == 303
    assert CANARY in words(sols.post(f"/support/grants/{grant_id}/show/", item, follow=True))
    other = open_grant()
    assert hers.post(f"/activity/grants/{other}/refuse/").status_code == 303
    assert "/allow/" not in hers.get("/activity/").content.decode()


def test_the_bundle_is_a_file_with_digests_and_no_words(sols, trace, page_of, open_grant):
    response = sols.get(f"{page_of}bundle.json")
    whole = json.loads(response.content)
    assert response["Content-Disposition"].startswith("attachment")
    assert [one["verdict"] for one in whole["items"]].count("included") == 2
    assert all(len(one["digest"]) == 32 for one in whole["items"])
    assert response["Cache-Control"] == "no-store"


def test_then_and_now_by_places_and_words_where_shown(sols, trace, page_of, open_grant, remember):
    open_grant()
    assert "Exactly the same would be sent" in sols.get(f"{page_of}again/").content.decode()
    remember("Flies to Zanzibar in June.", kind="fact", scope="zanzibar-trip", subject="flight")
    changed = sols.get(f"{page_of}again/").content.decode()
    assert "The difference" in changed and "In other words than then" in changed and "June" not in changed
    flight = next(one for one in trace["memories"] if one["subject"] == "flight")
    grant = re.search(r"/support/grants/([0-9a-f-]{36})/show/", sols.get(page_of).content.decode())[1]
    sols.post(f"/support/grants/{grant}/show/", {"item": f"memory:{flight['id']}:{flight['version']}"})
    for address in (page_of, f"{page_of}again/"):
        assert re.search(r"<del>.*May.*</del>.*<ins>.*June.*</ins>", sols.get(address).content.decode(), re.DOTALL)
    then = sols.get(f"{page_of}again/?as_of=then").content.decode()
    assert "as things stood then" in then
    assert "Give a time that has passed" in sols.get(f"{page_of}again/?as_of=2999-01-01T00:00").content.decode()


def test_no_scope_beyond_the_grant_is_shown(sols, trace, page_of, open_grant):
    grant_id = open_grant(scope=["personal"])
    page = words(sols.get(page_of))
    assert "zanzibar-trip" not in page and "outside the scopes of your access" in page
    flight = next(one for one in trace["memories"] if one["subject"] == "flight")
    for item in (f"memory:{flight['id']}:{flight['version']}", f"block:{trace['trace_id']}"):
        assert sols.post(f"/support/grants/{grant_id}/show/", {"item": item}).status_code == 404
    assert CANARY not in words(sols.get(f"{page_of}again/", follow=True))


@pytest.mark.parametrize(
    "item",
    ["", "memory", "memory:x", "memory:{id}:x", "memory:{id}:9999999999", "nothing:{id}", "trace:{id}", "request:{id}"],
)
def test_a_strange_item_is_nothing(sols, trace, open_grant, item):
    grant_id = open_grant()
    item = item.replace("{id}", trace["memories"][0]["id"])
    assert sols.post(f"/support/grants/{grant_id}/show/", {"item": item}).status_code == 404


def test_a_constant_number_of_questions_to_the_database(
    sols, trace, page_of, open_grant, remember, ada, django_assert_max_num_queries
):
    from memoryapp.services.recall import ContextRequest, recall

    grant_id = open_grant()
    show_all(sols, trace, grant_id)
    sols.get(page_of)
    with django_assert_max_num_queries(60) as few:
        sols.get(page_of)
    for n in range(30):
        remember(f"Zanzibar fact {n}.", kind="fact", scope="zanzibar-trip", subject=f"f{n}")
    big = recall(ContextRequest(query="Zanzibar fact", scopes=("zanzibar-trip",), limit=50), actor=ada)
    address = f"/support/traces/{big['trace_id']}/"
    sols.get(address)
    with django_assert_max_num_queries(60) as many:
        sols.get(address)
    assert len(many.captured_queries) <= len(few.captured_queries)


def test_staff_change_no_memory_by_page_or_api(sols, sol, trace, page_of, open_grant, ada):
    grant_id = open_grant()
    show_all(sols, trace, grant_id)
    memory_id = trace["memories"][0]["id"]
    with acting_for(ada.person_id):
        before = list(Memory.objects.order_by("id").values_list("text", "state", "version"))
    for verb in ("pause", "forget", "pin", "confirm", "restore", "edit"):
        response = sols.post(f"/memories/{memory_id}/{verb}/", {"text": "changed", "version": "1"})
        assert response.status_code == 404, verb
    for verb in ("keep", "correct", "reject", "forget"):
        assert sols.post(f"/review/{memory_id}/{verb}/", {"text": "changed"}).status_code == 404
    assert sols.get(f"/memories/{memory_id}/").status_code == 404
    assert sols.get(f"/answers/{trace['trace_id']}/").status_code == 404
    for method in ("patch", "delete"):
        response = getattr(sols, method)(f"/api/v1/memories/{memory_id}", "{}", content_type="application/json")
        assert response.status_code == 401
    with acting_for(ada.person_id):
        assert list(Memory.objects.order_by("id").values_list("text", "state", "version")) == before


def test_a_staff_members_own_key_opens_their_own_memory_only(sol, trace, ada):
    from dataclasses import replace

    from memoryapp.services.personal_keys import create_personal_key

    _, secret = create_personal_key("mine", actor=replace(sol.about(sol.id), kind="person", staff_id=None))
    headers = {"Authorization": f"Bearer {secret}"}
    client = Client(headers=headers)
    assert client.get(f"/api/v1/traces/{trace['trace_id']}").status_code == 404
    assert client.get(f"/api/v1/memories/{trace['memories'][0]['id']}").status_code == 404


def test_there_is_no_admin(sols):
    assert "django.contrib.admin" not in settings.INSTALLED_APPS
    assert not any("admin" in str(one.pattern) for one in get_resolver().url_patterns)
    for address in ("/admin/", "/admin/memoryapp/memory/"):
        assert sols.get(address).status_code == 404


def test_nothing_of_the_desk_is_kept_by_a_browser(sols, page_of):
    for address in pages(page_of):
        response = sols.get(address)
        if response.status_code == 200:
            assert response["Cache-Control"] == "no-store", address


def test_a_double_press_notes_one_look(sols, trace, open_grant, ada):
    grant_id = open_grant()
    for _ in range(2):
        show_all(sols, trace, grant_id)
    with acting_for(ada.person_id):
        assert AuditEvent.objects.filter(person_id=ada.person_id, verb="view_request").count() == 1


def test_what_was_held_back_is_named_with_who_had_paused_it(sols, trace, ada, herself, open_grant):
    from memoryapp.services.recall import ContextRequest, recall
    from memoryapp.services.states import pause

    paused, other = trace["memories"]
    pause(paused["id"], actor=herself)
    pause(other["id"], actor=ada)
    request = ContextRequest(query="When do we fly to Zanzibar", scopes=("zanzibar-trip",), session="zanzibar-talk")
    later = recall(request, actor=ada)["trace_id"]
    page = f"/support/traces/{later}/"
    shown = sols.get(page).content.decode()
    assert "The person had paused it on " in shown and "\u2068bot\u2069 had paused it on " in shown
    assert CANARY not in shown.casefold()
    bundle = json.loads(sols.get(f"{page}bundle.json").content)
    whose = {item["memory"]: item["paused_by"]["kind"] for item in bundle["items"] if item["verdict"] == "paused"}
    assert whose == {paused["id"]: "person", other["id"]: "agent"}


@pytest.mark.parametrize(
    ("kinds", "says", "absent"),
    [
        (["totp"], "Enter a code from the app", "Use a passkey"),
        (["webauthn"], "Use a passkey", "Enter a code from the app"),
        (["totp", "webauthn"], "Use a passkey", "Add a passkey"),
    ],
    ids=["an app", "a passkey", "both"],
)
def test_the_second_step_offers_what_the_person_has(sol, kinds, says, absent):
    for kind in kinds:
        Authenticator.objects.create(user_id=sol.id, type=kind, data={})
    page = browser_of(sol.id, with_factor=False).get("/support/").content.decode()
    assert says in page and absent not in page


def test_what_the_desk_does_not_have_is_said_without_the_persons_trash(sols, hers):
    page = sols.get(f"/support/traces/{uuid4()}/")
    assert page.status_code == 404
    assert "the desk may not see it" in page.content.decode() and "trash" not in page.content.decode()
    assert "trash" in hers.get(f"/support/traces/{uuid4()}/").content.decode()


def test_a_conversation_is_named_only_under_a_grant_that_reaches_into_it(sols, page_of, open_grant):
    for reach, is_named in (("", False), ("answer", False), ("conversation", True)):
        if reach:
            grant_id = open_grant(reach=reach)
        for address in (page_of, f"{page_of}print/", f"{page_of}bundle.json"):
            assert ("zanzibar-talk" in sols.get(address).content.decode()) is is_named, (reach, address)
        assert "Conversation" in sols.get(page_of).content.decode()
        if reach:
            sols.post(f"/support/grants/{grant_id}/end/")
    assert "zanzibar-talk" not in sols.get(page_of).content.decode()
