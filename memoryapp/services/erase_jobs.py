"""Who does the work of an erasure: the process that took the request, or the next one that starts."""

import logging
import threading

from django.db import connection, transaction

from memoryapp.services.erase_person import running, work_off

log = logging.getLogger(__name__)


def work_soon() -> None:
    """Works off what there is, in a thread, once the caller's transaction is committed."""
    transaction.on_commit(start)


def start() -> threading.Thread:
    """A worker calls it when it begins: so an erasure that a crash has interrupted goes on."""
    thread = threading.Thread(target=_run, name="erasing", daemon=True)
    thread.start()
    return thread


def work_now() -> None:
    """All that is not done. One that fails does not hold up the others; it is tried again another time."""
    for receipt_id in running():
        try:
            work_off(receipt_id)
        except Exception:
            log.exception("An erasure stopped; it goes on at the next start or tomorrow.")


def _run() -> None:
    try:
        work_now()
    except Exception:
        log.exception("Erasures could not be looked for.")
    finally:
        connection.close()
