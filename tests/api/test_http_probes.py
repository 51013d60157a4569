import os
import re
import subprocess
import sys

import pytest
from django.db import OperationalError
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client

from memoryapp.api import health

CANDIDATE = {"user": "ada", "kind": "preference", "subject": "units", "text": "Metric.", "source": "Metric, please."}


def figure(text, name, **labels):
    """The value of one series, 0 where there is none."""
    for line in text.splitlines():
        match = re.fullmatch(r"(\w+)(?:\{(.*)\})? (\S+)", line)
        if match and match[1] == name:
            found = dict(re.findall(r'(\w+)="([^"]*)"', match[2] or ""))
            if labels.items() <= found.items():
                return float(match[3])
    return 0.0


@pytest.fixture
def no_queries(monkeypatch):
    def fail(*_, **__):
        raise OperationalError

    monkeypatch.setattr(BaseDatabaseWrapper, "cursor", fail)


def test_it_is_alive_without_a_database(no_queries):
    response = Client().get("/healthz", headers={"Accept": "text/html"})
    assert (response.status_code, response.json()) == (200, {"status": "alive"})


def test_it_is_ready_with_a_database(db):
    assert Client().get("/readyz").status_code == 200


def test_it_is_not_ready_without_a_database(no_queries):
    response = Client().get("/readyz")
    assert response.status_code == 503
    assert int(response["Retry-After"]) >= 1


def test_it_is_not_ready_before_the_migrations(db, monkeypatch):
    health._require_migrations.cache_clear()
    monkeypatch.setattr("memoryapp.api.health.MigrationExecutor.migration_plan", lambda *_: [("a migration", False)])
    for _ in range(2):
        response = Client().get("/readyz")
        assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
    monkeypatch.undo()
    assert Client().get("/readyz").status_code == 200


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/metrics"])
def test_it_takes_no_other_method(db, path):
    response = Client().post(path)
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")


def test_it_counts_requests_by_route(api):
    before = Client().get("/metrics").content.decode()
    api.get("/memories", user="ada")
    api.get("/memories/019f3a52-7c1e-7d30-8a11-5f2b9c0d4e61")
    api.request("ODD", "/me")
    after = Client().get("/metrics").content.decode()
    for labels in (
        {"route": "api/v1/memories", "method": "GET", "status": "200"},
        {"route": "api/v1/memories/<str:memory_id>", "method": "GET", "status": "404"},
        {"route": "api/v1/me", "method": "other", "status": "405"},
    ):
        name = "memory_requests_total"
        assert figure(after, name, **labels) - figure(before, name, **labels) == 1
    seconds = "memory_request_seconds_count"
    assert figure(after, seconds, route="api/v1/memories", method="GET") >= 1
    assert figure(after, "memory_pool_connections") >= 1
    assert "ada" not in after


def test_it_counts_decisions_and_retrievals(api):
    before = Client().get("/metrics").content.decode()
    api.post("/memories", CANDIDATE)
    api.post("/memories", CANDIDATE | {"kind": "mood"})
    api.post("/context", {"user": "ada"})
    api.post("/context", {"user": "ada", "kinds": ["fact"]})
    api.post("/context", {"user": "nobody"})
    for _ in range(2):
        api.post("/memories", CANDIDATE | {"text": "Imperial."}, {"Idempotency-Key": "k"})
    after = Client().get("/metrics").content.decode()

    def grown(name, **labels):
        return figure(after, name, **labels) - figure(before, name, **labels)

    assert grown("memory_decisions_total", action="new", rule="empty_slot") == 1
    assert grown("memory_decisions_total", action="rejected", rule="not_durable") == 1
    assert grown("memory_decisions_total", action="superseded", rule="slot_changed") == 1
    for outcome in ("sent", "empty", "unknown_person"):
        assert grown("memory_retrievals_total", outcome=outcome) == 1


@pytest.mark.parametrize(
    ("address", "status"), [("127.0.0.1", 200), ("::1", 200), ("10.0.0.1", 404), ("", 404), ("unix:", 404)]
)
def test_it_shows_figures_to_certain_addresses(db, address, status):
    response = Client().get("/metrics", REMOTE_ADDR=address)
    assert response.status_code == status


@pytest.mark.parametrize(
    ("given", "status"),
    [(None, 404), ("Bearer wrong", 404), ("Basic a-long-secret-token", 404), ("Bearer é", 404),
     ("Bearer a-long-secret-token", 200)],
)  # fmt: skip
def test_it_shows_figures_for_a_token(db, settings, given, status):
    settings.MEMORY_METRICS_TOKEN, settings.MEMORY_METRICS_NETWORKS = "a-long-secret-token", ()
    response = Client().get("/metrics", headers={"Authorization": given} if given else {})
    assert response.status_code == status


_WORKER = """
import os, sys
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
from memoryapp import metrics
metrics.count_decision("new", "empty_slot")
if sys.argv[1] == "show":
    print(metrics.exposition().decode())
"""


def test_it_adds_up_all_workers(tmp_path):
    """Real processes: whether figures are shared is settled when the library is imported."""
    environment = os.environ | {"PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    for _ in range(2):
        subprocess.run([sys.executable, "-c", _WORKER, "count"], env=environment, check=True)
    done = subprocess.run(
        [sys.executable, "-c", _WORKER, "show"], env=environment, check=True, capture_output=True, text=True
    )
    assert figure(done.stdout, "memory_decisions_total", action="new", rule="empty_slot") == 3
    gauges = [path.name for path in tmp_path.glob("gauge_live*")]
    assert len(gauges) <= 1, "the gauges of ended workers are gone"
