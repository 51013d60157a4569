import dataclasses

import psycopg
import pytest
from django.conf import settings

from memoryapp.database.server import ServerFacts, refusal, require_usable
from memoryapp.database.url import psycopg_parameters
from memoryapp.refusal import Refused

GOOD = ServerFacts(
    version=150_004,
    role="memory",
    bypasses_policies=False,
    may_create_tables=True,
    vector="0.8.5",
    vector_is_installed=True,
    may_install_vector=False,
)


def test_it_accepts_a_server_that_has_everything():
    assert refusal(GOOD) is None
    assert refusal(dataclasses.replace(GOOD, vector_is_installed=False, may_install_vector=True)) is None


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        pytest.param({"version": 140_012}, "is PostgreSQL 14; 15 or newer", id="too-old"),
        pytest.param({"bypasses_policies": True}, "row-level security would not hold", id="superuser"),
        pytest.param({"vector": None, "vector_is_installed": False}, "has no pgvector", id="no-vector"),
        pytest.param({"vector": "0.4.4"}, "has pgvector 0.4.4; 0.7 or newer", id="old-vector"),
        pytest.param({"vector_is_installed": False}, "may not install pgvector", id="no-right-to-install"),
        pytest.param({"may_create_tables": False}, "may not create tables", id="no-right-to-create"),
    ],
)
def test_it_says_what_a_server_lacks(changes, says):
    sentence = refusal(dataclasses.replace(GOOD, **changes))
    assert says in sentence
    assert "\n" not in sentence


@pytest.fixture
def parameters(database_server):
    return psycopg_parameters(settings.DATABASES["default"])


embedded_only = pytest.mark.skipif(not settings.MEMORY_USES_EMBEDDED, reason="needs a superuser that trusts us")


@pytest.fixture
def superuser(parameters):
    with psycopg.connect(**parameters | {"user": "postgres", "dbname": "postgres"}, autocommit=True) as connection:
        yield connection


def test_it_accepts_the_ordinary_role(parameters):
    require_usable(parameters)


@embedded_only
def test_it_refuses_a_superuser(parameters):
    with pytest.raises(Refused, match="'postgres' of DATABASE_URL is a superuser"):
        require_usable(parameters | {"user": "postgres"})


@embedded_only
def test_it_refuses_a_role_without_rights(parameters, superuser):
    superuser.execute("CREATE ROLE visitor LOGIN")
    try:
        with pytest.raises(Refused, match="'visitor' of DATABASE_URL may not create tables"):
            require_usable(parameters | {"user": "visitor"})
    finally:
        superuser.execute("DROP ROLE visitor")


@embedded_only
def test_it_refuses_a_foreign_database_without_pgvector(parameters, superuser):
    superuser.execute("CREATE ROLE visitor LOGIN")
    superuser.execute("CREATE DATABASE bare TEMPLATE template0")
    try:
        with pytest.raises(Refused, match="may not install pgvector"):
            require_usable(parameters | {"user": "visitor", "dbname": "bare"})
    finally:
        superuser.execute("DROP DATABASE bare")
        superuser.execute("DROP ROLE visitor")


@embedded_only
def test_it_names_a_database_that_is_not_there(parameters):
    with pytest.raises(Refused, match=r'cannot be reached: .*"nowhere" does not exist'):
        require_usable(parameters | {"dbname": "nowhere"})
