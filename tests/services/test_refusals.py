"""What a refusal leaves behind: its rule, and nothing that was not to be kept."""

from dataclasses import replace

import pytest

from accounts.models import Scope, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import Decision
from memoryapp.services.errors import NotFound
from memoryapp.services.recall import ContextRequest, recall

pytestmark = pytest.mark.django_db

SECRET = "my password is hunter2!x"


@pytest.mark.parametrize(
    ("rule", "fields"),
    [
        pytest.param("not_durable", {"kind": "mood"}, id="not_durable"),
        pytest.param("no_scope", {"kind": "fact"}, id="no_scope"),
        pytest.param("wrong_scope", {"kind": "fact", "scope": "atlas", "subject": "personal.x"}, id="wrong_scope"),
        pytest.param("secret", {}, id="secret"),
    ],
)
def test_no_secret_is_kept_whichever_rule_comes_first(rule, fields, propose_one, ada):
    given = {"subject": "login", **fields}
    given["subject"] += f" where {SECRET}"
    outcome = propose_one(f"Signs in: {SECRET}", source=f"so {SECRET}", reason=SECRET, **given)
    assert (outcome.action, outcome.rule) == ("rejected", rule)
    with acting_for(ada.person_id):
        kept = Decision.objects.values().get()
    assert "hunter2" not in str(kept)
    assert (kept["text"] or "").startswith("Signs in") is (rule != "secret")


@pytest.mark.parametrize("rule", ["paused", "secret"])
def test_a_refusal_without_text_keeps_no_place_in_a_conversation_either(rule, propose_one, ada):
    if rule == "paused":
        User.objects.filter(pk=ada.person_id).update(learning=False)
    outcome = propose_one(f"Signs in: {SECRET}", session="tax advice", turn=4)
    assert outcome.rule == rule
    with acting_for(ada.person_id):
        kept = Decision.objects.values().get()
    assert (kept["session"], kept["turn"], kept["subject"], kept["source"]) == (None,) * 4
    assert (kept["kind"], kept["scope_name"], kept["agent_key_id"]) == ("preference", "personal", ada.key_id)


def test_a_key_that_may_not_write_writes_nothing(propose_one, ada):
    with pytest.raises(NotFound):
        propose_one("Likes tea.", actor=replace(ada, can_write=False))
    with acting_for(ada.person_id):
        assert Decision.objects.count() == 0
    assert propose_one("Likes tea.").action == "new"


def test_use_off_says_so_where_all_that_a_key_may_use_is_off(remember, ada):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    limited = replace(ada, scopes=frozenset({"atlas"}))
    ask = ContextRequest(query="PostgreSQL", scopes=("atlas",), floor=0.0)
    assert recall(ask, actor=limited)["notice"] != "use_off"
    with acting_for(ada.person_id):
        Scope.objects.filter(name="atlas").update(use=False)
    off = recall(ask, actor=limited)
    assert (off["notice"], off["context"]) == ("use_off", "")
    unknown = replace(ask, scopes=("beacon",))
    assert recall(unknown, actor=replace(ada, scopes=frozenset({"beacon"})))["notice"] != "use_off"
