"""Holding the database against the ledger: what a restored backup brought back is erased again."""

from collections import defaultdict
from itertools import batched
from uuid import UUID

from accounts.models import User
from memoryapp.database.isolation import wide_access
from memoryapp.models import Memory
from memoryapp.services import erase_ledger
from memoryapp.services.erase import erase_again
from memoryapp.services.erase_jobs import work_now
from memoryapp.services.erase_person import begin_again
from memoryapp.services.since_replay import replay_since

_AT_ONCE = 500


def replay_ledger() -> int:
    """How much had to be done again; 0 where no backup was restored. Before anybody is served."""
    entries = list(erase_ledger.read())
    again = 0
    for some in batched((entry for entry in entries if entry.what == "person"), _AT_ONCE):
        back = set(User.objects.filter(pk__in=[entry.id for entry in some]).values_list("pk", flat=True))
        again += sum(begin_again(entry) for entry in some if entry.id in back)
    if again:
        work_now()
    memories: dict[UUID, list[UUID]] = defaultdict(list)
    with wide_access("ledger"):
        for some in batched((entry for entry in entries if entry.what == "memory"), _AT_ONCE):
            rows = Memory.objects.filter(pk__in=[entry.id for entry in some])
            for person_id, memory_id in rows.values_list("person_id", "pk"):
                memories[person_id].append(memory_id)
    for person_id, memory_ids in memories.items():
        erase_again(person_id, memory_ids)
    return again + sum(map(len, memories.values())) + replay_since()
