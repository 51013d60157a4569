import pytest

from memoryapp.database.url import parse_database_url, psycopg_parameters
from memoryapp.env import WrongSetting


def test_it_reads_every_part():
    read = parse_database_url(
        "postgresql://me%40work:p%40ss%2F%20w%25@db.example.org:6432/my%20db?sslmode=require&options=-c%20jit%3Doff"
    )
    assert read == {
        "NAME": "my db",
        "USER": "me@work",
        "PASSWORD": "p@ss/ w%",
        "HOST": "db.example.org",
        "PORT": "6432",
        "OPTIONS": {"connect_timeout": 5, "sslmode": "require", "options": "-c jit=off"},
    }


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        pytest.param("postgres://u@localhost/db", "localhost", "", id="short-scheme"),
        pytest.param("postgresql://u@[::1]:5433/db", "::1", "5433", id="ipv6"),
        pytest.param("postgresql://u@%2Frun%2Fpostgresql/db", "/run/postgresql", "", id="socket"),
        pytest.param("postgresql:///db?host=/run/postgresql", "/run/postgresql", "", id="socket-as-option"),
        pytest.param("postgresql://u@a:1,b:2/db", "a,b", "1,2", id="two-hosts"),
    ],
)
def test_it_reads_hosts(url, host, port):
    read = parse_database_url(url)
    assert (read["HOST"], read["PORT"]) == (host, port)


@pytest.mark.parametrize(
    "url",
    [
        pytest.param("mysql://u:hush@h/db", id="other-database"),
        pytest.param("u:hush@h/db", id="no-scheme"),
        pytest.param("postgresql://u:hush@h:port/db?nonsense=1", id="unknown-option"),
        pytest.param("postgresql://u:hu@sh@h/db", id="unescaped-at"),
        pytest.param("postgresql://u:hu%zzsh@h/db", id="bad-percent"),
        pytest.param("postgresql://u:hush@h", id="no-database"),
    ],
)
def test_it_refuses_without_repeating_the_url(url):
    with pytest.raises(WrongSetting) as refused:
        parse_database_url(url)
    sentence = str(refused.value)
    assert "DATABASE_URL" in sentence
    assert "hush" not in sentence
    assert "sh@" not in sentence


def test_it_hands_psycopg_the_same():
    read = parse_database_url("postgresql://u:p@h/db?sslmode=require")
    read["OPTIONS"]["pool"] = {"max_size": 3}
    assert psycopg_parameters(read) == {
        "dbname": "db", "user": "u", "password": "p", "host": "h", "connect_timeout": 5, "sslmode": "require",
    }  # fmt: skip
