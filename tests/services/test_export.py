"""The export: everything that is held, of this person only, and no credential."""

import json
from dataclasses import replace
from functools import partial
from io import BytesIO
from pathlib import Path
from unittest.mock import ANY
from uuid import UUID, uuid4

import jsonschema
import pytest
from django.apps import apps

from accounts.actors import Actor
from accounts.models import AgentKey, RateWindow, Scope, SignInLink, User
from memoryapp.models import (
    Answer,
    AuditCheckpoint,
    AuditEvent,
    AuditHead,
    BulkRun,
    Confirmation,
    Decision,
    Dispute,
    Episode,
    Grant,
    IdempotencyRecord,
    LedgerLine,
    Memory,
    MemoryVersion,
    Receipt,
    Report,
    Retention,
    RetrievalTrace,
    Reveal,
    ScopeWord,
    SearchEntry,
    StaffProposal,
    TextVector,
    Tombstone,
    Upload,
)
from memoryapp.services.disputes import dispute
from memoryapp.services.do_not_learn import bar_subject
from memoryapp.services.episodes import Turn, store_turns
from memoryapp.services.errors import Conflict
from memoryapp.services.export import export_person, held
from memoryapp.services.export_parts import NOT_EXPORTED, PARTS
from memoryapp.services.export_signature import check, key_id
from memoryapp.services.forget import forget
from memoryapp.services.personal_keys import create_personal_key
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.reports import report_answer
from memoryapp.services.retention import choose
from memoryapp.services.staff_proposals import Change, propose_change
from memoryapp.services.switches import set_learning
from memoryapp.services.traces import join_answer
from tests.rich import enrich, file_of
from tests.staffing import grant_on, hire, shown

pytestmark = pytest.mark.django_db

ROOT = Path(__file__).resolve().parents[2]

COVERED = {
    User: "person", Scope: "scopes", Memory: "memories", MemoryVersion: "versions", Confirmation: "said",
    Decision: "decisions", Episode: "messages", RetrievalTrace: "retrievals", Answer: "answers",
    Dispute: "disputes", Report: "reports", Retention: "retention_choices", Tombstone: "do_not_learn",
    AgentKey: "agent_keys", AuditEvent: "activity",
    Grant: "support_grants", Reveal: "support_views", StaffProposal: "support_proposals",
}  # fmt: skip
NOTHING_OF_ITS_OWN = {
    LedgerLine: "random ids on their way to the ledger's file",
    AuditHead: "the length of the chain",
    AuditCheckpoint: "where the chain goes on",
    BulkRun: "ids of memories, while one is under way",
    IdempotencyRecord: "copies of answers, for 24 hours",
    RateWindow: "a count by key",
    ScopeWord: "made from the memories",
    SearchEntry: "made from the memories",
    Receipt: "there is none before the person is erased",
    TextVector: "made from the memories",
    SignInLink: "a credential",
    Upload: "a file that the person brought and has, while it waits for their word",
}


@pytest.fixture
def stranger(ben):
    return replace(ben, kind="person", key_id=None)


@pytest.fixture
def life(remember, propose_one, ada, herself):
    store_turns(session="s", scope=None, turns=[Turn(1, "user", "I like tea")], actor=ada)
    remember("Likes tea.", source="I like tea", session="s", turn=1)
    remember("Likes coffee.")
    guess = propose_one("Likes jazz.", subject="music", source=None).memory
    dispute(guess["id"], text="I like silence.", actor=herself)
    propose_one("Is tired.", kind="mood")
    trace_id = UUID(recall(ContextRequest(query="coffee"), actor=ada)["trace_id"])
    join_answer(trace_id, answer_id="a", model="m", text="Coffee, please.", actor=ada)
    report_answer(trace_id, wrong="other", actor=herself)
    choose("decision", 1_825, expected_count=0, actor=herself)
    forget(remember("Likes rum.", subject="spirit")["id"], relearn="block", source="keep", actor=herself)


@pytest.fixture
def looked_at(life, ada):
    """A staff member has looked at what was sent, and proposed to correct it."""
    sol = hire("sol")
    trace = recall(ContextRequest(query="coffee"), actor=ada)
    grant = grant_on(trace["trace_id"], sol)
    (item,) = shown(trace, grant, sol, "memory")
    propose_change(uuid4(), grant.id, Change(item.id, item.number, "Likes mate."), staff=sol)
    return sol


def test_everything_is_in_it(life, herself):
    exported = json.loads(json.dumps(export_person(actor=herself)))
    assert [(one["text"], one["status"]) for one in exported["memories"]] == [
        ("Likes coffee.", "current"), ("Likes jazz.", "pending"),
    ]  # fmt: skip
    assert [version["text"] for version in exported["memories"][0]["versions"]] == ["Likes tea.", "Likes coffee."]
    assert exported["memories"][0]["versions"][0]["said"][0]["turn"] == 1
    assert [one["text"] for one in exported["trash"]] == ["Likes rum."]
    assert [one["content"] for one in exported["messages"]] == ["I like tea"]
    assert "Is tired." in [one["text"] for one in exported["decisions"]]
    assert exported["retrievals"][0]["items"] == [
        {"memory": exported["memories"][0]["id"], "version": 2, "why": "always_on"}
    ]
    assert (len(exported["do_not_learn"]), exported["person"]["external_id"]) == (1, "ada")
    assert exported["activity"][-1]["verb"] == "export"


def test_what_was_said_is_all_there_however_few_ids_a_statement_takes(life, remember, herself, monkeypatch):
    remember("Likes mate.", source="mate")
    remember("Likes mate.", source="mate again")
    whole = export_person(actor=herself)["memories"]
    monkeypatch.setattr("memoryapp.services.export_parts.MOST_IDS", 1)
    assert export_person(actor=herself)["memories"] == whole
    assert sorted(len(version["said"]) for row in whole for version in row["versions"])[-1] == 2


def test_it_is_of_this_person_only(life, remember, ben, herself, ada, stranger):
    remember("Ben likes absinthe.", actor=ben)
    assert "absinthe" not in json.dumps(export_person(actor=herself))
    theirs = export_person(actor=stranger)
    assert [one["text"] for one in theirs["memories"]] == ["Ben likes absinthe."]
    assert theirs["messages"] == theirs["trash"] == []
    for somebody in (replace(ada, scopes=frozenset({"personal"})), Actor("staff", ada.person_id), Actor("system")):
        with pytest.raises(Conflict):
            export_person(actor=somebody)


def test_for_a_program_what_is_forgotten_is_gone(life, looked_at, ada, herself):
    theirs, hers = (export_person(actor=actor) for actor in (ada, herself))
    assert [one["text"] for one in hers["trash"]] == ["Likes rum."] and len(hers["do_not_learn"]) == 1
    assert theirs["trash"] == [{"id": hers["trash"][0]["id"], "status": "forgotten", "text": None, "forgotten": True}]
    shown = json.dumps(theirs)
    assert "rum" not in shown and "spirit" not in shown and "Likes mate." not in shown
    assert [one["text"] for one in theirs["memories"]] == [one["text"] for one in hers["memories"]]
    assert "Is tired." in shown and theirs["do_not_learn"] == []


def test_it_ends_with_a_signature_over_all_before_it(life, herself):
    content = file_of(herself)
    written = json.loads(content)
    assert written.pop("signature") == {"algorithm": "HMAC-SHA256", "key": key_id(), "value": ANY}
    assert list(written) == list(export_person(actor=herself))
    assert check(BytesIO(content)).verdict == "ours"
    for at in (0, len(content) // 2, content.rindex(b',\n"signature"') - 1):
        changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        assert check(BytesIO(changed)).verdict == "changed"


def test_it_keeps_to_its_schema(propose_one, remember, ada, herself, ben, stranger, looked_at):
    """The schema names every column: one that is added to the export has to be added there."""
    schema = json.loads((ROOT / "docs" / "export.schema.json").read_text())
    enrich(partial(propose_one, actor=ben), partial(remember, actor=ben), ben, stranger)
    bar_subject("personal", "health", actor=herself)
    create_personal_key("laptop", actor=herself)
    validator = jsonschema.Draft202012Validator(schema)
    for actor in (herself, ada, stranger, None):
        whole = json.loads(file_of(actor))
        assert [error.message for error in validator.iter_errors(whole)] == []
        assert not validator.is_valid(whole | {"version": 2}) and not validator.is_valid(whole | {"memories": [{}]})
        assert not validator.is_valid(whole | {"of_later": []})
    assert [name for name in PARTS if not json.loads(file_of(herself))[name]] == []


def test_no_credential_is_in_it(life, herself):
    _, secret = create_personal_key("laptop", actor=herself)
    set_learning(False, actor=herself)
    exported = export_person(actor=herself)
    assert [key["name"] for key in exported["agent_keys"]] == ["laptop"]
    shown = json.dumps(exported)
    assert secret not in shown and secret.split("_", 2)[-1] not in shown
    assert (
        not {"password", "digest", "digest_key"} & set(exported["person"]) and "digest" not in exported["agent_keys"][0]
    )


def test_every_table_of_a_person_is_covered_or_has_a_reason():
    personal = {model for app in ("accounts", "memoryapp") for model in apps.get_app_config(app).get_models()}
    assert personal == COVERED.keys() | NOTHING_OF_ITS_OWN.keys()


def test_what_staff_saw_and_proposed_is_in_it_and_not_who(life, looked_at, herself):
    exported = export_person(actor=herself)
    assert [(one["reason"], one["ticket"]) for one in exported["support_grants"]] == [("wrong_answer", "T-17")]
    assert [one["what"] for one in exported["support_views"]] == ["memory"]
    assert [one["text"] for one in exported["support_proposals"]] == ["Likes mate."]
    assert str(looked_at.id) not in json.dumps(exported) and "sol" not in json.dumps(exported)


def test_every_column_is_covered_or_has_a_reason(life, looked_at, herself):
    create_personal_key("laptop", actor=herself)
    exported = export_person(actor=herself)
    version = exported["memories"][0]["versions"][0]
    rows = {
        "person": exported["person"], "versions": version, "said": version["said"][0],
        "disputes": exported["memories"][1]["disputes"][0],
        **{name: rows[0] for name, rows in exported.items() if isinstance(rows, list) and rows},
    }  # fmt: skip
    for model, section in COVERED.items():
        names = {field.name for field in model._meta.concrete_fields} - {"person", "pk"}
        assert names - set(rows[section]) == set(NOT_EXPORTED.get(model, {})) - {"person"}, model


def test_it_says_how_much_is_held(life, herself, stranger):
    counts = held(actor=herself)
    assert (counts.memories, counts.trash, counts.versions, counts.refused) == (2, 1, 5, 1)
    assert (counts.messages, counts.retrievals, counts.do_not_learn) == (1, 1, 1)
    assert (held(actor=stranger).memories, held(actor=stranger).events) == (0, 0)
