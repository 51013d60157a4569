"""What the database holds by itself: each named constraint refuses what its name forbids, past all Python."""

import pytest
from django.db import DatabaseError, IntegrityError, connection, transaction

from memoryapp.database.isolation import acting_for
from memoryapp.models import Memory, MemoryVersion

pytestmark = pytest.mark.django_db


@pytest.fixture
def slot(remember, ada):
    """A current memory, and another of Ada's in another slot."""
    remember("Likes tea.", subject="drink")
    remember("Likes rice.", subject="food")
    with acting_for(ada.person_id):
        return {memory.subject: memory for memory in Memory.objects.all()}


@pytest.fixture
def sql(ada):
    def act(statement, *parameters):
        with transaction.atomic(), acting_for(ada.person_id), connection.cursor() as cursor:
            cursor.execute("set constraints all immediate")
            cursor.execute(statement, parameters)
            return cursor.rowcount

    return act


MEMORY = "update memoryapp_memory set "
DRINK = " where subject = 'drink'"


@pytest.mark.parametrize(
    ("constraint", "statement"),
    [
        ("memory_one_living_per_slot", MEMORY + "subject_key = 'drink' where subject = 'food'"),
        ("memory_one_living_per_slot", MEMORY + "subject_key = 'drink', state = 'paused' where subject = 'food'"),
        ("memory_one_living_per_slot", MEMORY + "subject_key = 'drink', state = 'stale' where subject = 'food'"),
        ("memory_seen_at_least_once", MEMORY + "seen = 0" + DRINK),
        ("memory_use_count_not_negative", MEMORY + "use_count = -1" + DRINK),
        ("memory_version_in_range", MEMORY + "version = 2" + DRINK),
        ("memory_version_in_range", MEMORY + "version = 0" + DRINK),
        ("memory_validity_in_order", MEMORY + "valid_to = valid_from - interval '1 microsecond'" + DRINK),
        ("memory_state_known", MEMORY + "state = 'other'" + DRINK),
        ("memory_importance_1_to_10", MEMORY + "importance = 11" + DRINK),
        ("memory_importance_1_to_10", MEMORY + "importance = 0" + DRINK),
        ("memory_forgotten_has_time", MEMORY + "state = 'forgotten'" + DRINK),
        ("memory_forgotten_has_time", MEMORY + "forgotten_at = now()" + DRINK),
        ("memory_pending_has_rule", MEMORY + "state = 'pending'" + DRINK),
        ("scope_name_in_grammar", "update accounts_scope set name = 'a.b'"),
        ("scope_name_in_grammar", "update accounts_scope set name = 'Atlas'"),
        ("scope_name_in_grammar", "update accounts_scope set name = ''"),
        ("user_external_id_given", "update accounts_user set external_id = ''"),
        ("memory_current_version_of_same_memory", MEMORY + "current_version_id = gen_random_uuid()" + DRINK),
        ("memory_statement_of_same_memory", MEMORY + "statement_id = gen_random_uuid()" + DRINK),
        ("memory_scope_of_same_person", MEMORY + "scope_id = gen_random_uuid()" + DRINK),
        ("version_closes_in_order", "update memoryapp_memoryversion set closes_at = valid_from - interval '1 s'"),
        ("version_recording_in_order", "update memoryapp_memoryversion set closed_at = recorded_at - interval '1 s'"),
    ],
)
def test_it_refuses(constraint, statement, slot, sql):
    with pytest.raises(IntegrityError) as caught:
        sql(statement)
    assert caught.value.__cause__.diag.constraint_name == constraint


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param(MEMORY + "subject_key = 'drink', state = 'closed' where subject = 'food'", id="a closed twin"),
        pytest.param(
            MEMORY + "subject_key = 'drink', state = 'pending', pending_rule = 'inferred' where subject = 'food'",
            id="a pending twin",
        ),
        pytest.param(
            MEMORY + "subject_key = 'drink', state = 'forgotten', forgotten_at = now() where subject = 'food'",
            id="a forgotten twin",
        ),
        pytest.param(MEMORY + "subject_key = 'drink', kind = 'fact' where subject = 'food'", id="another kind"),
        pytest.param(MEMORY + "valid_to = valid_from, importance = 10" + DRINK, id="an empty validity"),
        pytest.param("update memoryapp_memoryversion set closes_at = valid_from where subject = 'food'", id="closing"),
    ],
)
def test_it_lets_through(statement, slot, sql):
    assert sql(statement) == 1


COLUMNS = [field.column for field in MemoryVersion._meta.concrete_fields]


def copied(**changed):
    """Inserts a copy of the drink's version with a new id and these SQL expressions."""
    given = {"id": "gen_random_uuid()", "number": "2", **changed}
    columns = ", ".join(COLUMNS)
    values = ", ".join(given.get(name, name) for name in COLUMNS)
    return f"insert into memoryapp_memoryversion ({columns}) select {values} from memoryapp_memoryversion{DRINK}"


def test_a_version_has_its_number_once(slot, sql):
    assert sql(copied()) == 1
    with pytest.raises(IntegrityError) as caught:
        sql(copied(number="1"))
    assert caught.value.__cause__.diag.constraint_name == "version_number_once"
    with pytest.raises(IntegrityError) as caught:
        sql(copied(number="3", valid_to="valid_from - interval '1 s'"))
    assert caught.value.__cause__.diag.constraint_name == "version_validity_in_order"


def test_a_version_belongs_to_a_memory_of_the_same_person(slot, sql, remember, ben):
    foreign = remember("Likes rum.", actor=ben)["id"]
    for memory_id in (foreign, "00000000-0000-7000-8000-000000000000"):
        with pytest.raises(IntegrityError) as caught:
            sql(copied(number="7", memory_id=f"'{memory_id}'::uuid"))
        assert caught.value.__cause__.diag.constraint_name == "memoryversion_memory_of_same_person"


def test_a_scope_and_an_external_id_are_there_once(slot, sql, ada):
    with pytest.raises(IntegrityError) as caught:
        sql(
            "insert into accounts_scope (id, person_id, name, learning, use)"
            " select gen_random_uuid(), person_id, name, true, true from accounts_scope"
        )
    assert caught.value.__cause__.diag.constraint_name == "scope_name_once_per_person"
    with pytest.raises(IntegrityError) as caught:
        sql(
            "insert into accounts_user (id, namespace, external_id, password, is_superuser, is_staff, is_active,"
            " learning, use, digest_key) select gen_random_uuid(), namespace, external_id, '', false, false, true,"
            " true, true, '' from accounts_user"
        )
    assert caught.value.__cause__.diag.constraint_name == "user_external_id_once_per_namespace"


@pytest.mark.parametrize(
    "statement",
    [
        "update memoryapp_memoryversion set text = 'Likes rum.'",
        "update memoryapp_memoryversion set valid_from = valid_from - interval '1 s'",
        "update memoryapp_memoryversion set statement_id = id, number = number + 9",
        "delete from memoryapp_memoryversion",
        "update memoryapp_confirmation set said_at = now()",
        "delete from memoryapp_confirmation",
        "update memoryapp_decision set rule = 'ended'",
        "delete from memoryapp_decision",
        "delete from memoryapp_auditevent",
    ],
)
def test_history_is_append_only(statement, slot, sql):
    with pytest.raises(DatabaseError, match=r"Cannot (update|delete) rows"):
        sql(statement)
