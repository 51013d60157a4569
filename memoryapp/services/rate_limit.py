"""How many calls a key has made in the running minute, counted exactly over all workers."""

from uuid import UUID

from django.conf import settings
from django.db import connection

_COUNT = """
insert into accounts_ratewindow as kept (agent_key_id, minute, calls)
values (%s, floor(extract(epoch from statement_timestamp()) / 60), 1)
on conflict (agent_key_id) do update set
    calls = case when kept.minute >= excluded.minute then kept.calls + 1 else 1 end,
    minute = greatest(kept.minute, excluded.minute)
returning calls, ceil(60 - extract(second from statement_timestamp()))::int
"""


def count_call(key_id: UUID) -> int | None:
    """Counts one call of the key. Returns the seconds to wait when it was one too many, else None.

    Calls are counted per minute of the database's clock, refused ones too; without a limit nothing is counted.
    """
    limit = settings.MEMORY_RATE_LIMIT_PER_MINUTE
    if not limit:
        return None
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [key_id])
        calls, seconds_left = cursor.fetchone()
    return max(1, seconds_left) if calls > limit else None
