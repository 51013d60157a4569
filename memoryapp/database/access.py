"""Gives a command its database: the configured server after a look at it, or the embedded one."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from memoryapp.database.embedded import EmbeddedServer, wait_until_answers
from memoryapp.database.folders import make_data_folder
from memoryapp.database.lock import DataLock
from memoryapp.database.paths import Paths
from memoryapp.refusal import Refused

_OWNED = "MEMORY_EMBEDDED_OWNED"
"""Names the data folder whose server a parent process runs, so that its children just connect."""


@contextmanager
def embedded_access(paths: Paths, *, fsync: bool = True) -> Iterator[bool]:
    """The embedded server for the time of the block; the value tells whether its database is new and empty.

    Beside a running `up` it is up's; else a child of ours, stopped at the end. Another command's is waited for.
    """
    if os.environ.get(_OWNED) == str(paths.data):
        yield False
        return
    make_data_folder(paths)
    with open_lock(paths) as lock:
        if not _take(lock):
            wait_until_answers(paths)
            yield False
            return
        with EmbeddedServer(paths, fsync=fsync) as server, owning(paths):
            yield server.is_new


@contextmanager
def owning(paths: Paths) -> Iterator[None]:
    """Tells the processes that are started within the block that the server is ours."""
    former = os.environ.get(_OWNED)
    os.environ[_OWNED] = str(paths.data)
    try:
        yield
    finally:
        if former is None:
            del os.environ[_OWNED]
        else:
            os.environ[_OWNED] = former


def open_lock(paths: Paths) -> DataLock:
    if not os.access(paths.data, os.W_OK | os.X_OK):
        raise Refused(f"The data folder {paths.data} may not be written by you.")
    return DataLock(paths.lock)


def _take(lock: DataLock) -> bool:
    """True when the lock is ours; False when `up` has it."""
    told = False
    while not lock.take("command"):
        holder = lock.held_by()
        if holder and holder[0] == "up":
            return False
        if holder and not told:
            sys.stderr.write(f"Waiting for process {holder[1]}, which has the embedded database open.\n")
            told = True
        time.sleep(0.1)
    return True
