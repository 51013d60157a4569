"""Runs the whole service: the database, its migrations, the demo people and the web server, and watches over it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, CommandParser
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper

from accounts.actors import Actor
from accounts.models import DEFAULT_NAMESPACE, AgentKey, User
from memoryapp.database.access import open_lock, owning
from memoryapp.database.embedded import EmbeddedServer
from memoryapp.database.folders import make_data_folder
from memoryapp.database.server import require_usable
from memoryapp.database.url import psycopg_parameters
from memoryapp.management.command import OwnCommand
from memoryapp.process import END_WITH_PARENT, end_with_parent
from memoryapp.refusal import Refused
from memoryapp.services import reindexing
from memoryapp.services.keys import create_key
from memoryapp.services.links import make_link
from memoryapp.services.maintain import maintain
from memoryapp.serving import WebServer, require_free
from memoryapp.watching import Part, Stopped, stopping_on_signals, watch

DEMO_KEY, DEMO_PERSON = "demo", "ada"
COMMAND_SECONDS = 15.0
"""How long a single command that has the database open is waited for."""

_MIGRATION_LOCK = 7_018_221_431


class Command(OwnCommand):
    help = "Runs the service: database, migrations, demo data and web server, until Ctrl-C or SIGTERM."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (8000)")
        parser.add_argument("--workers", type=int, default=2, help="worker processes (2)")
        parser.add_argument("--no-demo", action="store_true", help="load no demo people and make no demo key")

    def handle(self, *args: Any, **options: Any) -> None:
        if not 1 <= options["port"] <= 65_535:
            raise CommandError("--port must be from 1 to 65535.")
        if not 1 <= options["workers"] <= 64:
            raise CommandError("--workers must be from 1 to 64.")
        if os.environ.get(END_WITH_PARENT):
            end_with_parent(signal.SIGTERM)
        try:
            with stopping_on_signals() as is_asked_to_stop:
                self._run(is_asked_to_stop, options)
        except Stopped:
            self._say("Stopped.")

    def _run(self, is_asked_to_stop: Callable[[], bool], options: dict[str, Any]) -> None:
        host, port, workers, demo = options["host"], options["port"], options["workers"], not options["no_demo"]
        with _sole_owner() if settings.MEMORY_USES_EMBEDDED else TemporaryDirectory(prefix="memory-") as state:
            web = WebServer(base=settings.BASE_DIR, state=Path(state), host=host, port=port, workers=workers)
            web.end_former()
            require_free(host, port)
            with self._database(workers) as parts:
                is_behind = self._prepare(demo=demo)
                try:
                    self._say(f"Starting {workers} web worker{'s' * (workers > 1)} …")
                    web.start()
                    self._greet(web.url, demo=demo)
                    if is_behind:
                        _maintain()
                    watch(
                        [*parts, Part("The web server", web.has_ended, lambda: _again(web))],
                        self._say,
                        is_asked_to_stop,
                        _maintain,
                    )
                except Stopped:
                    self._say("\nStopping …")
                    raise
                finally:
                    web.stop()

    @contextmanager
    def _database(self, workers: int) -> Iterator[list[Part]]:
        """The parts to watch, once the database answers."""
        if not settings.MEMORY_USES_EMBEDDED:
            self._say("Looking at the server of DATABASE_URL …")
            require_usable(psycopg_parameters(settings.DATABASES["default"]))
            yield []
            return
        self._say(f"Starting the database in {settings.MEMORY_PATHS.data} …")
        connections = max(100, workers * settings.MEMORY_POOL_SIZE + 20)
        with (
            EmbeddedServer(settings.MEMORY_PATHS, max_connections=connections) as server,
            owning(settings.MEMORY_PATHS),
        ):
            yield [Part("The database", server.has_ended, server.restart)]

    def _prepare(self, *, demo: bool) -> bool:
        """Whether something is left that an upgrade has to make anew: `maintain` does it, while the service runs."""
        self._say("Bringing its tables up to date …")
        with psycopg.connect(**psycopg_parameters(settings.DATABASES["default"]), autocommit=True) as guard:
            guard.execute("SELECT pg_advisory_lock(%s)", [_MIGRATION_LOCK])
            call_command("migrate", verbosity=0, interactive=False)
            if demo:
                self._say("Looking after the demo people …")
                call_command("load_demo")
        maintain()
        is_behind = reindexing.is_due()
        _leave_database()
        return is_behind

    def _greet(self, url: str, *, demo: bool) -> None:
        python = os.path.relpath(sys.executable)
        create = f"{sys.executable if python.startswith('..') else python} manage.py create_key NAME"
        shown = "$MEMORY_KEY"
        lines = [f"\nMemory is running at {url}\n"]
        if demo and not AgentKey.objects.filter(name=DEMO_KEY).exists():
            shown = create_key(DEMO_KEY, actor=Actor("system"))[1]
            lines += ["A service key, shown this once:\n", f"  {shown}\n"]
        else:
            lines += [f"A key is shown only once. Another one: {create}\n"]
        if demo and (path := _link_to_demo_page()):
            lines += ["Ada's own page, for whoever opens this first, once, within 15 minutes:\n", f"  {url}{path}\n"]
        if demo:
            lines += [
                f"The support desk: sign in at {url}/sign-in as sol@example.org (support) or",
                "vis@example.org (supervisor); the code is written here. Then add a second step, as the desk says.\n",
            ]
        _leave_database()
        lines += [
            "Ask what an assistant should know about Ada:\n",
            f"  curl -s {url}/api/v1/context \\",
            f'    -H "Authorization: Bearer {shown}" \\',
            '    -H "Content-Type: application/json" \\',
            """    -d '{"user": "ada", "query": "Which units should I use?"}'\n""",
            "Ctrl-C stops everything.",
        ]
        self._say("\n".join(lines))

    def _say(self, line: str) -> None:
        """A reader that went away is no reason to stop."""
        with suppress(OSError):
            self.stdout.write(line)
            self.stdout.flush()


@contextmanager
def _sole_owner() -> Iterator[Path]:
    """Holds the lock of the data folder, which is the value. Waits a little for a single command, but for no `up`."""
    paths = settings.MEMORY_PATHS
    make_data_folder(paths)
    until = time.monotonic() + COMMAND_SECONDS
    with open_lock(paths) as lock:
        while not lock.take("up"):
            holder = lock.held_by()
            if holder and (holder[0] == "up" or time.monotonic() > until):
                doing = "is running with it already" if holder[0] == "up" else "has its database open"
                raise Refused(f"The data folder {paths.data} is in use: process {holder[1]} {doing}.")
            time.sleep(0.1)
        yield paths.data


def _link_to_demo_page() -> str | None:
    ada = User.objects.filter(namespace=DEFAULT_NAMESPACE, external_id=DEMO_PERSON).first()
    return make_link(ada, actor=Actor("system")).path if ada else None


def _leave_database() -> None:
    """Ends the pool and its threads: children are forked while no other thread runs."""
    connection = cast(DatabaseWrapper, connections["default"])
    connection.close()
    connection.close_pool()


def _maintain() -> None:
    """In a process of its own: it may take a while, and this one has children to watch."""
    subprocess.Popen([sys.executable, sys.argv[0], "maintain"], stdin=subprocess.DEVNULL)


def _again(web: WebServer) -> None:
    web.stop()
    web.start()
