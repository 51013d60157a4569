"""An embedding service behind HTTP: what it is asked, and what happens when it fails."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from memoryapp.embedding import Remote, Unavailable, remote


@pytest.fixture
def service():
    """A service that gives the answers of `service.answers` in turn, (status, body, headers), and keeps the calls."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            server.calls.append((self.path, self.headers.get("Authorization"), asked))
            answer = server.answers.pop(0) if server.answers else good(len(asked["input"]))
            if answer == "silence":
                threading.Event().wait(1)
                return
            status, body, headers = answer
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body if isinstance(body, bytes) else json.dumps(body).encode())

        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.calls, server.answers = [], []
    threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def good(count):
    rows = [{"index": i, "embedding": [3.0 + i, 4.0]} for i in range(count)]
    return 200, {"data": rows[::-1]}, {}


@pytest.fixture
def embedder(service):
    url = f"http://127.0.0.1:{service.server_address[1]}/v1/"
    return Remote(url=url, model="small", key="k3y", timeout_seconds=0.3, dimension=2)


@pytest.fixture(autouse=True)
def waits(monkeypatch):
    """No test waits: what would have been waited is kept."""
    kept = []
    monkeypatch.setattr(remote.time, "sleep", kept.append)
    return kept


def test_it_asks_as_openai_does_and_orders_the_answer(service, embedder):
    assert embedder.embed(["a", "b"]) == [(0.6, 0.8), pytest.approx((4 / 32**0.5, 4 / 32**0.5))]
    body = {"model": "small", "input": ["a", "b"], "encoding_format": "float", "dimensions": 2}
    assert service.calls == [("/v1/embeddings", "Bearer k3y", body)]
    assert embedder.model == "small/2"


@pytest.mark.parametrize("status", [429, 500, 503])
def test_it_tries_again_with_growing_random_waits(status, service, embedder, waits):
    service.answers += [(status, b"", {})] * 3
    assert embedder.embed(["a"], is_patient=True) == [(0.6, 0.8)]
    assert len(waits) == 3 and all(0 <= wait <= 0.5 * 2**n for n, wait in enumerate(waits))


def test_it_waits_as_long_as_it_is_told(service, embedder, waits):
    service.answers += [(429, b"", {"Retry-After": "7"})]
    embedder.embed(["a"], is_patient=True)
    assert waits == [7.0]


FAILURES = {
    "busy": (429, b"", {}),
    "broken": (500, b"", {}),
    "silence": "silence",
    "refused": (401, b"", {}),
    "not_json": (200, b"<html>", {}),
    "other_form": (200, {"vectors": []}, {}),
    "too_few": (200, {"data": []}, {}),
    "no_direction": (200, {"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, {}),
}


@pytest.mark.parametrize("answer", [pytest.param(answer, id=name) for name, answer in FAILURES.items()])
def test_who_waits_is_told_at_once_and_no_secret_is_in_it(answer, service, embedder, waits):
    service.answers.append(answer)
    began = time.monotonic()
    with pytest.raises(Unavailable) as raised:
        embedder.embed(["my secret diary"])
    assert time.monotonic() - began < 0.9 and waits == [] and len(service.calls) == 1
    assert "diary" not in str(raised.value) and "k3y" not in str(raised.value)


def test_it_does_not_repeat_what_was_refused(service, embedder):
    service.answers.append((400, b"", {}))
    with pytest.raises(Unavailable):
        embedder.embed(["a"], is_patient=True)
    assert len(service.calls) == 1
