"""A case for engineering: one retrieval as JSON, without a word of it but what a running grant has revealed."""

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from accounts.models import User
from memoryapp.database.isolation import acting_for, without_content
from memoryapp.policy.types import POLICY_VERSION
from memoryapp.services import audit
from memoryapp.services.desk import Case, case
from memoryapp.services.grants import trace_owner
from memoryapp.services.locking import writing_for
from memoryapp.services.masked import digests
from memoryapp.services.reveal import Item
from memoryapp.services.revealed import Content
from memoryapp.services.shown import time_json
from memoryapp.services.staff import Staff
from memoryapp.services.trace_view import TraceView, Weighed

FORMAT, FORMAT_VERSION = "memory-case", 1


def case_bundle(trace_id: UUID, *, staff: Staff) -> dict[str, Any]:
    """Ids, scores, verdicts, settings and digests of the versions, which is logged. Times are RFC 3339 in UTC.

    Two digests are equal when the texts are, within one person's memory; they tell nothing without that person's key,
    which goes with the person. `content` is there for what is revealed under a running grant, and only then.
    """
    found = case(trace_id, staff=staff, is_look=False)
    owner = trace_owner(trace_id)
    assert owner is not None
    with writing_for(owner) as now:
        reason = f"{found.grant.reason} {found.grant.ticket}".strip() if found.grant else None
        audit.record("export_case", "trace", trace_id, actor=staff.about(owner), at=now, reason=reason)
    trace = found.trace
    digest_of = _digests(trace, owner)
    return {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "exported_at": time_json(now),
        "grant": str(found.grant.id) if found.grant and found.grant.is_running else None,
        "trace": {
            "id": str(trace.id),
            "at": time_json(trace.at),
            "agent": trace.agent,
            "scopes": [found.scopes.get(name, name) for name in trace.scopes],
            "has_query": trace.has_query,
            "has_session": trace.has_session,
            "session": found.session,
            "agent_request_id": trace.agent_request_id,
            "as_of": time_json(trace.as_of),
            "floor": trace.floor,
            "budget": trace.budget,
            "limit": trace.limit,
            "policy_version": trace.policy_version,
            "policy_version_now": POLICY_VERSION,
            "scorer": trace.scorer,
            "notice": trace.notice,
            "offered": trace.offered,
            "withheld": trace.withheld,
            "used": trace.used,
            "gaps": trace.gaps,
            **_content(found.contents, request=Item("request", trace_id), block=Item("block", trace_id)),
        },
        "answer": {
            "answer_id": trace.answer.answer_id,
            "model": trace.answer.model,
            "at": time_json(trace.answer.at),
            "other_traces": [str(one) for one in trace.answer.others],
            **_content(found.contents, text=Item("answer", trace_id)),
        }
        if trace.answer
        else None,
        "items": [_item(one, found, digest_of) for one in (*trace.items, *trace.held)],
        "reports": [
            {"reference": one.reference, "wrong": one.wrong, "state": one.state, "opened_at": time_json(one.opened_at)}
            for one in trace.reports
        ],
    }


def _item(one: Weighed, found: Case, digest_of: Mapping[tuple[UUID, int], str]) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "rank": one.rank,
        "memory": str(one.memory_id),
        "version": one.version,
        "digest": digest_of.get((one.memory_id, one.version)),
        "kind": one.kind,
        "scope": found.scopes.get(one.scope or "", one.scope),
        "verdict": one.verdict,
        "why": one.why,
        "relevance": one.relevance,
        "parts": one.parts,
        "since": one.since,
        "status": one.status,
        "is_disputed": one.is_disputed,
        "paused_by": {"kind": one.paused_by.kind, "agent": one.paused_by.agent, "at": time_json(one.paused_by.at)}
        if one.paused_by
        else None,
    }
    content = found.contents.get(Item("memory", one.memory_id, one.version))
    if content:
        words = {"subject": content.subject, "text": content.text, "text_now": content.now}
        shown["content"] = words | {"version_now": content.version_now}
    source = found.contents.get(Item("source", one.memory_id, one.version))
    if source:
        said = {"text": source.text, "role": source.role, "session": source.session, "turn": source.turn}
        shown["source"] = said | {"at": time_json(source.at)}
    return shown


def _content(contents: Mapping[Item, Content], **items: Item) -> dict[str, Any]:
    return {name: contents[item].text for name, item in items.items() if item in contents}


def _digests(trace: TraceView, owner: UUID) -> dict[tuple[UUID, int], str]:
    """HMAC-SHA256 of each version's text, of which 128 bits are kept, under a key made from the person's."""
    secret = bytes(User.objects.values_list("digest_key", flat=True).get(pk=owner))
    key = hmac.digest(secret, b"versions in a case", hashlib.sha256)
    which = [(one.memory_id, one.version) for one in (*trace.items, *trace.held)]
    with acting_for(owner), without_content():
        return {version: digest[:16].hex() for version, digest in digests(which, key).items()}
