"""Proposing memories: the write policy decides, and the store does what it says."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from time import monotonic

from accounts.actors import Actor
from accounts.models import Scope
from memoryapp.models import Episode, Memory
from memoryapp.policy.origin import granted_origin
from memoryapp.policy.placement import place
from memoryapp.policy.types import Candidate, Origin, Placement, Rules, Said
from memoryapp.policy.write import decide_write
from memoryapp.services.change import Change
from memoryapp.services.errors import NotFound
from memoryapp.services.proposal import Outcome, Proposal
from memoryapp.services.rows import select
from memoryapp.services.slots import heads_of, slot_of, tombstones_for
from memoryapp.services.writing import Writer, writer_for


def propose(proposals: Sequence[Proposal], *, actor: Actor) -> list[Outcome]:
    """Decides the proposals in order, in one transaction, and does what was decided.

    Raises NotFound, and changes nothing, when one of them is placed in a scope that the actor may not use.
    """
    with writer_for(actor) as writer:
        scopes = {scope.name: scope for scope in select(Scope, "where person_id = %s", [writer.person.id])}
        began = monotonic()
        outcomes = []
        for proposal in proposals:
            now = writer.now + timedelta(seconds=monotonic() - began)
            outcomes.append(_propose(proposal, scopes, replace(writer, now=now)))
        return outcomes


def _propose(proposal: Proposal, scopes: dict[str, Scope], writer: Writer) -> Outcome:
    placement = place(proposal.kind, proposal.subject, proposal.scope, frozenset(scopes))
    placed = placement if isinstance(placement, Placement) else None
    heads: list[Memory] = []
    if placed:
        if not writer.actor.may_use_scope(placed.scope):
            raise NotFound
        if placed.scope in scopes:
            heads = heads_of(placed, scopes[placed.scope])
    candidate = _candidate(proposal, writer)
    decision = decide_write(
        candidate,
        slot_of(placed, heads, writer),
        tombstones_for(candidate, placed, writer.person),
        Rules(
            now=writer.now,
            learning=writer.person.learning,
            scope_learning={name: scope.learning for name, scope in scopes.items()},
            scopes=frozenset(scopes),
        ),
    )
    change = Change(proposal, candidate, decision, heads, writer)
    if decision.target == "none" or decision.placement is None:
        return change.refuse()
    return change.carry_out(_scope(decision.placement.scope, scopes, writer))


def _scope(name: str, scopes: dict[str, Scope], writer: Writer) -> Scope:
    if name not in scopes:
        scopes[name] = Scope.objects.create(person_id=writer.person.id, name=name)
    return scopes[name]


def _candidate(proposal: Proposal, writer: Writer) -> Candidate:
    return Candidate(
        kind=proposal.kind,
        subject=proposal.subject,
        text=proposal.text,
        scope=proposal.scope,
        # A clock that runs ahead must not make what is said next outdated.
        said=Said(min(proposal.occurred_at or writer.now, writer.now), proposal.session, proposal.turn),
        source=proposal.source,
        source_role=proposal.source_role,
        origin=_origin(proposal, writer),
        valid_from=proposal.valid_from,
        valid_to=proposal.valid_to,
        retract=proposal.retract,
        reason=proposal.reason,
        aliases=proposal.aliases or (),
        by_person=writer.actor.kind == "person",
    )


def _origin(proposal: Proposal, writer: Writer) -> Origin:
    """What the policy grants, by the stored turn that the proposal names. Turns of one number may lie in two scopes."""
    named: list[Episode] = []
    if proposal.source and proposal.session is not None and proposal.turn is not None:
        turns = Episode.objects.filter(person=writer.person, session=proposal.session, turn=proposal.turn)
        named = list(turns.select_related("scope"))
    # A turn that the key may not know of proves nothing for it, nor may the answer tell what that turn says.
    usable: Sequence[Episode | None] = [episode for episode in named if writer.actor.may_use_scope(episode.scope.name)]
    granted = [
        granted_origin(
            proposal.origin,
            source=proposal.source,
            source_role=proposal.source_role,
            episode=episode.content if episode else "" if named else None,
            episode_role=episode.role if episode else None,
            by_person=writer.actor.kind == "person",
        )
        for episode in (usable or (None,))
    ]
    return "stated" if "stated" in granted else granted[0]
