"""Clients over HTTP with keep-alive: one in this process, or many, each a process of its own that waits for nobody."""

import http.client
import json
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import cycle
from threading import BrokenBarrierError

MANY = 16
_TOGETHER_SECONDS = 60


_SERIAL = "a0serial0z"


@dataclass(frozen=True, slots=True)
class Service:
    """Where one answers, on this machine, and a service key for it."""

    port: int
    key: str


@dataclass(frozen=True, slots=True)
class Call:
    method: str
    path: str
    body: bytes | None = None
    is_new: bool = False
    """Each time it is made it says something else: the serial in the body is replaced."""


class Client:
    """One connection. Any answer other than 200 or 201 ends the benchmark."""

    def __init__(self, service: Service) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        self._headers = {"Authorization": f"Bearer {service.key}", "Content-Type": "application/json"}

    def seconds_for(self, call: Call) -> float:
        began = time.perf_counter()
        self.answer(call)
        return time.perf_counter() - began

    def post(self, path: str, body: bytes) -> bytes:
        return self.answer(Call("POST", path, body))

    def answer(self, call: Call) -> bytes:
        body = call.body
        if body and call.is_new:
            body = body.replace(_SERIAL.encode(), os.urandom(6).hex().encode())
        self._connection.request(call.method, call.path, body, self._headers if body else {})
        response = self._connection.getresponse()
        content = response.read()
        if response.status not in (200, 201):
            raise RuntimeError(f"{call.method} {call.path} answered {response.status}: {content[:300]!r}")
        return content


def healthz() -> Call:
    return Call("GET", "/healthz")


def context(user: str, scope: str, query: str | None) -> Call:
    """Without a query, what a session starts with."""
    return Call("POST", "/api/v1/context", json.dumps({"user": user, "scope": scope, "query": query}).encode())


def proposal(user: str, scope: str, text: str) -> Call:
    """A new value in a new slot, each time."""
    text = f"{text} ({_SERIAL})"
    fields = {"user": user, "scope": scope, "kind": "fact", "subject": f"note {_SERIAL}", "text": text, "source": text}
    return Call("POST", "/api/v1/memories", json.dumps(fields).encode(), is_new=True)


class Crowd:
    """`MANY` client processes that stay for the whole run, so that no start of theirs is measured."""

    def __init__(self) -> None:
        fresh = multiprocessing.get_context("spawn")
        barrier = fresh.Barrier(MANY)
        self._pool = ProcessPoolExecutor(MANY, mp_context=fresh, initializer=_remember, initargs=(barrier,))

    def run(self, service: Service, calls: Sequence[Sequence[Call]], seconds: float) -> tuple[list[float], float]:
        """Every client makes its own calls, over and over, for so long: all latencies, and calls per second."""
        done = [self._pool.submit(_make_calls, service, mine, seconds) for mine in calls]
        results = [one.result() for one in done]
        rate = sum(len(latencies) / elapsed for latencies, elapsed in results)
        return [latency for latencies, _ in results for latency in latencies], rate

    def close(self) -> None:
        self._pool.shutdown()


_barrier = None


def _remember(barrier) -> None:
    global _barrier
    _barrier = barrier


def _make_calls(service: Service, calls: Sequence[Call], seconds: float) -> tuple[list[float], float]:
    """Latencies, and the time that they took together. The first call is not counted: it opens the connection."""
    remaining: Iterator[Call] = cycle(calls)
    client = Client(service)
    try:
        client.answer(next(remaining))
        _barrier.wait(_TOGETHER_SECONDS)
    except (OSError, RuntimeError, http.client.HTTPException):
        _barrier.abort()
        raise
    except BrokenBarrierError:
        return [], seconds
    latencies = []
    began = time.perf_counter()
    while time.perf_counter() < began + seconds:
        latencies.append(client.seconds_for(next(remaining)))
    return latencies, time.perf_counter() - began
