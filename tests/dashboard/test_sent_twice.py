"""Every form that is sent twice makes one change. A new route that takes a POST has to be added here.

Those of sign-in are tried in `tests/accounts/test_sent_twice.py`.
"""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.urls import reverse

from memoryapp.dashboard import urls
from memoryapp.database.isolation import acting_for
from memoryapp.models import BulkRun, Episode
from memoryapp.services import do_not_learn, personal_keys
from memoryapp.services.disputes import dispute
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.forget import forget
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reviewing import reject
from memoryapp.services.staff_proposals import Change, propose_change
from memoryapp.services.states import pause, pin
from tests.many import grow
from tests.staffing import grant_on, hire, shown

pytestmark = pytest.mark.django_db

ID = "01a22bd3-92ee-74bd-9325-28c1bf2995fe"
OF_ONE = {
    "memory": "memory_id", "answer": "trace_id", "answer_again": "trace_id", "turn": "decision_id",
    "receipt": "receipt_id",
}  # fmt: skip
READ_ONLY = {
    "memories", "memory", "review", "trash", "not_remembered", "preview", "settings", "activity", "privacy",
    "export_page", "export", "receipt", "answers", "answer", "answer_again", "turn",
}  # fmt: skip
TABLES = (
    "memoryapp_memory", "memoryapp_memoryversion", "memoryapp_confirmation", "memoryapp_decision",
    "memoryapp_tombstone", "memoryapp_auditevent", "memoryapp_bulkrun", "memoryapp_report", "memoryapp_grant",
    "memoryapp_staffproposal", "memoryapp_dispute", "memoryapp_retention", "memoryapp_episode",
    "accounts_scope", "accounts_agentkey",
)  # fmt: skip


@dataclass
class Sent:
    """What is sent twice. `args` are of the route, `fields` of the form."""

    args: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)


def everything(actor):
    """Every row of the person's, but for when they were last seen."""
    one = "select '{0}', to_jsonb({0})::text from {0} where person_id = %(person)s"
    of_all = " union all ".join(map(one.format, TABLES))
    with acting_for(actor.person_id), connection.cursor() as cursor:
        cursor.execute(of_all, {"person": actor.person_id})
        rows = cursor.fetchall()
        cursor.execute(
            "select language, time_zone, theme, learning, use from accounts_user where id = %s", [actor.person_id]
        )
        rows.append(("person", str(cursor.fetchall())))
    return sorted(rows)


@pytest.fixture
def sendings(remember, guess, herself, ada, settings):
    """By route, what makes the form that is sent to it; each on memories of its own."""
    tea, jazz = (remember(f"Likes {what}.", subject=what) for what in ("tea", "jazz"))
    remember("Atlas uses PostgreSQL.", kind="fact", scope="atlas", subject="db")
    remember("Beacon uses MySQL.", kind="fact", scope="beacon", subject="engine")
    version = {"version": str(tea["version"])}
    words = {"text": "Likes black tea.", "kind": "preference", "subject": "tea", "scope": "personal"}

    def forgotten():
        forget(jazz["id"], relearn="allow", source="keep", actor=herself)
        return jazz["id"]

    def waiting(verb):
        memory = guess("Likes rum.", subject="spirit")
        once = f"{memory['id']}.{memory['version']}"
        return Sent({"memory_id": memory["id"]}, {"once": once, "text": "Likes gin."} if verb else {"once": once})

    def rejected():
        sent = waiting("undo")
        reject(sent.args["memory_id"], actor=herself, expected_version=None)
        return Sent(sent.args)

    def key():
        key, _ = personal_keys.create_personal_key("laptop", actor=herself)
        return key.pk

    def barred():
        return do_not_learn.bar_subject("personal", "health", actor=herself).id

    def done(verb):
        {"resume": pause, "unpin": pin, "undispute": dispute}[verb](tea["id"], actor=herself)
        return Sent({"memory_id": tea["id"]})

    def traced():
        return recall(ContextRequest(query="tea"), actor=ada)["trace_id"]

    def granted(*, waits=False):
        settings.MEMORY_SUPPORT_APPROVAL = waits
        return grant_on(traced(), hire("sol")).id

    def proposed():
        trace, sol = recall(ContextRequest(query="tea"), actor=ada), hire("sol")
        grant = grant_on(trace["trace_id"], sol)
        shown(trace, grant, sol, "memory")
        proposal_id = uuid4()
        change = Change(UUID(tea["id"]), tea["version"], "Likes black tea.")
        propose_change(proposal_id, grant.id, change, staff=sol)
        return Sent({"proposal_id": proposal_id})

    def told():
        store_turns(session="s", scope=None, turns=[Turn(1, "user", "I like plums.")], actor=ada)
        remember("Likes plums.", subject="plums", source="I like plums.", session="s", turn=1)
        with acting_for(ada.person_id):
            return Episode.objects.get().pk

    on_tea = {"memory_id": tea["id"]}
    atlas_now = {"name": "atlas"}
    return {
        "add": lambda: Sent({}, {**words, "subject": "plums", "text": "Likes plums.", "once": "a"}),
        "bulk": lambda: Sent({}, {"verb": "pause", "id": [tea["id"], jazz["id"]], "once": "b"}),
        "bulk_undo": lambda: None,
        "bulk_run": lambda: None,
        "bring": lambda: None,
        "bring_waiting": lambda: None,
        "bring_let_go": lambda: None,
        "merge": lambda: Sent({}, {"keep": tea["id"], "other": jazz["id"], "once": "c"}),
        "hide_bars": lambda: None,
        "memory_edit": lambda: Sent(on_tea, {**words, **version}),
        "memory_forget": lambda: Sent(on_tea, {"never_again": "1", "once": "j"}),
        "message_forget": lambda: Sent({"message_id": told()}, {"along": "1"}),
        "memory_pause": lambda: Sent(on_tea),
        "memory_resume": lambda: done("resume"),
        "memory_pin": lambda: Sent(on_tea),
        "memory_unpin": lambda: done("unpin"),
        "memory_confirm": lambda: Sent(on_tea, {"once": "d"}),
        "memory_dispute": lambda: Sent(on_tea, {"text": "Not any more."}),
        "memory_undispute": lambda: done("undispute"),
        "retain": lambda: Sent({"what": "fact"}, {"days": "365"}),
        "memory_restore": lambda: Sent({"memory_id": forgotten()}),
        "review_keep": lambda: waiting(""),
        "review_correct": lambda: waiting("correct"),
        "review_reject": lambda: waiting(""),
        "review_forget": lambda: waiting(""),
        "review_undo": rejected,
        "trash_restore": lambda: Sent({"memory_id": forgotten()}),
        "trash_erase": lambda: Sent({"memory_id": forgotten()}, {"once": "e"}),
        "erase": lambda: Sent({}, {"typed": "erase", "expected_count": "4"}),
        "switch": lambda: Sent({"what": "learning", "to": "off"}),
        "scope_switch": lambda: Sent({"scope": "atlas", "what": "use", "to": "off"}),
        "prefer": lambda: Sent({}, {"language": "de", "time_zone": "UTC", "theme": "dark"}),
        "bar": lambda: Sent({}, {"subject": "health", "scope": "personal"}),
        "lift": lambda: Sent({"entry_id": barred()}, {"once": "f"}),
        "keys": lambda: Sent({}, {"name": "laptop", "access": "write", "once": "g"}),
        "key_revoke": lambda: Sent({"key_id": key()}),
        "scope": lambda: Sent(atlas_now, {"name": "titan"}),
        "scope_merge": lambda: Sent(atlas_now, {"into": "beacon", "expected_count": "1", "once": "h"}),
        "scope_forget": lambda: Sent(atlas_now, {"expected_count": "1", "once": "i"}),
        "answer_report": lambda: Sent({"trace_id": traced()}, {"wrong": "untrue"}),
        "question": lambda: Sent({"entry_id": traced()}, {"what": "all"}),
        "proposal_accept": proposed,
        "proposal_decline": proposed,
        "access_end": lambda: Sent({"grant_id": granted()}),
        "access_allow": lambda: Sent({"grant_id": granted(waits=True)}),
        "access_refuse": lambda: Sent({"grant_id": granted(waits=True)}),
    }


ROUTES = [pattern.name for pattern in urls.urlpatterns]
CHANGES = [name for name in ROUTES if name not in READ_ONLY]
OF_THEIR_OWN = ("bulk_run", "bulk_undo", "hide_bars", "bring", "bring_waiting", "bring_let_go")
"""These begin with something that was done before, and have a test each; files in test_bring."""


def test_every_route_that_takes_a_form_is_tried(sendings, hers):
    assert set(sendings) == set(CHANGES)
    assert len(ROUTES) == len(set(ROUTES)) and set(ROUTES) > READ_ONLY
    for name in READ_ONLY:
        args = {kind: ID for route, kind in OF_ONE.items() if route == name}
        assert hers.post(reverse(f"dashboard:{name}", kwargs=args)).status_code == 405, name


@pytest.mark.parametrize("send", ["post", "press"], ids=["plain", "htmx"])
@pytest.mark.parametrize("route", [name for name in CHANGES if name not in OF_THEIR_OWN])
def test_it_makes_one_change(sendings, hers, herself, route, send):
    sent = sendings[route]()
    address = reverse(f"dashboard:{route}", kwargs=sent.args)
    before = everything(herself)
    first = getattr(hers, send)(address, sent.fields)
    once = everything(herself)
    second = getattr(hers, send)(address, sent.fields)
    assert first.status_code in (200, 303) and second.status_code in (200, 302, 303), (first, second)
    assert once != before
    assert everything(herself) == once


def test_a_long_run_does_each_piece_once(hers, remember, ada, herself, monkeypatch):
    monkeypatch.setattr("memoryapp.services.bulk.PIECE", 20)
    remember("Likes tea.")
    grow(ada, 44)
    sent = {"verb": "pause", "expected_count": "45", "once": "a"}
    for _ in range(2):
        assert hers.post("/memories/bulk/", sent).status_code == 303
    with acting_for(ada.person_id):
        (run,) = BulkRun.objects.all()
    assert run.done == 20
    for done in (40, 45, 45):
        hers.press(f"/memories/bulk/{run.pk}/")
        with acting_for(ada.person_id):
            run.refresh_from_db()
        assert (run.done, len(run.skipped_ids)) == (done, 0)
    paused = everything(herself)
    for _ in range(2):
        assert hers.post(f"/memories/bulk/{run.pk}/undo/").status_code == 303
        with acting_for(ada.person_id):
            assert BulkRun.objects.count() == 2
    assert everything(herself) != paused


def test_bars_stay_away(hers, sendings):
    hers.post(reverse("dashboard:memory_forget", kwargs=sendings["memory_pin"]().args))
    assert 'id="bar-' in hers.get("/memories/").text
    for _ in range(2):
        assert hers.post("/memories/hide-bars/").status_code == 303
        assert 'id="bar-' not in hers.get("/memories/").text
