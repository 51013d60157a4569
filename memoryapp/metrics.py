"""What is counted, for Prometheus. With PROMETHEUS_MULTIPROC_DIR set, all workers together."""

import os
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_METHODS = frozenset({"GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"})
_registry = CollectorRegistry()

_requests = Counter("memory_requests", "Requests answered.", ("route", "method", "status"), registry=_registry)
_seconds = Histogram(
    "memory_request_seconds",
    "Time from a request to its response, in seconds.",
    ("route", "method"),
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
    registry=_registry,
)
_decisions = Counter("memory_decisions", "Decisions of the write policy.", ("action", "rule"), registry=_registry)
_retrievals = Counter("memory_retrievals", "Retrievals by what came of them.", ("outcome",), registry=_registry)
_lexical_only = Counter(
    "memory_lexical_only", "Retrievals where words alone decided, for want of a vector.", registry=_registry
)
_pool_size = Gauge(
    "memory_pool_connections", "Connections to the database.", multiprocess_mode="livesum", registry=_registry
)
_pool_available = Gauge(
    "memory_pool_available", "Connections that nobody uses.", multiprocess_mode="livesum", registry=_registry
)
_pool_waiting = Gauge(
    "memory_pool_waiting", "Requests that wait for a connection.", multiprocess_mode="livesum", registry=_registry
)


def count_request(route: str, method: str, status: int, seconds: float) -> None:
    """`route` is a pattern, never a path."""
    method = method if method in _METHODS else "other"
    _requests.labels(route, method, status).inc()
    _seconds.labels(route, method).observe(seconds)
    _read_pool()


def count_decision(action: str, rule: str) -> None:
    _decisions.labels(action, rule).inc()


def count_retrieval(shown: dict[str, Any]) -> None:
    """Takes the answer that was given: sent, empty, use_off or unknown_person."""
    if shown["trace_id"] is None:
        outcome = "unknown_person"
    elif shown["notice"] == "use_off":
        outcome = "use_off"
    else:
        outcome = "sent" if shown["memories"] else "empty"
    _retrievals.labels(outcome).inc()
    if shown["notice"] == "lexical_only":
        _lexical_only.inc()


def exposition() -> bytes:
    """All figures in Prometheus' text format, of this process or of all workers."""
    _read_pool()
    folder = os.environ.get(_FOLDER)
    if not folder:
        return generate_latest(_registry)
    _drop_gauges_of_the_dead(Path(folder))
    registry = CollectorRegistry()
    MultiProcessCollector(registry, path=folder)  # type: ignore[no-untyped-call]
    return generate_latest(registry)


def leak_exposition(found: int, checked_at: datetime | None) -> bytes:
    """What the leak monitor found, in the same format. It is read from the store, not counted by workers."""
    registry = CollectorRegistry()
    leaks = Gauge("memory_leaks", "Retrievals that sent a memory where it was not allowed.", registry=registry)
    leaks.set(found)
    if checked_at:
        last = Gauge("memory_leaks_checked_timestamp_seconds", "When the leak monitor last ran.", registry=registry)
        last.set(checked_at.timestamp())
    return generate_latest(registry)


def _read_pool() -> None:
    pool = getattr(connection, "pool", None)
    if pool is not None:
        figures = pool.get_stats()
        _pool_size.set(figures.get("pool_size", 0))
        _pool_available.set(figures.get("pool_available", 0))
        _pool_waiting.set(figures.get("requests_waiting", 0))


def _drop_gauges_of_the_dead(folder: Path) -> None:
    """A worker that was killed leaves its last figures behind, and they would count for ever."""
    for file in folder.glob("gauge_live*_*.db"):
        try:
            os.kill(int(file.stem.rpartition("_")[2]), 0)
        except ProcessLookupError:
            file.unlink(missing_ok=True)
        except PermissionError:
            continue
