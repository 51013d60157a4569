import argparse
import os
import signal
import sys
import time
from contextlib import ExitStack
from secrets import token_hex

from tests.bench.clients import Crowd
from tests.bench.measure import measure_many_clients, measure_one_client
from tests.bench.pages import MEMORIES, Browser, make_reader, measure_pages, pages_table, pages_targets
from tests.bench.report import Target, table, targets, verdicts
from tests.bench.service import Server, server, service
from tests.bench.statements import Speech
from tests.bench.store import load, people_of
from tests.bench.subject import Subject, make_subject, warm_up

_SIZES = (10_000, 100_000)
_MILLION = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description="Measures the service at the size of real stores.")
    parser.add_argument("--million", action="store_true", help="a store of 1,000,000 memories too (some minutes more)")
    parser.add_argument("--pages", action="store_true", help="only the pages of a person with 10,000 memories")
    options = parser.parse_args()
    sizes = [*_SIZES, *([_MILLION] if options.million else [])]
    # So that `finally` is reached and the data goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    with ExitStack() as stack:
        place = stack.enter_context(server())
        pages = measure_pages(_reader(place, stack))
        if options.pages:
            return _verdict(pages_table(pages), list(pages_targets(pages)))
        speech = Speech()
        subjects = [_subject(memories, place, speech, stack) for memories in sizes]
        crowd = Crowd()
        stack.callback(crowd.close)
        _say("Measuring ...")
        for subject in subjects:
            warm_up(subject)
        measure_one_client(subjects)
        measure_many_clients(subjects, crowd)
    print(f"\n{os.cpu_count()} cores, {time.monotonic() - began:.0f} s; many clients are processes of their own\n")
    return _verdict(f"{table(subjects)}\n\n{pages_table(pages)}", [*targets(subjects), *pages_targets(pages)])


def _verdict(tables: str, found: list[Target]) -> int:
    print(tables, verdicts(found), sep="\n\n")
    return 0 if all(target.holds for target in found) else 1


def _reader(place: Server, stack: ExitStack) -> Browser:
    _say(f"Making a person with {MEMORIES:,} memories ...")
    name = stack.enter_context(place.database(f"memory_bench_pages_{token_hex(3)}"))
    served = stack.enter_context(service(place.url(name)))
    return make_reader(served, stack.enter_context(place.connect(name)))


def _subject(memories: int, place: Server, speech: Speech, stack: ExitStack) -> Subject:
    """The service comes before the data: `up` makes the tables."""
    _say(f"Making a store of {memories:,} memories ...")
    name = stack.enter_context(place.database(f"memory_bench_{memories}_{token_hex(3)}"))
    served = stack.enter_context(service(place.url(name)))
    by_words = stack.enter_context(service(place.url(name), MEMORY_SCORER="lexical"))
    people = people_of(memories)
    with place.connect(name, as_loader=True) as connection:
        load(connection, people, speech.statements)
    return make_subject(memories, people, speech, (served, by_words), stack.enter_context(place.connect(name)))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
