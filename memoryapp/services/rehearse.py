"""Trying a retrieval out: what would be sent, without a trace and without a use."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from accounts.actors import Actor
from memoryapp.policy.types import Verdict
from memoryapp.services.errors import NotFound
from memoryapp.services.retrieving import ContextRequest, retrieving
from memoryapp.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What one retrieval would come to: the best 200 verdicts and all that would be sent, in rank order.

    `offered` counts all that is in scope, `withheld` by verdict what would not be sent. `tokens` are the block's.
    """

    verdicts: Sequence[Verdict]
    offered: int
    withheld: dict[str, int]
    context: str
    tokens: int
    notice: str | None


def rehearse(request: ContextRequest, *, actor: Actor) -> Rehearsal:
    """What `recall` would send now. Leaves no trace and counts no use. NotFound for a scope that is not the actor's."""
    if not all(map(actor.may_use_scope, request.scopes)):
        raise NotFound
    request = replace(request, explain=True)
    with retrieving(request, actor) as (_, retrieved):
        return Rehearsal(
            verdicts=retrieved.listed,
            offered=retrieved.offered,
            withheld=retrieved.withheld(request),
            context=retrieved.context,
            tokens=count_tokens(retrieved.context),
            notice=retrieved.notice,
        )
