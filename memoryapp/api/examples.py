"""Requests and answers as the OpenAPI description shows them: one story, Ada and her units."""

from typing import Any

MEMORY_ID = "019f3a52-7c1e-7d30-8a11-5f2b9c0d4e61"
TRACE_ID = "019f3a53-02aa-7b11-9c40-1d2e3f405162"
_TIME = "2026-03-01T09:30:00Z"

MEMORY: dict[str, Any] = {
    "id": MEMORY_ID,
    "version": 2,
    "user": "ada",
    "scope": "personal",
    "kind": "preference",
    "subject": "units",
    "key": "preference|units",
    "text": "Ada prefers metric units.",
    "source": "Please use metric from now on.",
    "session": "s-7",
    "turn": 7,
    "occurred_at": _TIME,
    "seen": 1,
    "origin": "stated",
    "importance": None,
    "reason": None,
    "aliases": [],
    "pinned": False,
    "disputed": False,
    "status": "current",
    "pending_rule": None,
    "valid_from": _TIME,
    "valid_to": None,
    "created_at": "2026-02-01T08:00:00Z",
    "confirmed_at": _TIME,
    "last_used_at": None,
    "use_count": 0,
    "expires_at": None,
    "metadata": {},
}
DISPUTE = {"text": "I like both, it depends on the recipe."}
DISPUTED = MEMORY | {"disputed": True}
CANDIDATE = {
    "kind": "preference",
    "subject": "units",
    "text": "Ada prefers metric units.",
    "source": "Please use metric from now on.",
    "session": "s-7",
    "turn": 7,
}
PROPOSAL = {"user": "ada", **CANDIDATE}
SUPERSEDED = {
    "action": "superseded",
    "rule": "slot_changed",
    "detail": "Another value stood here; it is history now.",
    "memory": MEMORY,
    "previous": {"version": 1, "text": "Ada prefers imperial units.", "valid_to": _TIME},
}
REJECTED = {
    "action": "rejected",
    "rule": "not_durable",
    "detail": "Only preferences, facts, decisions and identifiers are kept.",
    "memory": None,
    "previous": None,
}
BATCH = {"user": "ada", "session": "s-7", "candidates": [CANDIDATE]}
BATCH_RESULT = {"results": [{"index": 0, **SUPERSEDED}]}
PAGE = {"count": 1, "results": [MEMORY], "next_cursor": None}
CORRECTION = {"text": "Ada prefers metric units, and Celsius."}
FORGOTTEN = {
    "id": MEMORY_ID,
    "status": "forgotten",
    "restorable_until": "2026-03-31T09:30:00Z",
    "tombstone": False,
}
HISTORY = {
    "results": [
        {
            "version": 2,
            "action": "superseded",
            "rule": "slot_changed",
            "text": "Ada prefers metric units.",
            "source": "Please use metric from now on.",
            "origin": "stated",
            "turn": 7,
            "valid_from": _TIME,
            "valid_to": None,
            "recorded_at": _TIME,
            "actor": "bot",
        }
    ],
    "next_cursor": None,
}
SUBJECTS = {
    "results": [{"scope": "personal", "kind": "preference", "subject": "units", "status": "current"}],
    "next_cursor": None,
}
SCOPES = {
    "learning": True,
    "use": True,
    "results": [
        {"scope": "personal", "learning": True, "use": True, "current": 1, "pending": 0, "paused": 0, "stale": 0}
    ],
}
ME = {
    "name": "bot",
    "kind": "service",
    "namespace": "default",
    "user": None,
    "can_write": True,
    "scopes": None,
    "expires_at": None,
}
ASK = {"user": "ada", "scope": "atlas", "query": "Which units should the report use?", "budget_tokens": 800}
_COUNTS = {
    "withheld": {
        "below_floor": 3, "over_limit": 0, "over_budget": 0, "replaced": 0, "duplicate": 0, "paused": 1, "stale": 0,
    },
    "used": {"tokens": 41, "chars": 152},
    "budget": {"tokens": 800},
    "floor": 0.3,
    "notice": None,
}  # fmt: skip
_BLOCK = "…the block for the prompt…"
CONTEXT = {
    "trace_id": TRACE_ID,
    "context": _BLOCK,
    "memories": [
        {
            "id": MEMORY_ID,
            "version": 2,
            "kind": "preference",
            "subject": "units",
            "key": "preference|units",
            "text": "Ada prefers metric units.",
            "scope": "personal",
            "relevance": None,
            "why": "always_on",
            "confirmed_at": _TIME,
        }
    ],
    **_COUNTS,
}
TRACE = {
    "id": TRACE_ID,
    "created_at": _TIME,
    "agent": "bot",
    "user": "ada",
    "scopes": ["atlas"],
    "query": "Which units should the report use?",
    "as_of": None,
    "policy_version": "1",
    "scorer": "lexical",
    "considered": [
        {
            "id": MEMORY_ID,
            "version": 2,
            "key": "preference|units",
            "text": "Ada prefers metric units.",
            "relevance": None,
            "parts": {},
            "verdict": "included",
        }
    ],
    "context": _BLOCK,
    "answer": {"answer_id": "answer-31", "model": "some-model"},
    **_COUNTS,
}
JOIN = {"answer_id": "answer-31", "model": "some-model"}
JOINED = {"trace_id": TRACE_ID, **JOIN}
ANSWER = {"answer_id": "answer-31", "traces": [TRACE]}
EPISODES = {
    "user": "ada",
    "session": "s-7",
    "turns": [
        {"turn": 7, "role": "user", "content": "Please use metric from now on."},
        {"turn": 8, "role": "assistant", "content": "Metric it is."},
    ],
}
STORED = {"stored": 2, "known": 0, "decisions": None, "job": None}
LINK_REQUEST = {"user": "ada"}
LINK = {"url": "https://memory.example.org/sign-in/link/" + "x" * 43, "expires_at": _TIME}
RECEIPT_ID = "019f3a54-1111-7c22-8d33-6e44f5506172"
ERASING = {"receipt_id": RECEIPT_ID}
RECEIPT = {
    "id": RECEIPT_ID,
    "status": "done",
    "requested_at": _TIME,
    "done_at": _TIME,
    "counted": {"memories": 12, "versions": 15},
    "erased": {"memories": 12, "versions": 15},
    "verified_left": {"memories": 0, "versions": 0},
    "backups_until": "2026-03-31T09:30:00Z",
}
EXPORT = {
    "format": "memory-export",
    "version": 1,
    "exported_at": _TIME,
    "person": {"id": "019f3a54-2222-7c22-8d33-6e44f5506172", "namespace": "default", "external_id": "ada"},
    "memories": [],
    "signature": {"algorithm": "HMAC-SHA256", "key": "0123456789abcdef", "value": "0" * 64},
}
IMPORT = [
    {
        "id": "7c1d9a50-5a3e-4c0e-9f52-0b9c1f6f7d11",
        "memory": "Likes hiking in the Alps.",
        "user_id": "ada",
        "metadata": {"category": "hobbies"},
        "created_at": "2025-05-01T09:30:00Z",
        "updated_at": None,
    }
]
IMPORTED = {
    "dry_run": False,
    "source": "mem0",
    "exported_at": None,
    "same_person": False,
    "total": 3,
    "new": 0,
    "pending": 1,
    "same": 1,
    "refused": {"secret": 1},
    "messages": {"new": 0, "same": 0, "refused": {}},
    "do_not_learn": {"new": 0, "same": 0, "refused": {}},
}
