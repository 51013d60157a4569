"""What could open a session now: found without its words, which are read for what may be sent."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import connection

from memoryapp.models.memory import State
from memoryapp.policy.retrieval import FREQUENT, FREQUENT_MIN_USES, OF_SCOPE, RECENT, Remembered, may_open
from memoryapp.services.offer import Ask, Head, Offer, as_found, from_head
from memoryapp.services.search import SHOWN

# The scopes are looked at once. What an earlier sort takes is not free for a later one, so each has room for those
# before it. The columns are those of `Head`; `least` passes over what is null.
_STANDING = """
with valid as materialized (
    select id, version, kind, scope_id, '' as subject, subject_key, '' as text, pinned, importance, seen, confirmed_at,
        use_count, state
    from memoryapp_memory
    where person_id = %(person)s and scope_id = any(%(scopes)s) and state in ('current', 'paused', 'stale')
        and not disputed and valid_from <= %(now)s and coalesce(least(valid_to, expires_at), 'infinity') > %(now)s
        and (%(kinds)s::text[] is null or kind = any(%(kinds)s))
), standing as materialized (
    select * from valid where state = 'current'
)
select *, (select count(*) from standing) from (
    select * from valid where kind = 'preference' or pinned
    union
    (select * from standing where use_count >= %(often)s order by use_count desc, confirmed_at desc, id limit %(used)s)
    union
    (select * from standing order by confirmed_at desc, id limit %(latest)s)
    union
    (select * from standing where scope_id = any(%(named)s) order by confirmed_at desc, id limit %(of_scope)s)
) listed order by id
"""


def remembered_now(ask: Ask, at: datetime) -> tuple[list[Remembered], Offer]:
    """What stands now and could open a session: the always-on ones, the latest, the most used, the latest by scope.

    `at` is the instant from which the session's start counts back. Only what it may send has its words (with
    `with_texts`, what is shown as well).
    """
    rows = _standing(ask)
    offer, remembered = Offer(), []
    for *columns, uses, state, _ in rows:
        head = Head(*columns)
        if state == State.CURRENT:
            remembered.append(Remembered(from_head(head, ask), uses))
        else:
            offer.withhold(head.pk, head.version, state)
    offer.unlisted = rows[0][-1] - len(remembered) if rows else 0
    return _with_words(remembered, ask, at), offer


def _standing(ask: Ask) -> list[tuple[Any, ...]]:
    wanted: dict[str, Any] = {
        "person": ask.person_id,
        "scopes": [scope.pk for scope in ask.scopes],
        "named": [scope.pk for scope in ask.scopes if scope.name in ask.named],
        "now": ask.now,
        "kinds": None if ask.kinds is None else list(ask.kinds),
        "often": FREQUENT_MIN_USES,
        "used": FREQUENT + RECENT,
        "latest": SHOWN,
        "of_scope": OF_SCOPE + FREQUENT + RECENT,
    }
    with connection.cursor() as cursor:
        cursor.execute(_STANDING, wanted)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
    return rows


def _with_words(remembered: Sequence[Remembered], ask: Ask, at: datetime) -> list[Remembered]:
    while True:
        needed = may_open(remembered, scopes=ask.named, now=at, shown=SHOWN if ask.with_texts else 0)
        found = as_found([(one.memory_id, one.version) for one in needed])
        # What may not be sent any more makes room for another.
        if None not in found.values():
            break
        remembered = [one for one in remembered if found.get(one.offered.memory_id, one)]
    heads = {pk: head for pk, head in found.items() if head}
    return [
        replace(one, offered=one.offered._replace(subject=head.subject, text=head.text)) if head else one
        for one in remembered
        for head in [heads.get(one.offered.memory_id)]
    ]
