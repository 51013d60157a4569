"""The person's settings: switches, do-not-learn list, preferences, visits and keys, read back as they are stored."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from accounts.models import AgentKey, User
from memoryapp.database.isolation import acting_for
from memoryapp.models import AuditEvent, Tombstone
from memoryapp.services.agents import authenticate
from memoryapp.services.do_not_learn import bar_subject, barred, is_barred, lift
from memoryapp.services.errors import Conflict, Invalid, NotFound
from memoryapp.services.forget import forget
from memoryapp.services.personal_keys import create_personal_key, personal_keys, revoke_personal_key
from memoryapp.services.preferences import note_visit, set_preferences
from memoryapp.services.recall import ContextRequest, recall
from memoryapp.services.switches import read_switches, set_learning, set_use

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


@pytest.fixture
def stranger(ben):
    return replace(ben, kind="person", key_id=None)


def verbs(actor):
    with acting_for(actor.opened):
        return list(AuditEvent.objects.order_by("seq").values_list("verb", flat=True))


def test_learning_off_refuses_and_touches_nothing(remember, propose_one, herself):
    remember("Likes tea.")
    remember("Uses PostgreSQL.", kind="fact", subject="atlas.db")
    assert set_learning(False, actor=herself).learning is False
    assert propose_one("Likes rum.").rule == "paused"
    assert read_switches(actor=herself).scopes[0].memories == 1
    set_learning(True, actor=herself)
    set_learning(False, scope="atlas", actor=herself)
    assert propose_one("Likes rum.").action == "superseded"
    assert propose_one("Uses SQLite.", kind="fact", subject="atlas.db").rule == "paused"
    assert [(one.name, one.learning, one.use, one.is_personal) for one in read_switches(actor=herself).scopes] == [
        ("personal", True, True, True), ("atlas", False, True, False),
    ]  # fmt: skip


def test_use_off_sends_nothing(remember, ada, herself):
    remember("Likes tea.")
    assert "tea" in recall(ContextRequest(), actor=ada)["context"]
    set_use(False, actor=herself)
    assert recall(ContextRequest(), actor=ada)["notice"] == "use_off"
    set_use(True, actor=herself)
    set_use(False, scope="personal", actor=herself)
    assert recall(ContextRequest(), actor=ada)["context"] == ""


def test_a_switch_is_logged_once_and_only_the_persons_own(ada, herself, stranger):
    before = len(verbs(herself))
    for _ in range(2):
        set_use(False, actor=herself)
        set_learning(False, scope="personal", actor=herself)
    assert verbs(herself)[before:] == ["use_off", "learning_off"]
    with pytest.raises(Conflict):
        set_use(True, actor=ada)
    with pytest.raises(NotFound):
        set_use(True, scope="nowhere", actor=herself)
    assert read_switches(actor=stranger).use is True
    set_use(True, actor=stranger)
    assert read_switches(actor=herself).use is False


def test_a_barred_subject_is_not_learned_until_it_is_lifted(remember, propose_one, herself):
    entry = bar_subject("personal", "Salary", actor=herself)
    assert (entry.scope, entry.subject, entry.is_whole_subject, entry.values) == ("personal", "salary", True, 0)
    assert bar_subject("personal", "salary.", actor=herself).id == entry.id
    for kind in ("fact", "preference"):
        assert propose_one("Is high.", kind=kind, scope="personal", subject="salary").rule == "forgotten"
    assert propose_one("Likes tea.").action == "new"
    assert remember("Is high.", kind="fact", scope="personal", subject="salary", actor=herself)["status"] == "current"
    lift(entry.id, actor=herself)
    assert barred(actor=herself) == ()
    assert propose_one("Is higher.", kind="fact", scope="personal", subject="salary").action == "superseded"
    assert verbs(herself).count("bar") == verbs(herself).count("lift") == 1


def test_a_forgotten_memory_is_one_entry_with_all_its_values(remember, propose_one, ada, herself):
    remember("Likes tea.")
    memory = remember("Likes rum.")
    forget(memory["id"], relearn="block", source="keep", actor=herself)
    (entry,) = barred(actor=herself)
    assert (entry.kind, entry.scope, entry.subject, entry.values) == ("preference", "personal", "drink", 2)
    assert is_barred(" likes TEA!", actor=herself) and not is_barred("Likes gin.", actor=herself)
    assert propose_one("Likes tea.").rule == "forgotten"
    lift(entry.id, actor=herself)
    assert propose_one("Likes tea.").action == "new"
    with acting_for(ada.person_id):
        assert Tombstone.objects.count() == 0


def test_the_list_is_the_persons_own(ada, herself, stranger):
    entry = bar_subject("personal", "salary", actor=herself)
    assert barred(actor=stranger) == ()
    with pytest.raises(NotFound):
        lift(entry.id, actor=stranger)
    for call in (lambda: lift(entry.id, actor=ada), lambda: bar_subject("personal", "x", actor=ada)):
        with pytest.raises(Conflict):
            call()
    for scope, subject in (("no scope!", "x"), ("personal", "\u200b")):
        with pytest.raises(Invalid):
            bar_subject(scope, subject, actor=herself)
    assert len(barred(actor=herself)) == 1


def test_preferences_are_kept_and_what_there_is_not_is_refused(herself, ben, settings):
    settings.LANGUAGES = [("en", "English"), ("de", "Deutsch")]
    set_preferences(actor=herself, language="de", time_zone="Pacific/Auckland", theme="dark")
    set_preferences(actor=herself, time_zone="")
    person = User.objects.get(pk=herself.person_id)
    assert (person.language, person.time_zone, person.theme) == ("de", "", "dark")
    other = User.objects.get(pk=ben.person_id)
    assert (other.language, other.time_zone, other.theme) == ("", "", "system")
    for wrong in ({"language": "xx"}, {"time_zone": "Mars/Base"}, {"theme": "pink"}):
        with pytest.raises(Invalid):
            set_preferences(actor=herself, **wrong)


def test_the_last_visit_moves_once_a_visit(herself, django_assert_num_queries):
    person = User.objects.get(pk=herself.person_id)
    note_visit(person, NOW)
    assert (person.last_visit_at, person.seen_at) == (None, NOW)
    for minutes in (20, 40, 60):
        note_visit(person, NOW + timedelta(minutes=minutes))
        assert person.last_visit_at is None
    ended = NOW + timedelta(minutes=60)
    for minutes in (0, 10, 30, 59):
        note_visit(person, NOW + timedelta(hours=8, minutes=minutes))
        assert person.last_visit_at == ended
    with django_assert_num_queries(0):
        note_visit(person, NOW + timedelta(hours=8, minutes=59, seconds=30))


def test_of_two_pages_that_open_at_once_one_begins_the_visit(herself):
    note_visit(User.objects.get(pk=herself.person_id), NOW)
    one, two = (User.objects.get(pk=herself.person_id) for _ in range(2))
    note_visit(one, NOW + timedelta(hours=8))
    note_visit(two, NOW + timedelta(hours=8, seconds=1))
    assert one.last_visit_at == two.last_visit_at == NOW


def test_a_personal_key_acts_for_its_person_until_it_is_revoked(remember, herself, stranger, ada):
    remember("Uses PostgreSQL.", kind="fact", subject="atlas.db")
    key, secret = create_personal_key(" laptop ", scopes=["atlas"], can_write=False, actor=herself)
    assert (key.name, key.person_id, key.scopes, key.can_write) == ("laptop", herself.person_id, ["atlas"], False)
    assert authenticate(secret).pk == key.pk
    assert [one.pk for one in personal_keys(actor=herself)] == [key.pk]
    assert personal_keys(actor=stranger) == ()
    with pytest.raises(NotFound):
        revoke_personal_key(key.pk, actor=stranger)
    with pytest.raises(NotFound):
        revoke_personal_key(ada.key_id, actor=herself)
    revoked = revoke_personal_key(key.pk, actor=herself)
    assert revoke_personal_key(key.pk, actor=herself).revoked_at == revoked.revoked_at
    assert authenticate(secret) is None
    assert verbs(herself).count("revoke_key") == 1


@pytest.mark.parametrize(
    ("given", "field"),
    [
        pytest.param({"name": "  "}, "name", id="no name"),
        pytest.param({"name": "x", "scopes": []}, "scopes", id="no scope"),
        pytest.param({"name": "x", "scopes": ["nowhere"]}, "scopes", id="unknown scope"),
        pytest.param({"name": "x", "expires_at": NOW - timedelta(days=9999)}, "expires_at", id="past"),
    ],
)
def test_a_key_that_cannot_be_is_not_made(given, field, herself, ada):
    with pytest.raises(Invalid) as caught:
        create_personal_key(**given, actor=herself)
    assert caught.value.field == field
    with pytest.raises(Conflict):
        create_personal_key("x", actor=ada)
    assert AgentKey.objects.filter(person_id=herself.person_id).count() == 0
    assert isinstance(herself.person_id, UUID)
