"""`python -m tests.bench.traces`: an answer's page with 200 candidates, and finding an answer among a million."""

import argparse
import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import cycle
from secrets import token_hex
from statistics import median, quantiles
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection

from tests.bench.report import Target, verdicts
from tests.bench.service import Server, server

CANDIDATES = 200
PERSONS = 1_000
MOST_PAGE_MS, MOST_SEARCH_MS = 150.0, 20.0

# Past the policies and without checks of foreign keys; ids of version 7, spread over the year before now.
_ID = """
create function pg_temp.id_of(n bigint, what text, of_all bigint) returns uuid language sql immutable as $$
    select (lpad(to_hex({now_ms} - (of_all - n) * ({span_ms} / of_all)), 12, '0') || '7' || substr(md5(what || n), 1, 3)
        || '8' || substr(md5(what || n), 4, 15))::uuid
$$;
"""
_PEOPLE = """
insert into accounts_user (
    id, namespace, external_id, password, is_superuser, is_staff, is_active, learning, use, digest_key
)
select pg_temp.id_of(n, 'person', {persons}), 'default', 'person-' || n, '!', false, false, true, true, true,
    decode(repeat(md5('key' || n), 2), 'hex')
from generate_series(1, {persons}) n
"""
_TRACES = """
insert into memoryapp_retrievaltrace (
    id, created_at, person_id, agent_key_id, scopes, query, session, floor, budget, policy_version, scorer, items,
    counts
)
select id, instant_of(id), pg_temp.id_of(1 + mod(n, {persons}), 'person', {persons}), %(key)s, '{{personal}}',
    'question ' || n, 'session-' || n / 10, 0.3, '{{"tokens": 800}}', '1', 'lexical',
    '[["' || md5(n::text) || '",1,"included","relevant",0.9,{{}},"2026-01-01T00:00:00+00:00"]]',
    ('{{"offered": 1, "limit": 20, "withheld": {{"below_floor": 0, "over_limit": 0, "over_budget": 0, "replaced": 0,'
    || ' "duplicate": 0, "paused": 0, "stale": 0}}, "used": {{"tokens": 20, "chars": 90}}}}')::jsonb
from (select n, pg_temp.id_of(n, 'trace', {traces}) as id from generate_series(1, {traces}) n) fresh
"""
_ANSWERS = """
insert into memoryapp_answer (id, person_id, agent_key_id, answer_id, trace_id, recorded_at)
select pg_temp.id_of(n, 'answer', {traces}), pg_temp.id_of(1 + mod(n, {persons}), 'person', {persons}), %(key)s,
    'ans-' || md5(n::text), pg_temp.id_of(n, 'trace', {traces}), now()
from generate_series(1, {traces}) n
"""
_YEAR_MS = 360 * 24 * 3_600_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.traces", description=__doc__)
    parser.add_argument("--traces", type=int, default=1_000_000)
    traces: int = parser.parse_args().traces
    with server() as place, place.database(f"memory_bench_traces_{token_hex(3)}") as name:
        _start_django(place.url(name))
        return _measure(place, name, traces)


def _start_django(url: str) -> None:
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "memoryapp.settings",
        "DATABASE_URL": url,
        "SECRET_KEY": token_hex(32),
        "ALLOWED_HOSTS": "testserver",
    }
    import django
    from django.core.management import call_command

    django.setup()
    call_command("migrate", verbosity=0)


def _measure(place: Server, name: str, traces: int) -> int:
    from django.db import connection
    from django.test import Client

    from accounts.actors import Actor
    from accounts.models import User
    from memoryapp.services.agents import actor_of, ensure_person
    from memoryapp.services.desk import find
    from memoryapp.services.keys import create_key
    from memoryapp.services.staff import Staff
    from memoryapp.services.traces import read_answer

    key = create_key("bench", actor=Actor("system"))[0]
    agent = actor_of(key)
    ada = ensure_person(agent, "ada")
    trace_id = _trace_of_many(ada)
    began = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(
            "select create_trace_partition((date_trunc('month', now()) - back * interval '1 month')::date)"
            " from generate_series(1, 13) back"
        )
    with place.connect(name, as_loader=True) as loader:
        _load(loader, key.pk, traces)
    print(f"{traces:,} retrievals with answers made in {time.monotonic() - began:.0f} s", file=sys.stderr, flush=True)

    browser = Client()
    browser.force_login(User.objects.get(pk=ada.opened), backend="django.contrib.auth.backends.ModelBackend")
    persons = User.objects.get(external_id="person-2")
    theirs = Client()
    theirs.force_login(persons, backend="django.contrib.auth.backends.ModelBackend")

    def page() -> None:
        assert browser.get(f"/answers/{trace_id}/").status_code == 200

    def found_by(function: str, names: list[str]) -> Callable[[], None]:
        turns = cycle(names)

        def act() -> None:
            with connection.cursor() as cursor:
                cursor.execute(f"select person_id, trace_id from {function}(%s)", [next(turns)])
                assert cursor.fetchall()

        return act

    step = max(1, traces // 50)
    with connection.cursor() as cursor:
        cursor.execute("select 'ans-' || md5(n::text) from generate_series(1, %s, %s) n", [traces, step])
        answers = [one for (one,) in cursor.fetchall()]
    staff, sought = Staff(uuid4(), frozenset({"support"})), cycle(answers)

    def at_the_desk() -> None:
        assert find(next(sought), staff=staff)

    sessions = [f"session-{number}" for number in range(0, traces // 10, max(1, traces // 500))]
    cases = [
        (f"answer's page, {CANDIDATES} candidates", page, MOST_PAGE_MS),
        ("finding an answer by its id", found_by("traces_of_answer", answers), MOST_SEARCH_MS),
        ("finding a session's answers", found_by("traces_of_session", sessions), MOST_SEARCH_MS),
        ("the desk's search by an answer's id", at_the_desk, MOST_SEARCH_MS),
        ("an agent's own answer", lambda: read_answer(answers[7], actor=agent), MOST_SEARCH_MS),
        ("a person's list of answers", lambda: theirs.get("/answers/"), MOST_PAGE_MS),
        ("a person's list, searched", lambda: theirs.get("/answers/?q=question"), MOST_PAGE_MS),
    ]
    found = []
    for what, act, most in cases:
        times = _times(act)
        print(f"{what}: median {median(times):.1f} ms, p95 {quantiles(times, n=20)[-1]:.1f} ms")
        found.append(Target(f"{what}: median ms", median(times), most))
    print(verdicts(found))
    return 0 if all(one.holds for one in found) else 1


def _trace_of_many(ada: Any) -> UUID:
    from memoryapp.services.proposal import Proposal
    from memoryapp.services.propose import propose
    from memoryapp.services.recall import ContextRequest, recall

    said = [f"Atlas keeps table {number} of its database on disk {number % 7}." for number in range(CANDIDATES)]
    proposals = [
        Proposal(text=text, kind="fact", subject=f"table {number}", scope="atlas", source=text)
        for number, text in enumerate(said)
    ]
    for start in range(0, len(proposals), 100):
        propose(proposals[start : start + 100], actor=ada)
    sent = recall(ContextRequest(scopes=("atlas",), query="Which tables are in the database?", limit=60), actor=ada)
    return UUID(sent["trace_id"])


def _load(loader: "Connection[Any]", key_id: UUID, traces: int) -> None:
    bounds = {"now_ms": int(datetime.now(UTC).timestamp() * 1000), "span_ms": _YEAR_MS}
    with loader.transaction():
        loader.execute("set local session_replication_role = replica")
        loader.execute("set local synchronous_commit = off")
        loader.execute(_ID.format(**bounds))
        for statement in (_PEOPLE, _TRACES, _ANSWERS):
            loader.execute(statement.format(persons=PERSONS, traces=traces), {"key": key_id})
    loader.execute("vacuum (analyze) memoryapp_retrievaltrace")
    loader.execute("vacuum (analyze) memoryapp_answer")


def _times(act: Callable[[], Any]) -> list[float]:
    """Milliseconds of 40 calls, after five that warm up."""
    times = []
    for number in range(45):
        began = time.perf_counter()
        act()
        if number >= 5:
            times.append((time.perf_counter() - began) * 1000)
    return times


if __name__ == "__main__":
    sys.exit(main())
