"""Whether a connection out of the pool still has its server."""

import select
from typing import Any

from psycopg import Connection
from psycopg_pool import ConnectionPool


def check(connection: Connection[Any]) -> None:
    """Raises a psycopg error when the server is gone.

    Nothing was asked, so what there is to read is the server's farewell, or the end of the connection. Only then it is
    asked: the question would cost each call a way to the server and back.
    """
    waiting = select.poll()
    waiting.register(connection.fileno(), select.POLLIN)
    if waiting.poll(0):
        ConnectionPool.check_connection(connection)
