import os
import re
import signal
import socket
import subprocess
import sys

import psycopg
import pytest


def test_it_says_where_it_runs_and_how_to_ask(first_start):
    url = f"http://127.0.0.1:{first_start.port}"
    assert f"Memory is running at {url}\n" in first_start.output
    assert f"curl -s {url}/api/v1/context" in first_start.output
    assert first_start.output.endswith("Stopped.\n")


def test_it_shows_a_working_key_once_and_loads_the_demo_once(first_start, running):
    assert "mem_" not in running.output
    assert "create_key NAME" in running.output
    assert first_start.answer["context"]
    assert running.ask_about_ada(first_start.key)["context"]
    assert running.demo_decisions() == first_start.decisions > 100


def test_it_shows_a_fresh_link_to_a_demo_page_at_each_start(first_start, running):
    form = rf"http://127\.0\.0\.1:{running.port}(/sign-in/link/[\w-]{{43}})\n"
    (path,) = re.findall(form, running.output)
    assert running.status(path) == 200
    assert running.status(path[:-1] + "_") == 404
    assert path not in first_start.output


def test_it_closes_its_data_folder(first_start):
    folder = first_start.data.stat()
    assert folder.st_mode & 0o007 == 0
    assert (first_start.data / "secret_key").stat().st_mode & 0o777 == 0o600


def test_it_stops_everything_with_ctrl_c(first_start, leftovers):
    assert leftovers(first_start.data) == []
    assert first_start.status() is None


def test_it_starts_again_and_makes_nothing_anew(first_start, running, leftovers):
    """Without tables and demo people to make it is much quicker."""
    assert running.seconds < 0.8 * first_start.seconds
    assert running.status() is not None
    assert len(leftovers(running.data)) >= 4


def test_it_starts_after_a_kill_and_stops_everything_in_a_path_with_spaces(services, leftovers):
    service = services("mein Gedächtnis, 記憶")
    service.start()
    os.kill(service.web, signal.SIGKILL)
    service.end(signal.SIGKILL)
    service.start()
    assert service.status() is not None
    assert len(leftovers(service.data)) >= 4
    assert service.end(signal.SIGTERM) == 0
    assert leftovers(service.data) == []
    assert service.status() is None


def test_it_stops_while_it_starts(services, leftovers, until):
    service = services(empty=True)
    service.start("--no-demo", wait=False)
    until(lambda: (service.data / "postgres.log").exists())
    assert service.end() == 0, service.output
    assert leftovers(service.data) == []


def test_a_worker_that_still_loads_can_be_stopped():
    """It has its parent's answer to the signal, with which it would go on until it is killed."""
    loads = (
        "import os, signal; signal.signal(signal.SIGTERM, lambda *_: None); import memoryapp.wsgi;"
        "print(signal.getsignal(signal.SIGTERM), flush=True); os._exit(0)"
    )
    away = {"DATABASE_URL": "postgresql://memory@127.0.0.1:1/memory", "SECRET_KEY": "0123456789" * 6}
    for with_parent, answer in (({"MEMORY_END_WITH_PARENT": "1"}, "0"), ({}, "<function")):
        environment = os.environ | away | {"DJANGO_SETTINGS_MODULE": "memoryapp.settings"} | with_parent
        ran = subprocess.run([sys.executable, "-c", loads], env=environment, capture_output=True, text=True, check=True)
        assert ran.stdout.startswith(answer), ran.stderr


def test_it_refuses_a_taken_port_before_it_makes_anything(services, one_sentence):
    service = services(empty=True)
    with socket.create_server(("127.0.0.1", service.port)):
        service.start("--no-demo", wait=False)
        assert service.process.wait(30) == 1
    assert one_sentence(service.output)
    assert f"Port {service.port} on 127.0.0.1 is taken" in service.output
    assert not (service.data / "postgres").exists()


def test_it_refuses_a_folder_that_another_runs_with(running, services, one_sentence):
    second = services(empty=True)
    second.data = running.data
    second.start("--no-demo", wait=False)
    assert second.process.wait(30) == 1
    assert one_sentence(second.output)
    assert f"process {running.process.pid} is running with it already" in second.output
    assert running.status() is not None


def test_it_lets_commands_use_its_database(running, made_beside):
    assert (made_beside.returncode, made_beside.stderr) == (0, "")
    assert running.ask_about_ada(made_beside.stdout.splitlines()[-1])["context"]


def test_it_brings_a_killed_database_back(running, until):
    former, told = running.postgres, running.output.count("The database had ended and was started again")
    os.kill(former, signal.SIGQUIT)
    until(lambda: running.output.count("The database had ended and was started again") > told)
    assert running.postgres != former
    until(lambda: running.status("/readyz") == 200)


def test_it_brings_a_killed_web_server_back(running, until):
    former = running.web
    os.kill(former, signal.SIGKILL)
    until(lambda: "The web server had ended and was started again" in running.output)
    assert running.web != former
    assert running.status() is not None


def test_it_keeps_texts_out_of_the_database_log(running):
    with pytest.raises(psycopg.DataError, match="nobody may read"), running.connect("memory") as connection:
        connection.execute("select 'a text that nobody may read'::int")
    log = (running.data / "postgres.log").read_text()
    assert re.search("ready to accept connections", log)
    assert "nobody may read" not in log
