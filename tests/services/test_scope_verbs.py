"""What can be done with a whole scope."""

from dataclasses import replace

import pytest

from accounts.models import AgentKey, Scope
from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory
from memoryapp.services.bulk import apply_bulk, skipped
from memoryapp.services.do_not_learn import bar_subject
from memoryapp.services.errors import Conflict, Invalid, NotFound
from memoryapp.services.finding import find
from memoryapp.services.matching import PageFilters
from memoryapp.services.personal_keys import create_personal_key
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.scope_verbs import clashes, preview_scope_forget, preview_scope_merge, rename_scope

pytestmark = pytest.mark.django_db


@pytest.fixture
def stranger(ben):
    return replace(ben, kind="person", key_id=None)


@pytest.fixture
def scopes(remember):
    remember("Atlas uses PostgreSQL.", kind="fact", subject="atlas.db")
    remember("Atlas ships on Fridays.", kind="fact", subject="atlas.release")
    remember("Beacon uses SQLite.", kind="fact", subject="beacon.db")


def texts(actor, scope):
    return sorted(row.text for row in find(PageFilters(scope=scope), actor=actor).rows)


def test_a_renamed_scope_serves_under_its_new_name(scopes, propose_one, ada, herself):
    bar_subject("atlas", "salary", actor=herself)
    key, _ = create_personal_key("mine", scopes=["atlas", "beacon"], actor=herself)
    assert rename_scope("atlas", "Titan", actor=herself) == "titan"
    assert texts(herself, "titan") == ["Atlas ships on Fridays.", "Atlas uses PostgreSQL."]
    assert "PostgreSQL" in recall(ContextRequest(scopes=("titan",), query="PostgreSQL"), actor=ada)["context"]
    assert recall(ContextRequest(scopes=("atlas",), query="PostgreSQL"), actor=ada)["context"] == ""
    assert propose_one("Is high.", kind="fact", scope="titan", subject="salary").rule == "forgotten"
    assert propose_one("Atlas uses SQLite.", kind="fact", scope="titan", subject="db").action == "superseded"
    assert AgentKey.objects.get(pk=key.pk).scopes == ["titan", "beacon"]


@pytest.mark.parametrize(
    ("scope", "name", "error"),
    [
        pytest.param("atlas", "no scope!", Invalid, id="no name"),
        pytest.param("atlas", "beacon", Conflict, id="taken"),
        pytest.param("personal", "mine", Conflict, id="personal"),
        pytest.param("nowhere", "mine", NotFound, id="unknown"),
    ],
)
def test_what_cannot_be_renamed_is_said(scope, name, error, scopes, herself):
    with pytest.raises(error):
        rename_scope(scope, name, actor=herself)
    with acting_for(herself.opened):
        assert set(Scope.objects.values_list("name", flat=True)) == {"personal", "atlas", "beacon"}


def test_merging_moves_all_but_what_clashes_and_lists_that(scopes, herself):
    merge = preview_scope_merge("atlas", "beacon", actor=herself)
    assert [(one.memory.text, one.other.text) for one in merge.clashes] == [
        ("Atlas uses PostgreSQL.", "Beacon uses SQLite."),
    ]  # fmt: skip
    assert merge.preview.count == 2
    progress = apply_bulk(merge.preview.run_id, expected_count=2, actor=herself)
    assert (progress.changed, progress.skipped) == (1, 1)
    assert texts(herself, "beacon") == ["Atlas ships on Fridays.", "Beacon uses SQLite."]
    assert [row.text for row in skipped(progress.run_id, actor=herself)] == texts(herself, "atlas")
    assert len(clashes("atlas", "beacon", actor=herself)) == 1


def test_everything_in_a_scope_is_forgotten_with_its_count(scopes, propose_one, herself):
    propose_one("Perhaps Mondays.", kind="fact", subject="atlas.release", source=None)
    preview = preview_scope_forget("atlas", actor=herself)
    assert preview.count == 3
    with pytest.raises(Conflict):
        apply_bulk(preview.run_id, expected_count=2, actor=herself)
    apply_bulk(preview.run_id, expected_count=3, actor=herself)
    assert (texts(herself, "atlas"), texts(herself, "beacon")) == ([], ["Beacon uses SQLite."])


def test_it_is_for_the_person_alone(scopes, ada, herself, stranger):
    for actor, error in ((ada, Conflict), (stranger, NotFound)):
        for verb in (
            lambda actor: rename_scope("atlas", "titan", actor=actor),
            lambda actor: preview_scope_merge("atlas", "beacon", actor=actor),
            lambda actor: preview_scope_forget("atlas", actor=actor),
        ):
            with pytest.raises(error):
                verb(actor)
    with pytest.raises(NotFound):
        clashes("atlas", "beacon", actor=stranger)
    with pytest.raises(Invalid):
        preview_scope_merge("atlas", "atlas", actor=herself)
    with acting_for(ada.person_id):
        assert Memory.objects.filter(scope__name="atlas").count() == 2
