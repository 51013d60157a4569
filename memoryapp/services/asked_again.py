"""The comparison of then and now for the desk: structure, and words where they are revealed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from accounts.actors import Actor
from memoryapp.database.isolation import acting_for, under_grant
from memoryapp.models import Grant
from memoryapp.services.asking_again import Again, Change, Compared, ask_again
from memoryapp.services.desk import Case
from memoryapp.services.errors import Conflict, NotFound
from memoryapp.services.grants import own_grant
from memoryapp.services.reveal import Item
from memoryapp.services.revealed import Content
from memoryapp.services.staff import Staff


@dataclass(frozen=True, slots=True)
class Place:
    """One memory that was sent, or would be, by its places among them; `content` where it is revealed, `item` what
    reveals it where the grant can."""

    memory_id: UUID
    change: Change
    place_then: int | None
    place_again: int | None
    verdict_then: str | None
    verdict_again: str | None
    relevance_then: float | None
    relevance_again: float | None
    is_reworded: bool
    content: Content | None
    item: str | None


@dataclass(frozen=True, slots=True)
class AskedAgain:
    """`is_same`: the very same bytes. `tokens` are those of the block that would be sent."""

    as_of: datetime | None
    places: tuple[Place, ...]
    is_same: bool
    tokens_then: int
    tokens_again: int
    notice: str | None


def asked_again(found: Case, *, staff: Staff, as_of: datetime | None = None) -> AskedAgain:
    """Runs the request again under the case's running grant. Leaves no trace and counts no use.

    Conflict `grant_over`, also where the grant does not cover every scope that was asked in.
    """
    if found.grant is None:
        raise NotFound
    grant, owner = own_grant(found.grant.id, staff=staff)
    actor: Actor = staff.about(owner, grant_id=grant.pk, scopes=grant.scopes)
    with acting_for(owner), under_grant(grant.pk):
        try:
            again = ask_again(found.trace.id, actor=actor, as_of=as_of)
        except NotFound:
            raise Conflict("grant_over", "The grant does not run, or does not cover the request.") from None
    return AskedAgain(
        as_of=as_of,
        places=tuple(_places(again, found.contents, reaches=grant.reach != Grant.Reach.ANSWER)),
        is_same=again.is_same,
        tokens_then=again.view.used["tokens"],
        tokens_again=again.outcome.tokens,
        notice=again.outcome.notice,
    )


def _item(one: Compared, *, reaches: bool) -> str | None:
    """As it was weighed then; what was not needs a grant that reaches further."""
    if one.then:
        return f"memory:{one.then.memory_id}:{one.then.version}"
    if one.again and reaches:
        return f"memory:{one.again.offered.memory_id}:{one.again.offered.version}"
    return None


def _places(again: Again, contents: Mapping[Item, Content], *, reaches: bool) -> list[Place]:
    shown = {item.id: content for item, content in contents.items() if item.what == "memory"}
    return [
        Place(
            memory_id=one.memory_id,
            change=one.change,
            place_then=one.place_then,
            place_again=one.place_again,
            verdict_then=one.then.verdict if one.then else None,
            verdict_again=one.again.verdict if one.again else None,
            relevance_then=one.then.relevance if one.then else None,
            relevance_again=one.again.offered.score.relevance if one.again and one.again.offered.score else None,
            is_reworded=one.is_reworded,
            content=shown.get(one.memory_id),
            item=_item(one, reaches=reaches),
        )
        for one in again.compared
    ]
