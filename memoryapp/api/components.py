"""What the API answers, as JSON schemas that the OpenAPI description names."""

from typing import Any

from memoryapp.api.fields import JsonSchema

_TEXT: JsonSchema = {"type": "string"}
_MAYBE_TEXT: JsonSchema = {"type": ["string", "null"]}
_ID: JsonSchema = {"type": "string", "format": "uuid"}
_TIME: JsonSchema = {"type": "string", "format": "date-time"}
_MAYBE_TIME: JsonSchema = {"type": ["string", "null"], "format": "date-time"}
_COUNT: JsonSchema = {"type": "integer", "minimum": 0}
_MAYBE_WHOLE: JsonSchema = {"type": ["integer", "null"]}
_MAYBE_NUMBER: JsonSchema = {"type": ["number", "null"]}
_FLAG: JsonSchema = {"type": "boolean"}
_COUNTS: JsonSchema = {"type": "object", "additionalProperties": _COUNT}
_OBJECT: JsonSchema = {"type": "object"}
_CURSOR: JsonSchema = {"type": ["string", "null"], "pattern": "^[A-Za-z0-9_-]+$"}


def ref(name: str) -> JsonSchema:
    return {"$ref": f"#/components/schemas/{name}"}


def _enum(*values: Any) -> JsonSchema:
    return {"enum": list(values)}


def _list(item: JsonSchema) -> JsonSchema:
    return {"type": "array", "items": item}


def _maybe(schema: JsonSchema) -> JsonSchema:
    return {"oneOf": [schema, {"type": "null"}]}


def _object(optional: tuple[str, ...] = (), /, **properties: JsonSchema) -> JsonSchema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


_STATUS = _enum("current", "pending", "paused", "stale", "expired", "closed", "forgotten")
_CONSIDERED = _object(
    ("forgotten",),
    id=_ID,
    version=_MAYBE_WHOLE,
    key=_MAYBE_TEXT,
    text=_MAYBE_TEXT,
    relevance=_MAYBE_NUMBER,
    parts={"type": "object", "additionalProperties": {"type": "number"}},
    verdict=_TEXT,
    forgotten=_FLAG,
)
_WITHHELD = _object(
    below_floor=_COUNT,
    over_limit=_COUNT,
    over_budget=_COUNT,
    replaced=_COUNT,
    duplicate=_COUNT,
    paused=_COUNT,
    stale=_COUNT,
)
_USED = _object(tokens=_COUNT, chars=_COUNT)
_BUDGET = {"type": "object", "properties": {"tokens": _COUNT, "chars": _COUNT}, "minProperties": 1, "maxProperties": 1}
_NOTICE = _enum(None, "use_off", "lexical_only")

COMPONENTS: dict[str, JsonSchema] = {
    "Problem": _object(
        ("code", "rule", "current"),
        type=_TEXT,
        title=_TEXT,
        status={"type": "integer"},
        detail=_TEXT,
        request_id=_TEXT,
        errors=_list(
            _object(("index", "line", "column"), field=_TEXT, message=_TEXT, index=_COUNT, line=_COUNT, column=_COUNT)
        ),
        code={"type": "string", "description": "With 409: a word for programs."},
        rule={"type": "string", "description": "With 422 of a correction: the rule of the write policy that refused."},
        current={"description": "With 412: the memory as it is.", **ref("Memory")},
    )
    | {
        "examples": [
            {
                "type": "about:blank",
                "title": "Unprocessable Content",
                "status": 422,
                "detail": "Some values cannot be used; `errors` says which.",
                "request_id": "3f0c1b7c5f0a4e0f9b6f5a1d2c3e4f50",
                "errors": [{"field": "turn", "message": "Must be a whole number from 0 to 2147483647."}],
            }
        ]
    },
    "Memory": _object(
        ("text", "forgotten"),
        id=_ID,
        version={"type": "integer", "minimum": 1},
        user=_MAYBE_TEXT,
        scope=_TEXT,
        kind=_TEXT,
        subject=_TEXT,
        key=_TEXT,
        text=_MAYBE_TEXT,
        source=_MAYBE_TEXT,
        session=_MAYBE_TEXT,
        turn=_MAYBE_WHOLE,
        occurred_at=_TIME,
        seen={"type": "integer", "minimum": 1},
        origin=_enum("stated", "inferred", "corrected", "imported"),
        importance=_MAYBE_WHOLE,
        reason=_MAYBE_TEXT,
        aliases=_list(_TEXT),
        pinned=_FLAG,
        disputed=_FLAG,
        status=_STATUS,
        pending_rule=_MAYBE_TEXT,
        valid_from=_TIME,
        valid_to=_MAYBE_TIME,
        created_at=_TIME,
        confirmed_at=_TIME,
        last_used_at=_MAYBE_TIME,
        use_count=_COUNT,
        expires_at=_MAYBE_TIME,
        metadata=_OBJECT,
        forgotten=_FLAG,
    ),
    "Decision": _object(
        ("index",),
        index=_COUNT,
        action=_enum("new", "reconfirmed", "superseded", "retracted", "recorded", "pending", "rejected"),
        rule=_TEXT,
        detail=_TEXT,
        memory=_maybe(ref("Memory")),
        previous=_maybe(_object(version={"type": "integer"}, text=_MAYBE_TEXT, valid_to=_MAYBE_TIME)),
    ),
    "Decisions": _object(results=_list(ref("Decision"))),
    "MemoryPage": _object(
        count=_COUNT,
        results=_list({"anyOf": [ref("Memory"), _object(id=_ID, status={"const": "forgotten"})]}),
        next_cursor=_CURSOR,
    ),
    "History": _object(
        results=_list(
            _object(
                ("forgotten",),
                version=_MAYBE_WHOLE,
                action=_TEXT,
                rule=_TEXT,
                text=_MAYBE_TEXT,
                source=_MAYBE_TEXT,
                origin=_TEXT,
                turn=_MAYBE_WHOLE,
                valid_from=_MAYBE_TIME,
                valid_to=_MAYBE_TIME,
                recorded_at=_TIME,
                actor=_MAYBE_TEXT,
                forgotten=_FLAG,
            )
        ),
        next_cursor=_CURSOR,
    ),
    "Forgotten": _object(id=_ID, status={"const": "forgotten"}, restorable_until=_TIME, tombstone=_FLAG),
    "Subjects": _object(
        results=_list(_object(scope=_TEXT, kind=_TEXT, subject=_TEXT, status=_STATUS)), next_cursor=_CURSOR
    ),
    "Scopes": _object(
        learning=_FLAG,
        use=_FLAG,
        results=_list(
            _object(scope=_TEXT, learning=_FLAG, use=_FLAG, current=_COUNT, pending=_COUNT, paused=_COUNT, stale=_COUNT)
        ),
    ),
    "Me": _object(
        name=_TEXT,
        kind=_enum("service", "personal"),
        namespace=_TEXT,
        user=_MAYBE_TEXT,
        can_write=_FLAG,
        scopes={"type": ["array", "null"], "items": _TEXT},
        expires_at=_MAYBE_TIME,
    ),
    "Context": _object(
        ("considered",),
        trace_id={"type": ["string", "null"], "format": "uuid"},
        context=_TEXT,
        memories=_list(
            _object(
                ("forgotten",),
                id=_ID,
                version={"type": "integer"},
                kind=_TEXT,
                subject=_TEXT,
                key=_TEXT,
                text=_MAYBE_TEXT,
                scope=_TEXT,
                relevance=_MAYBE_NUMBER,
                why=_enum("pinned", "always_on", "relevant", "recent", "frequent", "scope"),
                confirmed_at=_TIME,
                forgotten=_FLAG,
            )
        ),
        withheld=_WITHHELD,
        used=_USED,
        budget=_BUDGET,
        floor={"type": "number"},
        notice=_NOTICE,
        considered=_list(_CONSIDERED),
    ),
    "Trace": _object(
        id=_ID,
        created_at=_TIME,
        agent=_MAYBE_TEXT,
        user=_MAYBE_TEXT,
        scopes=_list(_TEXT),
        query=_MAYBE_TEXT,
        as_of=_MAYBE_TIME,
        floor={"type": "number"},
        budget=_BUDGET,
        policy_version=_TEXT,
        scorer=_TEXT,
        considered=_list(_CONSIDERED),
        withheld=_WITHHELD,
        used=_USED,
        context=_TEXT,
        notice=_NOTICE,
        answer=_maybe(_object(answer_id=_TEXT, model=_MAYBE_TEXT)),
    ),
    "JoinedAnswer": _object(trace_id=_ID, answer_id=_TEXT, model=_MAYBE_TEXT),
    "Answer": _object(answer_id=_TEXT, traces=_list(ref("Trace"))),
    "Export": {
        "type": "object",
        "description": "See docs/export.schema.json: a part for each store, and the signature.",
        "properties": {
            "format": {"const": "memory-export"},
            "version": {"type": "integer", "minimum": 1},
            "exported_at": _TIME,
            "person": {"type": ["object", "null"]},
            "memories": _list({"type": "object"}),
            "signature": _object(algorithm=_TEXT, key=_TEXT, value=_TEXT),
        },
        "required": ["format", "version", "exported_at", "person", "memories", "signature"],
    },
    "Imported": _object(
        dry_run=_FLAG,
        source=_enum("own", "unsigned", "mem0", "openmemory"),
        exported_at=_MAYBE_TIME,
        same_person=_FLAG,
        total=_COUNT,
        new=_COUNT,
        pending=_COUNT,
        same=_COUNT,
        refused=_COUNTS,
        messages=_object(new=_COUNT, same=_COUNT, refused=_COUNTS),
        do_not_learn=_object(new=_COUNT, same=_COUNT, refused=_COUNTS),
    ),
    "Erasing": _object(receipt_id=_ID),
    "Receipt": _object(
        id=_ID,
        status=_enum("running", "done"),
        requested_at=_TIME,
        done_at=_MAYBE_TIME,
        counted=_COUNTS,
        erased=_COUNTS,
        verified_left=_maybe(_COUNTS),
        backups_until=_MAYBE_TIME,
    ),
    "Link": _object(url={"type": "string", "format": "uri"}, expires_at=_TIME),
    "StoredTurns": _object(
        stored=_COUNT,
        known=_COUNT,
        decisions={"type": ["array", "null"], "items": ref("Decision")},
        job={"type": ["string", "null"]},
    ),
}
