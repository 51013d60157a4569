"""The database is killed under write load: nothing acknowledged is lost, and service returns by itself."""

import json
import os
import signal
import threading
import time
from http.client import HTTPConnection

WRITERS = 4


class Writer(threading.Thread):
    """Proposes one memory after the other; keeps what was acknowledged, and every other reply."""

    def __init__(self, name, port, key, ended):
        super().__init__()
        self._prefix, self._port, self._key, self._ended = name, port, key, ended
        self.acknowledged = []
        self.refused = []

    def run(self):
        number = 0
        while not self._ended.is_set():
            number += 1
            subject = f"{self._prefix}-{number}"
            text = f"Number {number} is kept."
            body = {"user": "writer", "scope": "load", "kind": "fact", "subject": subject, "text": text, "source": text}
            status, headers, _ = call(self._port, self._key, "POST", "/api/v1/memories", body)
            if status == 201:
                self.acknowledged.append((time.monotonic(), subject))
            else:
                self.refused.append((status, headers.get("Retry-After")))
                time.sleep(0.05)


def call(port, key, method, path, body=None):
    connection = HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body) if body else None, headers)
        response = connection.getresponse()
        return response.status, response.headers, json.loads(response.read())
    finally:
        connection.close()


def stored_subjects(port, key):
    found, cursor = set(), ""
    while cursor is not None:
        _, _, page = call(port, key, "GET", f"/api/v1/memories?user=writer&status=any&limit=200{cursor}")
        found |= {memory["subject"] for memory in page["results"]}
        cursor = f"&cursor={page['next_cursor']}" if page["next_cursor"] else None
    return found


def test_it_loses_no_acknowledged_write_when_the_database_is_killed(running, made_beside):
    key = made_beside.stdout.splitlines()[-1]
    ended = threading.Event()
    writers = [Writer(f"w{number}", running.port, key, ended) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        time.sleep(1)
        os.kill(running.postgres, signal.SIGQUIT)
        killed = time.monotonic()
        while not all(writer.acknowledged and writer.acknowledged[-1][0] > killed + 0.5 for writer in writers):
            assert time.monotonic() < killed + 30, "it did not come back"
            time.sleep(0.1)
    finally:
        ended.set()
        for writer in writers:
            writer.join()
    assert any(at < killed for writer in writers for at, _ in writer.acknowledged)
    assert {status for writer in writers for status, _ in writer.refused} <= {503}
    assert all(retry_after for writer in writers for _, retry_after in writer.refused)
    assert {subject for writer in writers for _, subject in writer.acknowledged} <= stored_subjects(running.port, key)
