"""The record of one retrieval, and the answers joined to it."""

from django.contrib.postgres.fields import ArrayField
from django.db import models

from accounts.ids import uuid7
from accounts.models import AgentKey
from memoryapp.models.personal import Personal, PersonalManager, append_only


class RetrievalTrace(Personal):
    """One retrieval: its settings and every offered memory's version, scores and verdict, without any memory text.

    Partitioned by month of `created_at`, which is the instant in the id, so that an id alone finds its partition.
    `items` is JSON text, a list in rank order of the 200 best: it is written as a whole and read as a whole, and
    plain text spares the database its parsing. `counts` covers all that was offered; it also names the `kinds` that
    were asked for and what was `held` back as paused or stale, each as id, version and state.
    """

    pk = models.CompositePrimaryKey("id", "created_at")
    id = models.UUIDField(default=uuid7, editable=False)
    created_at = models.DateTimeField(editable=False)
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, null=True, db_index=False, related_name="+")
    scopes = ArrayField(models.CharField(max_length=128))
    query = models.TextField(null=True)
    session = models.CharField(max_length=256, null=True)
    agent_request_id = models.CharField(max_length=256, null=True)
    as_of = models.DateTimeField(null=True)
    floor = models.FloatField()
    budget = models.JSONField()
    policy_version = models.CharField(max_length=16)
    scorer = models.CharField(max_length=32)
    notice = models.CharField(max_length=32, null=True)
    items = models.TextField()
    counts = models.JSONField()

    objects = PersonalManager()

    class Meta:
        indexes = [
            models.Index("person", "created_at", name="trace_by_person"),
            models.Index("session", condition=models.Q(session__isnull=False), name="trace_by_session"),
        ]
        triggers = append_only()


class Answer(Personal):
    """What an agent said with the context of one trace. An answer may rest on several traces."""

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    agent_key = models.ForeignKey(AgentKey, models.PROTECT, db_index=False, related_name="+")
    answer_id = models.CharField(max_length=256)
    trace_id = models.UUIDField()
    model = models.CharField(max_length=256, null=True)
    text = models.TextField(null=True)
    recorded_at = models.DateTimeField()

    objects = PersonalManager()

    class Meta:
        indexes = [
            models.Index("agent_key", "answer_id", name="answer_by_agents_id"),
            models.Index("answer_id", name="answer_by_name"),
        ]
        constraints = [models.UniqueConstraint("trace_id", name="answer_one_per_trace")]
        triggers = append_only()
