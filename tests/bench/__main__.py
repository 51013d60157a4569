import argparse
import os
import signal
import sys
import time
from contextlib import ExitStack
from secrets import token_hex

from tests.bench.clients import Crowd
from tests.bench.measure import measure_many_clients, measure_one_client
from tests.bench.report import table, targets, verdicts
from tests.bench.service import Server, server, service
from tests.bench.statements import Speech
from tests.bench.store import load, people_of
from tests.bench.subject import Subject, make_subject, warm_up

_SIZES = (10_000, 100_000)
_MILLION = 1_000_000


def main() -> int:
    parser = argparse.ArgumentParser(prog="make bench", description="Measures the service at the size of real stores.")
    parser.add_argument("--million", action="store_true", help="a store of 1,000,000 memories too (some minutes more)")
    sizes = [*_SIZES, *([_MILLION] if parser.parse_args().million else [])]
    # So that `finally` is reached and the data goes.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    began = time.monotonic()
    with ExitStack() as stack:
        place = stack.enter_context(server())
        speech = Speech()
        subjects = [_subject(memories, place, speech, stack) for memories in sizes]
        crowd = Crowd()
        stack.callback(crowd.close)
        _say("Measuring ...")
        for subject in subjects:
            warm_up(subject)
        measure_one_client(subjects)
        measure_many_clients(subjects, crowd)
    found = list(targets(subjects))
    print(f"\n{os.cpu_count()} cores, {time.monotonic() - began:.0f} s; many clients are processes of their own\n")
    print(table(subjects), verdicts(found), sep="\n\n")
    return 0 if all(target.holds for target in found) else 1


def _subject(memories: int, place: Server, speech: Speech, stack: ExitStack) -> Subject:
    """The service comes before the data: `up` makes the tables."""
    _say(f"Making a store of {memories:,} memories ...")
    name = stack.enter_context(place.database(f"memory_bench_{memories}_{token_hex(3)}"))
    served = stack.enter_context(service(place.url(name)))
    people = people_of(memories)
    with place.connect(name, as_loader=True) as connection:
        load(connection, people, speech.statements)
    return make_subject(people, speech, served, stack.enter_context(place.connect(name)))


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
