"""What is stored."""

from memoryapp.models.access import Grant, Reveal, StaffProposal
from memoryapp.models.audit import AuditCheckpoint, AuditEvent, AuditHead, IdempotencyRecord
from memoryapp.models.bulk import BulkRun
from memoryapp.models.dispute import Dispute
from memoryapp.models.episode import Episode
from memoryapp.models.ledger import LedgerLine
from memoryapp.models.memory import Confirmation, Decision, Memory, MemoryVersion, Tombstone
from memoryapp.models.receipt import Receipt
from memoryapp.models.report import Report
from memoryapp.models.retention import Retention
from memoryapp.models.search import ScopeWord, SearchEntry, TextVector
from memoryapp.models.trace import Answer, RetrievalTrace
from memoryapp.models.upload import Upload

__all__ = [
    "Answer",
    "AuditCheckpoint",
    "AuditEvent",
    "AuditHead",
    "BulkRun",
    "Confirmation",
    "Decision",
    "Dispute",
    "Episode",
    "Grant",
    "IdempotencyRecord",
    "LedgerLine",
    "Memory",
    "MemoryVersion",
    "Receipt",
    "Report",
    "Retention",
    "RetrievalTrace",
    "Reveal",
    "ScopeWord",
    "SearchEntry",
    "StaffProposal",
    "TextVector",
    "Tombstone",
    "Upload",
]
