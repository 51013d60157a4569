"""The pages of one person with ten thousand memories, signed in by a one-time link, as a browser asks for them."""

import http.client
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from urllib.parse import urlencode, urlsplit

import psycopg

from tests.bench.clients import Client, Service, proposal
from tests.bench.report import Target
from tests.many import GROW, SAID, VERSIONS

READER = "reader"
MEMORIES = 10_000
MOST_MS = 100.0
MOST_BYTES = 100 * 1024
ROUNDS = 15
PAGES = {
    "the list": "/memories/",
    "a search": "/memories/?q=statement+77",
    "a search of one letter": "/memories/?q=a",
    "a facet": "/memories/?kind=fact",
    "two facets": "/memories/?kind=fact&origin=stated",
    "sorted by when it was written": "/memories/?sort=written",
    "sorted by use": "/memories/?sort=used",
    "sorted by how often it was said": "/memories/?sort=most",
    "all that match": "/memories/bulk/?q=statement",
    "a preview": "/preview/?q=statement+777",
}
_AS_TYPED = {"HX-Request": "true", "HX-Request-Type": "partial"}


@dataclass(frozen=True, slots=True)
class Seen:
    """One page: latencies in seconds over HTTP, and the bytes of its HTML before it is compressed."""

    name: str
    whole: list[float]
    part: list[float]
    size: int


class Browser:
    """A session on one connection."""

    def __init__(self, service: Service) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        self._cookies: dict[str, str] = {}

    def sign_in(self, path: str) -> None:
        page = self.ask("GET", path).decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token is not None
        self.ask("POST", path, {"csrfmiddlewaretoken": token[1]})

    def ask(
        self, method: str, path: str, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
    ) -> bytes:
        """The answer's body. RuntimeError unless it is 200, or a redirect after a form."""
        sent = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())} | (headers or {})
        if form is not None:
            sent["Content-Type"] = "application/x-www-form-urlencoded"
        self._connection.request(method, path, urlencode(form) if form is not None else None, sent)
        response = self._connection.getresponse()
        body = response.read()
        for name, value in response.getheaders():
            if name.lower() == "set-cookie":
                key, _, rest = value.partition("=")
                self._cookies[key] = rest.partition(";")[0]
        if response.status != 200 and not (form is not None and response.status in (302, 303)):
            raise RuntimeError(f"{method} {path} answered {response.status}")
        return body


def make_reader(service: Service, database: psycopg.Connection) -> Browser:
    """Gives the reader their memories, past the policies but for the first, and signs them in."""
    client = Client(service)
    client.answer(proposal(READER, "atlas", "Keeps the minutes"))
    with database.transaction():
        (person,) = database.execute("select id from accounts_user where external_id = %s", [READER]).fetchone() or ()
        database.execute("select set_config('app.person', %s, true)", [str(person)])
        database.execute(GROW, [MEMORIES - 1, None, person])
        database.execute(VERSIONS, [person])
        database.execute(SAID, [person])
    for table in ("memory", "memoryversion", "confirmation"):
        database.execute(f"analyze memoryapp_{table}")
    browser = Browser(service)
    body = json.dumps({"user": READER}).encode()
    link = json.loads(client.post("/api/v1/links", body))["url"]
    browser.sign_in(urlsplit(link).path)
    return browser


def measure_pages(browser: Browser) -> list[Seen]:
    """Every round asks for all of them, whole and as a fragment, so that a noisy minute troubles all alike."""
    seen = {name: Seen(name, [], [], len(browser.ask("GET", path))) for name, path in PAGES.items()}
    for _ in range(ROUNDS):
        for name, path in PAGES.items():
            for headers, latencies in (({}, seen[name].whole), (_AS_TYPED, seen[name].part)):
                began = time.perf_counter()
                browser.ask("GET", path, headers=headers)
                latencies.append(time.perf_counter() - began)
    return list(seen.values())


def pages_table(seen: list[Seen]) -> str:
    head = f"| pages, {MEMORIES:,} memories of one person | median ms | least ms | as typed, median ms | KB |"
    lines = [
        f"| {one.name} | {_ms(median(one.whole))} | {_ms(min(one.whole))} | {_ms(median(one.part))} |"
        f" {one.size / 1024:.0f} |"
        for one in seen
    ]
    return "\n".join([head, "| --- | ---: | ---: | ---: | ---: |", *lines])


def pages_targets(seen: list[Seen]) -> Iterator[Target]:
    for one in seen:
        slowest = max(median(one.whole), median(one.part)) * 1000
        yield Target(f"{one.name} of {MEMORIES:,} memories: median ms", slowest, MOST_MS)
        yield Target(f"{one.name} of {MEMORIES:,} memories: bytes", one.size, MOST_BYTES)


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f}"
