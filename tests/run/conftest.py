"""A service as its user starts it: real processes, a data folder of its own, a port of its own."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from pathlib import Path

import psycopg
import pytest

from memoryapp.database.paths import Paths
from tests.settings import TEMPORARY

BASE = Path(__file__).resolve().parents[2]
DEMO_DECISIONS = """
    SELECT count(*) FROM memoryapp_decision JOIN accounts_user ON accounts_user.id = person_id
    WHERE external_id IN ('ada', 'ben', 'noor')
"""
READY = "Ctrl-C stops everything."


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(data, **changes):
    """As on a machine of its own, without the model, which takes a second of every start."""
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("MEMORY_", "DJANGO_", "GRANIAN_"))
    }
    kept.pop("DATABASE_URL", None)
    return kept | {"MEMORY_DATA_DIR": str(data), "MEMORY_EMBEDDER": "none"} | changes


def wait_until(condition, seconds=30.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)


class Service:
    """One `manage.py up`, its output and what it runs."""

    def __init__(self, data, port):
        self.data, self.port = data, port
        self.process = None
        self._output = None

    def start(self, *arguments, wait=True, **changes):
        self.close()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115
        began = time.monotonic()
        self.process = subprocess.Popen(
            [
                sys.executable,
                "manage.py",
                "up",
                "--port",
                str(self.port),
                *(arguments or ["--no-demo", "--workers", "1"]),
            ],
            cwd=BASE,
            env=environment(self.data, **changes),
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        if wait:
            wait_until(lambda: READY in self.output or self.process.poll() is not None, 120)
            assert self.process.poll() is None, self.output
        return time.monotonic() - began

    @property
    def output(self):
        self._output.seek(0)
        return self._output.read().decode()

    def close(self):
        if self.process and self.process.poll() is None:
            self.end()
        if self._output:
            self._output.close()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(30)

    @property
    def postgres(self):
        return int((self.data / "postgres" / "postmaster.pid").read_text().split("\n")[0])

    @property
    def web(self):
        return int((self.data / "web.pid").read_text())

    def status(self, path="/healthz"):
        connection = HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return None
        finally:
            connection.close()

    def connect(self, role):
        """To its database, past the service."""
        return psycopg.connect(host=str(Paths(self.data).socket_folder), user=role, dbname="memory")

    def demo_decisions(self):
        """How many decisions there are about the demo people, as the superuser sees them."""
        with self.connect("postgres") as connection:
            return connection.execute(DEMO_DECISIONS).fetchone()[0]

    def ask_about_ada(self, key):
        """What the printed `curl` asks."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/api/v1/context",
            data=b'{"user": "ada", "query": "Which units should I use?"}',
            headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    def manage(self, *arguments, **changes):
        return manage(self.data, *arguments, **changes)


def manage(data, *arguments, **changes):
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=BASE,
        env=environment(data, **changes),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def processes_of(data):
    """Process ids that have the data folder in their command line or environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            seen = (entry / "cmdline").read_bytes() + (entry / "environ").read_bytes()
        except OSError:
            continue
        if str(data).encode() in seen and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


@pytest.fixture
def until():
    return wait_until


@pytest.fixture
def run_manage():
    return manage


@pytest.fixture
def leftovers():
    return processes_of


@pytest.fixture(scope="session")
def new_data() -> Iterator[Callable[[str], Path]]:
    """Paths that do not exist yet, in a place that the server's account can reach; removed at the end."""
    made = []

    def new(name="data"):
        made.append(TEMPORARY / f"memory-run-{uuid.uuid4().hex[:8]}" / name)
        made[-1].parent.mkdir()
        return made[-1]

    yield new
    for path in made:
        shutil.rmtree(path.parent)


@pytest.fixture(scope="session")
def first_start(new_data):
    """A service that was started once on an empty machine, as its user does, was asked once, and stopped."""
    service = Service(new_data(), free_port())
    service.seconds = service.start("--workers", "1", MEMORY_EMBEDDER="minilm")
    (service.key,) = set(re.findall(r"mem_[\w-]+", service.output))
    service.answer = service.ask_about_ada(service.key)
    service.decisions = service.demo_decisions()
    assert service.end(signal.SIGINT) == 0
    yield service
    service.close()


@pytest.fixture(scope="session")
def services(first_start, new_data) -> Iterator[Callable[..., Service]]:
    """Makes services whose data folder is a copy of the first one's."""
    made = []

    def make(name="data", empty=False):
        data = new_data(name)
        if not empty:
            subprocess.run(["cp", "-a", first_start.data, data], check=True)
        made.append(Service(data, free_port()))
        return made[-1]

    yield make
    for service in made:
        service.close()


@pytest.fixture(scope="session")
def running(services):
    """Started again, as its user has it, with the model; and how long that took."""
    service = services()
    service.seconds = service.start("--workers", "1", MEMORY_EMBEDDER="minilm")
    return service


@pytest.fixture(scope="session")
def made_beside(running):
    """What a command did while the service runs: it made a key, which its last line is."""
    return running.manage("create_key", "beside")


@pytest.fixture
def one_sentence():
    def check(text):
        return "Traceback" not in text and re.fullmatch(r"[^\n]+[.]", text.strip()) is not None

    return check
