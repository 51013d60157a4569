"""What else rests on the messages of all memories that match: the look at thousands of them at once."""

from django.core.exceptions import EmptyResultSet
from django.db import connection
from django.db.models import QuerySet

from accounts.actors import Actor
from memoryapp.models import Memory
from memoryapp.services.messages import Resting

# As `messages.resting_on`, for memories that a query names, in one look at each table's rows of the person.
_RESTING = """
with chosen (id) as materialized ({chosen}),
said as materialized (
    select version.memory_id, said.session, said.turn
    from memoryapp_confirmation said join memoryapp_memoryversion version on version.id = said.version_id
    where said.person_id = %s and version.person_id = %s and said.session is not null and said.turn is not null
),
turned as materialized (select distinct session, turn from said where memory_id in (select id from chosen)),
touched as (
    select memory_id from said join turned using (session, turn) where memory_id not in (select id from chosen)
)
select memory.id, not exists (
    select from memoryapp_confirmation said
    where said.version_id = memory.statement_id and not said.message_erased and (
        said.session is null or said.turn is null
        or (said.session, said.turn) not in (select session, turn from turned)
    )
)
from memoryapp_memory memory
where memory.person_id = %s and memory.state <> 'forgotten' and memory.id in (select memory_id from touched)
order by memory.id
"""


def resting_with_all(chosen: QuerySet[Memory], *, actor: Actor) -> Resting:
    """What of the person's rests on the messages of the chosen memories, without these; while the person is open."""
    try:
        sql, parameters = chosen.order_by().values_list("pk").query.sql_with_params()
    except EmptyResultSet:  # Known without asking, as of what is new on the first visit.
        return Resting()
    with connection.cursor() as cursor:
        # The planner expects a handful of one person's rows and would go through thousands one by one, for seconds.
        cursor.execute("set local enable_nestloop = off")
        cursor.execute(_RESTING.format(chosen=sql), [*parameters, *[actor.opened] * 3])
        rows = cursor.fetchall()
        cursor.execute("set local enable_nestloop = on")
    return Resting.of(rows)
