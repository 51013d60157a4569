"""Every page, whole and as the fragment that htmx gets, is valid HTML."""

import re
from uuid import UUID, uuid4

import pytest
from allauth.account.models import EmailAddress
from django.urls import URLPattern, reverse

from accounts.actors import Actor
from accounts.models import User
from memoryapp.dashboard import urls
from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision
from memoryapp.services import do_not_learn
from memoryapp.services.bulk import apply_bulk, preview_bulk
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.forget import forget
from memoryapp.services.links import make_link
from memoryapp.services.personal_keys import create_personal_key
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reports import report_answer
from memoryapp.services.reveal import Item, reveal
from memoryapp.services.staff_proposals import Change, propose_change
from memoryapp.services.states import pause
from memoryapp.services.traces import join_answer
from memoryapp.services.uses import count_waiting
from memoryapp.signin.urls import urlpatterns as sign_in
from tests.dashboard.conftest import FRAGMENT
from tests.dashboard.markup import mistakes
from tests.staffing import grant_on, hire

pytestmark = pytest.mark.django_db

PAGES = {
    "memories", "add", "bulk", "bulk_run", "merge", "memory", "memory_edit", "memory_forget", "review", "trash",
    "not_remembered", "preview", "settings", "keys", "scope", "scope_merge", "scope_forget", "activity", "privacy",
    "erase", "export_page", "answers", "answer", "answer_again", "turn",
    "account_email", "mfa_index", "mfa_activate_totp", "mfa_add_webauthn", "usersessions_list",
}  # fmt: skip
HOSTILE = '"><b hx-get="/trash/">x</b></li></ol></script> & <img src=x>'


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("<p>a<div>b</div></p>", "Unexpected end tag (p)"),
        ("<ul><div>a</div></ul>", "<div> right inside <ul>"),
        ("<b id=a></b><i id=a></i>", "the id 'a' stands 2 times"),
        ("<button><a href=x>y</a></button>", "<a> inside a link or button"),
        ("<span><p>a</p></span>", "<p> inside <span>"),
        ("<label><div>a</div></label>", "<div> inside <label>"),
        ("<a href=x class=y class=z>a</a>", "attribute"),
        ("<p>a &nosuch; b</p>", "Named entity"),
        ("<section><b>x</section>", "section"),
        ("<table><p>a</p></table>", "table"),
    ],
)
def test_it_finds_what_is_wrong(text, wrong):
    assert any(wrong in one for one in mistakes(text, is_whole=False)), mistakes(text, is_whole=False)
    page = "<!doctype html><html lang=en><head><title>x</title></head><body><h1>y</h1>{}</body></html>"
    assert any(wrong in one for one in mistakes(page.format(text)))
    assert mistakes(page.format("<ul><li><a href=x><b>a</b></a></li></ul><p id=b>c</p><label for=b>d</label>")) == []
    assert mistakes(page.format("<label for=elsewhere>d</label>")) == ["for='elsewhere' leads nowhere"]


@pytest.fixture
def places(hers, remember, guess, grow_stale, propose_one, ada, herself):
    """Something of everything, hostile words among it; the values that the routes' arguments take."""
    person = User.objects.get(pk=ada.person_id)
    User.objects.filter(pk=person.pk).update(email="ada@example.org")
    EmailAddress.objects.create(user=person, email="ada@example.org", verified=True, primary=True)
    store_turns(session="s", scope="personal", turns=[Turn(1, "user", f"Tea. {HOSTILE}", None)], actor=ada)
    tea = remember("Likes green tea.", subject="tea", source="Tea.", session="s", turn=1, aliases=("cha", HOSTILE[:80]))
    sent = recall(ContextRequest(query=f"green tea {HOSTILE}"), actor=ada)
    trace_id = UUID(sent["trace_id"])
    join_answer(trace_id, answer_id="a-1", model="m", text=f"Green tea. {HOSTILE}", actor=ada)
    report_answer(trace_id, wrong="untrue", actor=herself)
    sol = hire("sol")
    grant = grant_on(trace_id, sol, reach="conversation")
    reveal(grant.id, [Item("memory", UUID(tea["id"]), 1)], staff=sol)
    propose_change(uuid4(), grant.id, Change(UUID(tea["id"]), 1, f"Likes {HOSTILE}"), staff=sol)
    count_waiting()
    remember("Likes black tea.", subject="tea", source="No, black.")
    for n, kind in enumerate(("fact", "decision", "identifier", "preference")):
        remember(f"Is {HOSTILE} {n}.", kind=kind, scope="atlas", subject=f"s{n}", source=f"Said {HOSTILE}")
    guess("Likes gin.", subject="tea")
    guess(HOSTILE, subject="other")
    pause(remember("Likes cats.", subject="pet")["id"], actor=herself)
    remember("Likes dogs.", subject="pet")
    grow_stale(remember("Lives in Rome.", kind="fact", scope="personal", subject="home"))
    propose_one(f"Is {HOSTILE}.", kind="mood", subject="now", session="s", turn=1)
    with acting_for(ada.person_id):
        decision = Decision.objects.get(session="s", subject="now")
    jazz = remember(HOSTILE, subject="music")
    forget(jazz["id"], relearn="block", source="keep", actor=herself)
    entry = do_not_learn.bar_subject("personal", HOSTILE, actor=herself)
    key, _ = create_personal_key(HOSTILE, actor=herself)
    other = remember("Likes rum.", subject="spirit")
    remember("Atlas likes rum.", kind="preference", scope="atlas", subject="spirit")
    run = preview_bulk("move", ids=[other["id"], tea["id"]], scope="atlas", actor=herself)
    apply_bulk(run.run_id, expected_count=2, actor=herself)
    return {
        "memory_id": tea["id"], "run_id": run.run_id, "entry_id": entry.id, "key_id": key.pk, "name": "atlas",
        "scope": "atlas", "what": "learning", "to": "off", "token": make_link(person, actor=Actor("system")).path[14:],
        "session_id": 1, "pk": 1, "trace_id": trace_id, "decision_id": decision.pk,
        "query": {"scope_merge": "into=personal", "merge": f"keep={tea['id']}&other={other['id']}",
                  "preview": "q=green+tea&scope=atlas"},
    }  # fmt: skip


def _addresses(places):
    for pattern in [*urls.urlpatterns, *sign_in]:
        assert isinstance(pattern, URLPattern)
        names = re.findall(r"<(?:\w+:)?(\w+)>", str(pattern.pattern).replace("?P<", "<"))
        if not set(names) <= set(places):
            continue  # to the provider, and back
        space = "dashboard:" if pattern in urls.urlpatterns else ""
        query = places["query"].get(pattern.name, "")
        address = reverse(space + pattern.name, kwargs={name: places[name] for name in names})
        yield pattern.name, f"{address}?{query}" if query else address


def _wrong(browser, addresses):
    """The mistakes of each page that there is, and which pages those were."""
    found, seen = {}, set()
    for name, address in addresses:
        for headers in ({}, FRAGMENT):
            answer = browser.get(address, headers=headers)
            if answer.status_code != 200 or not answer["Content-Type"].startswith("text/html"):
                break  # no page, and so no part of one
            if "HX-Redirect" in answer:
                continue
            text = answer.getvalue().decode() if answer.streaming else answer.text
            seen.add(name)
            if wrong := mistakes(text, is_whole="<html" in text):
                found[name, bool(headers)] = wrong[:5]
    return found, seen


@pytest.mark.parametrize("language", ["en", "ar"])
def test_every_page_is_valid(hers, places, ada, language):
    User.objects.filter(pk=ada.person_id).update(language=language)
    found, seen = _wrong(hers, _addresses(places))
    assert found == {}
    assert seen >= PAGES and len(seen) >= 30, sorted(seen)


def test_every_page_is_valid_with_nothing_on_it(his, client, places):
    empty = {**places, "query": {**places["query"], "merge": ""}}
    found, seen = _wrong(his, _addresses(empty))
    assert found == {} and len(seen) >= 20
    found, seen = _wrong(client, _addresses(empty))
    assert found == {} and "account_login" in seen and "memories" not in seen


def test_what_a_form_is_answered_with_is_valid(hers, places, remember):
    memory = places["memory_id"]
    answers = [
        hers.post(f"/memories/{memory}/edit/", {"text": HOSTILE, "version": "1", "subject": "", "kind": "x"}),
        hers.post(
            f"/memories/{memory}/edit/",
            {"text": "Likes tea.", "version": "1", "subject": "tea", "kind": "preference", "scope": "atlas"},
        ),
        hers.post("/memories/add/", {"text": HOSTILE}),
        hers.post("/memories/bulk/", {"verb": "pause", "expected_count": "0"}),
        hers.post("/settings/keys/", {"name": "laptop", "access": "write"}),
        hers.post("/settings/keys/", {"name": "", "access": HOSTILE}),
        hers.post("/settings/do-not-learn/", {"subject": ""}),
        hers.post("/settings/scopes/atlas/", {"name": HOSTILE}),
        hers.post("/settings/scopes/atlas/forget/", {"expected_count": "0"}),
        hers.get("/nowhere"),
        hers.get("/memories/?q=nothing+like+it"),
    ]
    assert {answer.status_code for answer in answers} == {200, 404, 409, 422}
    assert {answer.request["PATH_INFO"]: mistakes(answer.text) for answer in answers if mistakes(answer.text)} == {}
