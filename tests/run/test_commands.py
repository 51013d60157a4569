import os

import pytest

NOWHERE = "postgresql://u:hush@127.0.0.1:1/db"
SECRET = {"SECRET_KEY": "s3" * 30}


def test_it_starts_a_database_for_one_command_and_stops_it(services, leftovers):
    service = services()
    # What a killed server leaves, once its process id is another's.
    (service.data / "postgres" / "postmaster.pid").write_text(f"{os.getpid()}\n")
    ran = service.manage("showmigrations", "accounts")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "[X]" in ran.stdout and "[ ]" not in ran.stdout
    assert leftovers(service.data) == []


@pytest.mark.parametrize("arguments", [("check",), ("migrate", "--help")], ids=" ".join)
def test_it_starts_no_database_where_none_is_needed(services, arguments):
    service = services(empty=True)
    assert service.manage(*arguments).returncode == 0
    assert not (service.data / "postgres").exists()


@pytest.mark.parametrize(
    ("command", "changes", "says"),
    [
        pytest.param("up", {"MEMORY_FLOOR": "2"}, "MEMORY_FLOOR must be a number from 0 to 1", id="wrong-value"),
        pytest.param("up", {"DATABASE_URL": NOWHERE}, "SECRET_KEY must be set when DATABASE_URL is", id="no-secret"),
        pytest.param("up", {"DATABASE_URL": NOWHERE} | SECRET, "cannot be reached: ", id="up-unreachable"),
        pytest.param("migrate", {"DATABASE_URL": NOWHERE} | SECRET, "cannot be reached: ", id="command-unreachable"),
    ],
)
def test_it_refuses_with_one_sentence(run_manage, new_data, one_sentence, command, changes, says):
    ran = run_manage(new_data(), command, **changes)
    assert ran.returncode == 1
    assert one_sentence(ran.stderr)
    assert says in ran.stderr
    assert "hush" not in ran.stderr
