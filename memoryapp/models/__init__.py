"""What is stored."""

from memoryapp.models.audit import AuditEvent, AuditHead, IdempotencyRecord
from memoryapp.models.bulk import BulkRun
from memoryapp.models.episode import Episode
from memoryapp.models.memory import Confirmation, Decision, Memory, MemoryVersion, Tombstone
from memoryapp.models.receipt import Receipt
from memoryapp.models.search import ScopeWord, SearchEntry
from memoryapp.models.trace import Answer, RetrievalTrace

__all__ = [
    "Answer",
    "AuditEvent",
    "AuditHead",
    "BulkRun",
    "Confirmation",
    "Decision",
    "Episode",
    "IdempotencyRecord",
    "Memory",
    "MemoryVersion",
    "Receipt",
    "RetrievalTrace",
    "ScopeWord",
    "SearchEntry",
    "Tombstone",
]
