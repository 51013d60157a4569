"""Isolation that the database enforces: with the Python filter gone, nothing foreign is seen."""

import re
import uuid
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import psycopg
import pytest
from django.apps import apps
from django.db import (
    DatabaseError,
    IntegrityError,
    InternalError,
    OperationalError,
    ProgrammingError,
    connection,
    transaction,
)

from accounts.models import AgentKey, RateWindow, Scope, User
from memoryapp.database.isolation import acting_alone_for, acting_for, erasing, wide_access
from memoryapp.models import (
    AuditEvent,
    AuditHead,
    Decision,
    IdempotencyRecord,
    LedgerLine,
    Memory,
    MemoryVersion,
    Receipt,
)

ROOT = Path(__file__).resolve().parents[2]

PERSONAL = [
    model
    for app in ("accounts", "memoryapp")
    for model in apps.get_app_config(app).get_models()
    if any(field.name in ("person", "person_id") for field in model._meta.get_fields())
]
OUTSIDE = {
    User: "who a person is has to be found before anybody is open",
    Receipt: "outlives the person, and holds counts only",
    AgentKey: "a credential has to be checked before anybody is open",
}


@pytest.fixture
def both(remember, ada, ben):
    """Ada and Ben with one memory each."""
    remember("Ada likes tea.", subject="drink")
    remember("Ben likes rum.", subject="drink", actor=ben)
    return ada, ben


def texts():
    with connection.cursor() as cursor:
        cursor.execute("select text from memoryapp_memory order by text")
        raw = [text for (text,) in cursor.fetchall()]
    assert raw == sorted(Memory.objects.all().values_list("text", flat=True))
    return raw


@pytest.mark.django_db(transaction=True)
def test_without_a_context_nothing_is_visible(both):
    ada, _ = both
    assert texts() == []
    with acting_for(ada.person_id):
        assert texts() == ["Ada likes tea."]
    assert texts() == []


@pytest.mark.django_db(transaction=True)
def test_no_table_shows_anything_without_a_context(both):
    inside = [model for model in PERSONAL if model not in OUTSIDE]
    assert {Memory, MemoryVersion, Decision, AuditEvent, Scope} < set(inside)
    assert [model.__name__ for model in inside if model._default_manager.exists()] == []


@pytest.mark.django_db(transaction=True)
def test_only_the_open_person_is_visible_without_any_filter(both):
    ada, ben = both
    with acting_for(ada.person_id):
        assert texts() == ["Ada likes tea."]
        assert {row.person_id for row in MemoryVersion.objects.all()} == {ada.person_id}
        assert {row.person_id for row in Decision.objects.all()} == {ada.person_id}
        assert {row.person_id for row in AuditEvent.objects.all()} == {ada.person_id}
        assert {row.person_id for row in Scope.objects.all()} == {ada.person_id}
    with acting_for(ben.person_id):
        assert texts() == ["Ben likes rum."]


@pytest.mark.django_db(transaction=True)
def test_what_fails_on_the_way_in_is_an_error_of_djangos_and_the_connection_serves_on(both):
    """Another writer holds the lock."""
    ada, _ = both
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("select pg_advisory_xact_lock(hashtextextended(%s, 0))", [f"person {ada.person_id}"])
        with connection.cursor() as cursor:
            cursor.execute("set lock_timeout = '50ms'")
        with pytest.raises(OperationalError), acting_alone_for(ada.person_id):
            pytest.fail("nobody waits for ever")
    with connection.cursor() as cursor:
        cursor.execute("reset lock_timeout")
    with acting_alone_for(ada.person_id):
        assert texts() == ["Ada likes tea."]
    assert texts() == []


@pytest.mark.django_db(transaction=True)
def test_a_server_that_went_away_is_an_error_of_djangos_and_the_next_call_gets_another_connection(both):
    """The begin and the setting are one message, which no cursor sends."""
    ada, _ = both
    with psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("select pg_terminate_backend(%s, 5000)", [connection.connection.info.backend_pid])
    with pytest.raises(OperationalError), acting_for(ada.person_id):
        pytest.fail("nobody answers")
    connection.close()
    with acting_for(ada.person_id):
        assert texts() == ["Ada likes tea."]
    assert texts() == []


@pytest.mark.django_db
def test_one_prepared_statement_shows_whoever_is_open(both):
    """The policies read their settings once a statement: each time anew, in one transaction and for one plan too."""
    tables = ("accounts_scope", "memoryapp_memoryversion", "memoryapp_searchentry", "memoryapp_scopeword")
    seen = " union all ".join(f"select person_id from {table}" for table in tables)

    def everybody():
        with connection.cursor() as cursor:
            cursor.execute(f"select array_agg(distinct person_id) from ({seen}) row")
            return set(cursor.fetchone()[0] or [])

    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("set local plan_cache_mode = force_generic_plan")
        for _ in range(8):
            assert everybody() == set()
            for one in both:
                with acting_for(one.person_id):
                    assert everybody() == {one.person_id}
            with wide_access("verify_audit"):
                assert everybody() == {one.person_id for one in both}


@pytest.mark.django_db
def test_it_nests_and_restores(both):
    ada, ben = both
    with acting_for(ada.person_id):
        with acting_for(ben.person_id):
            assert texts() == ["Ben likes rum."]
        assert texts() == ["Ada likes tea."]
        with pytest.raises(RuntimeError), acting_for(ben.person_id):
            raise RuntimeError
        assert texts() == ["Ada likes tea."]
        with wide_access("verify_audit"):
            assert texts() == ["Ada likes tea.", "Ben likes rum."]
            with pytest.raises(ProgrammingError), transaction.atomic():
                Memory.objects.filter(person_id=ben.person_id).update(text="changed")
        assert texts() == ["Ada likes tea."]
    assert texts() == []


class Unwanted(Exception):
    """What a caller catches."""


def _raises():
    raise Unwanted


def _fails(around):
    """As `around` has it, Django knows of it or not."""

    def act():
        with pytest.raises(DatabaseError), around(), connection.cursor() as cursor:
            cursor.execute("select 1 / 0")

    return act


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("act", "raised", "stays"),
    [
        (lambda: None, None, True),
        (_raises, Unwanted, False),
        (_fails(transaction.atomic), None, True),
        # As with `transaction.atomic`: who swallows an error of the database in it has no transaction to go on in.
        (_fails(nullcontext), InternalError, False),
        (_fails(partial(transaction.atomic, savepoint=False)), None, False),
    ],
    ids=["nothing", "raises", "an inner one fails", "fails within", "fails, to be rolled back"],
)
def test_what_is_nested_is_kept_or_undone_as_a_whole(both, act, raised, stays):
    """Its writes, what it wanted done on commit, and the person: after it the outer one goes on."""
    ada, ben = both
    done = []
    with acting_for(ada.person_id):
        Memory.objects.update(subject="before")
        transaction.on_commit(lambda: done.append("before"))
        with pytest.raises(raised) if raised else nullcontext(), acting_for(ben.person_id):
            Memory.objects.update(subject="within")
            transaction.on_commit(lambda: done.append("within"))
            act()
        assert texts() == ["Ada likes tea."]
        Memory.objects.update(text="Ada likes cake.")
        transaction.on_commit(lambda: done.append("after"))
    assert texts() == []
    assert done == (["before", "within", "after"] if stays else ["before", "after"])
    with wide_access("verify_audit"):
        subjects = dict(Memory.objects.values_list("text", "subject"))
    assert subjects == {"Ada likes cake.": "before", "Ben likes rum.": "within" if stays else "drink"}


@pytest.mark.django_db(transaction=True)
def test_the_outer_one_undoes_what_was_nested(both):
    ada, ben = both
    done = []
    with pytest.raises(Unwanted), acting_for(ada.person_id):
        with acting_for(ben.person_id), acting_for(ben.person_id):
            Memory.objects.update(subject="within")
            transaction.on_commit(lambda: done.append("within"))
        raise Unwanted
    with acting_for(ben.person_id):
        assert (Memory.objects.get().subject, done) == ("drink", [])


@pytest.mark.django_db(transaction=True)
def test_the_inner_one_undoes_nothing_of_what_it_is_nested_in(both):
    ada, ben = both
    done = []
    with acting_for(ada.person_id), acting_for(ben.person_id):
        Memory.objects.update(subject="around")
        transaction.on_commit(lambda: done.append("around"))
        with pytest.raises(Unwanted), acting_for(ben.person_id):
            Memory.objects.update(subject="within")
            raise Unwanted
    with acting_for(ben.person_id):
        assert (Memory.objects.get().subject, done) == ("around", ["around"])


@pytest.mark.django_db(transaction=True)
def test_nobody_is_opened_in_a_transaction_that_is_to_be_rolled_back(both):
    ada, ben = both
    with acting_for(ada.person_id):
        _fails(partial(transaction.atomic, savepoint=False))()
        with pytest.raises(transaction.TransactionManagementError), acting_for(ben.person_id):
            pytest.fail("nothing would come of it")
        with pytest.raises(RuntimeError), transaction.atomic(durable=True):
            pytest.fail("it lasts only as long as the transaction around it")
    with acting_for(ben.person_id):
        assert texts() == ["Ben likes rum."]


@pytest.mark.django_db
def test_a_row_cannot_be_written_for_another_person(both):
    ada, ben = both
    with pytest.raises(ProgrammingError), acting_for(ada.person_id):
        Scope.objects.create(person_id=ben.person_id, name="stolen")
    with acting_for(ada.person_id):
        assert Memory.objects.filter(person_id=ben.person_id).update(text="changed") == 0
        Scope.objects.create(person_id=ada.person_id, name="own")


@pytest.mark.django_db
def test_keys_cannot_cross_persons(both):
    ada, ben = both
    with acting_for(ben.person_id):
        foreign = Scope.objects.get(name="personal")
    with acting_for(ada.person_id):
        own = Scope.objects.get(name="personal")
    for scope, fails in ((foreign, True), (own, False)):
        with transaction.atomic():
            try:
                with acting_for(ada.person_id):
                    Memory.objects.update(scope=scope)
                    with connection.cursor() as cursor:
                        cursor.execute("set constraints all immediate")
                assert not fails
            except IntegrityError:
                assert fails


@pytest.mark.django_db
@pytest.mark.parametrize("model", PERSONAL, ids=lambda m: m.__name__)
def test_every_personal_table_has_a_forced_policy(model):
    if model in OUTSIDE:
        return
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            "select class.relname, relrowsecurity and relforcerowsecurity, exists (select from pg_policy"
            " where polrelid = class.oid) from pg_class class where class.oid = %s::regclass"
            " or class.oid in (select inhrelid from pg_inherits where inhparent = %s::regclass)",
            [table, table],
        )
        rows = cursor.fetchall()
    assert rows
    assert [name for name, forced, policy in rows if not (forced and policy)] == []


def test_a_new_table_with_a_person_is_held_to_it():
    """Whoever names a person in a model is in the list above, or gives a reason here."""
    models = [m for app in ("accounts", "memoryapp") for m in apps.get_app_config(app).get_models()]
    assert set(models) - set(PERSONAL) - set(OUTSIDE) == {RateWindow, LedgerLine}
    assert {AuditEvent, AuditHead, IdempotencyRecord, Memory} <= set(PERSONAL)


@pytest.mark.django_db
def test_the_role_of_the_service_is_an_ordinary_one():
    with connection.cursor() as cursor:
        cursor.execute("select rolsuper, rolbypassrls from pg_roles where rolname = current_user")
        assert cursor.fetchone() == (False, False)


@pytest.mark.django_db
def test_history_is_append_only_save_while_erasing(both):
    ada, ben = both
    with acting_for(ada.person_id):
        rows = Decision.objects.all()
        for act in (lambda: rows.update(rule="secret"), rows.delete):
            with pytest.raises(DatabaseError), transaction.atomic():
                act()
        with pytest.raises(DatabaseError), transaction.atomic(), erasing(ben.person_id):
            rows.delete()
        with erasing(ada.person_id):
            assert rows.delete()[0] == 1


def test_no_setting_outlives_its_transaction():
    """`set_config(…, false)` and a plain SET leak to whoever gets the connection next."""
    settings_calls = []
    for path in [*ROOT.glob("memoryapp/**/*.py"), *ROOT.glob("accounts/**/*.py")]:
        source = path.read_text()
        assert not re.search(r"\bset\s+(session\s+)?app\.", source, re.IGNORECASE), path
        settings_calls += [(path, found) for found in re.findall(r"set_config\(([^)]*)\)", source)]
    assert settings_calls
    assert [(path, found) for path, found in settings_calls if not found.rstrip().endswith("true")] == []


def test_each_reason_for_wide_access_has_one_caller():
    calls = []
    for path in ROOT.glob("memoryapp/**/*.py"):
        calls += re.findall(r'wide_access\("(\w+)"\)', path.read_text())
    assert calls and len(calls) == len(set(calls))


@pytest.mark.django_db
def test_an_unknown_person_is_nobody(both):
    with acting_for(uuid.uuid4()):
        assert texts() == []
